type Certificate = {
  CourseTitle: string;
  Issuer: string;
  Number: string;
  IssuedAt: string;
  ValidUntil: string | null;
  VerifyURL: string;
};

/** LinkedIn's documented link for adding a certification to a profile. */
export function linkedInUrl({
  CourseTitle,
  IssuedAt,
  ValidUntil,
  VerifyURL,
  ...certificate
}: Certificate): string {
  const issued = new Date(IssuedAt);
  const query = new URLSearchParams({
    startTask: 'CERTIFICATION_NAME',
    name: CourseTitle,
    organizationName: certificate.Issuer,
    issueYear: String(issued.getFullYear()),
    issueMonth: String(issued.getMonth() + 1),
    certUrl: VerifyURL,
    certId: certificate.Number,
  });
  if (ValidUntil !== null) {
    const until = new Date(ValidUntil);
    query.set('expirationYear', String(until.getFullYear()));
    query.set('expirationMonth', String(until.getMonth() + 1));
  }
  return `https://www.linkedin.com/profile/add?${query}`;
}
