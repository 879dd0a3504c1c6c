import Type from 'typebox';
import { maxLogoBytes, maxLogoSide } from '../../../../../standards/logo.ts';
import { Address, Fields, Instant, Nullable, OneOf, Text } from '../../../http/validation/schema.ts';
import { certificateFields } from '../../catalogue/certificate-rule.ts';
import { CourseID } from '../../catalogue/schemas.ts';
import { EnrollID } from '../../enrolments/record/schemas.ts';
import { LoginID } from '../../users/schemas.ts';
import { numberExample } from './number.ts';

export const certificateStatuses = ['valid', 'expired', 'revoked', 'replaced'] as const;
export type CertificateStatus = (typeof certificateStatuses)[number];

export const CertificateNumber = Type.String({
  minLength: 1,
  maxLength: 64,
  examples: [numberExample],
  description: 'The number on the certificate. Case, hyphens and spaces are ignored.',
});

const ShownNumber = { ...CertificateNumber, description: 'The number on the certificate. It is random.' };
const ReplacedBy = Nullable({
  ...ShownNumber,
  description: 'The number of the newer certificate for the same course.',
});
const Status = OneOf(certificateStatuses, {
  title: 'CertificateStatus',
  description: 'replaced: the person has a newer certificate for the course.',
});
const Name = (description: string) =>
  Nullable({ ...Type.String({ description }), examples: ['Ada Lovelace'] });
const VerifyURL = {
  ...Address('The public page that shows whether the certificate is valid.'),
  examples: [`https://lectern.example.com/verify/${numberExample}`],
};
const Reason = Text(500, {
  minLength: 1,
  description: 'Why the certificate was revoked.',
  examples: ['Issued for the wrong person.'],
});

const dates = {
  IssuedAt: Instant('When it was issued.'),
  CompletedAt: Instant('When the learner reached the result.'),
  ValidUntil: Nullable(Instant('null: without end.')),
};

const Issuer = Type.String({ description: 'The name of the tenant.', examples: ['Acme Ltd'] });

const nameIncomplete =
  'Whether the PDF has the LoginID beside the name, because no font of Lectern has all characters of the name. The credential and the public page have the whole name.';

export const Certificate = Fields(
  {
    Number: ShownNumber,
    Status,
    LoginID: Nullable(LoginID),
    Name: Name('The name on the certificate; null once the person has been erased.'),
    NameIncomplete: Type.Boolean({ examples: [false], description: nameIncomplete }),
    CourseID,
    CourseTitle: Type.String({ description: 'The title of the course when the certificate was issued.' }),
    Issuer: { ...Issuer, description: 'The name of the tenant when the certificate was issued.' },
    EnrollID,
    Attempt: Type.Integer({ examples: [1] }),
    ...dates,
    RevokedAt: Nullable({ ...Instant(), examples: [null] }),
    Reason: Nullable({ ...Reason, examples: [null] }),
    ReplacedBy: { ...ReplacedBy, examples: [null] },
    Serial: Nullable(
      Type.String({
        examples: ['FS-2026-00012'],
        description: 'The serial number on it; null if the template has no format for serial numbers.',
      }),
    ),
    VerifyURL,
  },
  { title: 'Certificate' },
);
export type Certificate = Type.Static<typeof Certificate>;

/** What anyone who knows the number may see. */
export const VerifiedCertificate = Fields(
  {
    Number: ShownNumber,
    Status,
    Name: Name('The name of the person; null if it was erased.'),
    CourseTitle: Type.String(),
    Issuer,
    ...dates,
    RevokedAt: Nullable({ ...Instant(), examples: [null] }),
    Reason: Nullable({ ...Reason, description: 'null unless the issuer publishes it.', examples: [null] }),
    ReplacedBy: { ...ReplacedBy, examples: [null] },
  },
  { title: 'VerifiedCertificate' },
);
export type VerifiedCertificate = Type.Static<typeof VerifiedCertificate>;

export const FileCheck = Fields(
  {
    Result: OneOf(['genuine', 'differs', 'forged', 'unknown'], {
      description:
        'genuine: the issuer signed it, and nothing has been changed. differs: the credential in the PDF is genuine, but the page was edited, or drawn by another version of Lectern. forged: the signature is wrong. unknown: there is no credential of this service in the file, or its certificate has been erased.',
    }),
    Certificate: Nullable({
      ...VerifiedCertificate,
      description: 'What was issued; null unless the credential is genuine.',
    }),
  },
  { title: 'FileCheck' },
);
export type FileCheck = Type.Static<typeof FileCheck>;

export const BackIssue = Fields(
  {
    Plan: Type.Boolean({ description: 'true: nothing was issued.' }),
    Certificates: Type.Integer({ examples: [120], description: 'How many were, or would be, issued.' }),
    FirstCompletedAt: Nullable(Instant('The earliest result among them.')),
    LastCompletedAt: Nullable(Instant('The latest result among them.')),
  },
  { title: 'BackIssue' },
);
export type BackIssue = Type.Static<typeof BackIssue>;

