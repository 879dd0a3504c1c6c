import { lazy, Suspense, useState } from 'react';
import { useTranslations } from 'use-intl';
import { linkedInUrl } from '../../standards/linked-in.ts';
import { type CertificateType, saveCertificate } from './data.ts';
import type { Certificate } from './items.ts';
import { Menu } from './menu.tsx';
import { useDay } from './use-day.ts';

const WalletDialog = lazy(() => import('./wallet.tsx'));

type Props = { certificates: readonly Certificate[] };

export function Certificates({ certificates }: Props) {
  const t = useTranslations('learner');
  const day = useDay();
  const shown = certificates.filter(({ ReplacedBy }) => ReplacedBy === null);
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
            <CertificateActions certificate={one} />
          </article>
        ))}
      </div>
    </section>
  );
}

const files = [
  ['badge', 'image/png'],
  ['badgeSvg', 'image/svg+xml'],
  ['wallet', 'application/vc+jwt'],
  ['walletJson', 'application/vc'],
] as const;

export function CertificateActions({ certificate }: { certificate: Certificate }) {
  const t = useTranslations('learner');
  const [hasFailed, setFailed] = useState(false);
  const [isOffering, setOffering] = useState(false);
  const course = certificate.CourseTitle;
  // Its files do not say that it was revoked.
  if (certificate.Status === 'revoked')
    return (
      <div className="actions">
        <a className="button quiet" href={certificate.VerifyURL} target="_blank" rel="noopener">
          {t('check')}
        </a>
      </div>
    );
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
      {certificate.Status === 'valid' && (
        <>
          <a
            className="button quiet"
            href={linkedInUrl(certificate)}
            target="_blank"
            rel="noopener"
            aria-label={`${t('linkedIn')}: ${course}`}
          >
            {t('linkedIn')}
          </a>
          <button
            type="button"
            className="button quiet"
            aria-label={`${t('walletOffer.title')}: ${course}`}
            onClick={() => setOffering(true)}
          >
            {t('walletOffer.title')}
          </button>
        </>
      )}
      <Menu label={t('more')} description={t('moreOf', { course })}>
        <a role="menuitem" tabIndex={-1} href={certificate.VerifyURL} target="_blank" rel="noopener">
          {t('check')}
        </a>
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
