import { lazy, Suspense, useState } from 'react';
import { useTranslations } from 'use-intl';
import { type CertificateType, saveCertificate } from './data.ts';
import type { Certificate } from './items.ts';
import { Menu } from './menu.tsx';
import { useDay } from './use-day.ts';

const WalletDialog = lazy(() => import('./wallet.tsx'));

type Props = { certificates: readonly Certificate[]; organisation: string };

export function Certificates({ certificates, organisation }: Props) {
  const t = useTranslations('learner');
  const day = useDay();
  const shown = certificates.filter(({ Status }) => Status !== 'replaced');
  if (shown.length === 0) return null;
  return (
    <section aria-label={t('certificates')}>
      <h2>{t('certificates')}</h2>
      <div className="cards">
        {shown.map((one) => (
          <article key={one.Number} className="card" aria-label={one.CourseTitle}>
            <div className="about">
              <h3 dir="auto">{one.CourseTitle}</h3>
              <p className="facts">
                {[
                  t('issuedOn', { day: day(one.IssuedAt) }),
                  one.Status === 'valid' && one.ValidUntil && t('validUntil', { day: day(one.ValidUntil) }),
                  one.Status === 'expired' && one.ValidUntil && t('expiredOn', { day: day(one.ValidUntil) }),
                ]
                  .filter((text) => typeof text === 'string')
                  .join(' · ')}
              </p>
            </div>
            {one.Status !== 'valid' && (
              <span className="badge expired">{t(`certificateStatuses.${one.Status}`)}</span>
            )}
            <CertificateActions certificate={one} organisation={organisation} />
          </article>
        ))}
      </div>
    </section>
  );
}

/** LinkedIn's documented link for adding a certification to a profile. */
function linkedInUrl(
  { CourseTitle, IssuedAt, ValidUntil, VerifyURL, ...certificate }: Certificate,
  issuer: string,
) {
  const issued = new Date(IssuedAt);
  const query = new URLSearchParams({
    startTask: 'CERTIFICATION_NAME',
    name: CourseTitle,
    organizationName: issuer,
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

const files = [
  ['badge', 'image/png'],
  ['badgeSvg', 'image/svg+xml'],
  ['wallet', 'application/vc+jwt'],
  ['walletJson', 'application/vc'],
] as const;

type ActionsProps = { certificate: Certificate; organisation: string };

export function CertificateActions({ certificate, organisation }: ActionsProps) {
  const t = useTranslations('learner');
  const [hasFailed, setFailed] = useState(false);
  const [isOffering, setOffering] = useState(false);
  const course = certificate.CourseTitle;
  const save = async (type: CertificateType) => {
    setFailed(false);
    await saveCertificate(certificate, type).catch(() => setFailed(true));
  };
  return (
    <div className="actions">
      <button
        type="button"
        className="button quiet"
        aria-label={t('pdfOf', { course })}
        onClick={() => save('application/pdf')}
      >
        {t('pdf')}
      </button>
      <a
        className="button quiet"
        href={certificate.VerifyURL}
        target="_blank"
        rel="noopener"
        aria-label={t('checkOf', { course })}
      >
        {t('check')}
      </a>
      <Menu label={t('more')} description={t('moreOf', { course })}>
        {certificate.Status === 'valid' && (
          <a
            role="menuitem"
            tabIndex={-1}
            target="_blank"
            rel="noopener"
            href={linkedInUrl(certificate, organisation)}
          >
            {t('linkedIn')}
          </a>
        )}
        {certificate.Status === 'valid' && (
          <button type="button" role="menuitem" tabIndex={-1} onClick={() => setOffering(true)}>
            {t('walletOffer.title')}
          </button>
        )}
        {files.map(([name, type]) => (
          <button key={name} type="button" role="menuitem" tabIndex={-1} onClick={() => save(type)}>
            {t(name)}
          </button>
        ))}
      </Menu>
      {isOffering && (
        <Suspense>
          <WalletDialog certificate={certificate} onClose={() => setOffering(false)} />
        </Suspense>
      )}
      {hasFailed && (
        <p className="reason" role="alert">
          {t('downloadFailed')}
        </p>
      )}
    </div>
  );
}