export const certificateFilter = {
  CourseID: Type.Optional(CourseID),
  LoginID: Type.Optional(LoginID),
  Status: Type.Optional(OneOf(certificateStatuses, { title: 'CertificateStatus' })),
  IssuedAfter: Type.Optional(Instant('Issued then or later.')),
  IssuedBefore: Type.Optional(Instant('Issued earlier than this.')),
  NameIncomplete: Type.Optional(
    Type.Boolean({ description: 'true: only those whose PDF cannot show the whole name.' }),
  ),
};
export type CertificateFilter = Type.Static<ReturnType<typeof Type.Object<typeof certificateFilter>>>;

export const SigningKeys = Fields(
  {
    SignsFrom: Instant('From when the new keys sign. Until then, the former ones do.'),
    Keys: Type.Array(
      Fields({
        KeyID: Type.String({ examples: ['0198c2f0-7a3e-7c1b-9d51-0242ac120002'] }),
        Algorithm: OneOf(['RS256', 'EdDSA', 'ES256']),
      }),
      { description: 'All keys, also former ones: they are published for ever.' },
    ),
  },
  { title: 'CertificateSigningKeys' },
);
export type SigningKeys = Type.Static<typeof SigningKeys>;

const Signature = Fields({
  Name: Text(100, { minLength: 1, examples: ['Grace Hopper'] }),
  Role: Nullable(Text(100, { examples: ['Head of Training'] })),
  Image: Nullable(
    Type.String({
      maxLength: 4 * Math.ceil(maxLogoBytes / 3),
      pattern: '^[A-Za-z0-9+/_-]+={0,2}$',
      examples: [null],
      description: `A picture of the signature: a PNG or JPEG image in Base64, of at most ${maxLogoBytes / 1024} KiB, and ${maxLogoSide} × ${maxLogoSide} pixels. Responses have its name instead, which you can send to keep the picture.`,
    }),
  ),
});

const layouts = ['classic', 'modern'] as const;
export type Layout = (typeof layouts)[number];

const design = {
  Layout: OneOf(layouts, {
    title: 'CertificateLayout',
    description: 'classic: framed, with serifs. modern: a band in your colour.',
  }),
  PaperSize: OneOf(['A4', 'Letter'], { description: 'The size of the page, in landscape.' }),
  Signatures: Type.Array(Signature, {
    maxItems: 2,
    description: 'Who signs, at the foot. Without any, the name of the tenant is there.',
    examples: [[{ Name: 'Grace Hopper', Role: 'Head of Training', Image: null }]],
  }),
  Serial: Nullable({
    ...Text(60, {
      minLength: 1,
      description:
        'The format of a serial number on each certificate; null: none. It contains {Counter}, which counts the certificates of the tenant that have one, without gaps, or {Counter:5} for five digits, or else {Random}; also {Year}, {Month} and {Course}. Serials are only for your files: nothing opens with them.',
    }),
    examples: ['FS-{Year}-{Counter:5}'],
  }),
};

const templateFields = {
  ...certificateFields,
  On: Nullable({
    ...certificateFields.On,
    description: 'The result that earns a certificate; null: none do.',
    examples: ['passed'],
  }),
  ...design,
};

export const CertificateTemplate = Fields(
  { CourseID, ...templateFields, UpdatedAt: Instant() },
  {
    title: 'CertificateTemplate',
    description: "A tenant's own certificates for a course. They replace the `Certificate` of the course.",
  },
);
export type CertificateTemplate = Type.Static<typeof CertificateTemplate>;

export const CertificateTemplateChange = Type.Partial(Fields(templateFields), {
  additionalProperties: false,
  title: 'CertificateTemplateChange',
});
export type CertificateTemplateChange = Type.Static<typeof CertificateTemplateChange>;

export const Revocation = Fields(
  {
    Reason,
    ShowReason: Type.Optional(
      Type.Boolean({ description: 'Whether the public page shows the reason. Default: false.' }),
    ),
  },
  { title: 'CertificateRevocation' },
);
export type Revocation = Type.Static<typeof Revocation>;

export const Reissue = Fields(
  {
    ...Revocation.properties,
    IfRevoked: Type.Optional(
      OneOf(['fail', 'issue'], {
        description:
          'What happens if the certificate was revoked. fail (default): 409 certificate_revoked. issue: a new certificate is issued all the same, and is valid; the revoked one keeps the reason that it has.',
      }),
    ),
  },
  { title: 'CertificateReissue' },
);
export type Reissue = Type.Static<typeof Reissue>;

/** The stored rule of a tenant's template. */
export type TemplateRule = Omit<CertificateTemplate, 'CourseID' | 'UpdatedAt'>;

/** What is drawn on a certificate, apart from the name. It never changes. */
export type Content = Pick<TemplateRule, 'Layout' | 'PaperSize' | 'Signatures' | 'Serial'> & {
  Title: string | null;
  Text: string | null;
  CourseTitle: string;
  LoginID?: string;
  Score: number | null;
  Outcome: 'passed' | 'completed';
  Issuer: string;
  Language: 'en' | 'de' | 'fr';
  /** In which its days are shown. */
  TimeZone: string;
  Colour: string | null;
  LogoName: string | null;
  /** Without it, the issuer is the tenant at this service. */
  IssuerDomain?: string;
};
