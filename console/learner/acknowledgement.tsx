import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl';
import { usePercent } from '../parts/percent.ts';
import { CertificateActions } from './certificates.tsx';
import { launchHref } from './course-card.tsx';
import type { Certificate, Enrolment } from './items.ts';

const results = ['passed', 'completed', 'failed'] as const;
const isResult = (outcome: Enrolment['Outcome']): outcome is (typeof results)[number] =>
  results.some((one) => one === outcome);

type Props = {
  enrolment: Enrolment;
  next: Enrolment | null;
  certificate: Certificate | null;
  refresh: () => Promise<void>;
};

/** Says how the course that the learner has just left ended, with its certificate, and what is next. */
export function Acknowledgement({ enrolment, next, certificate, refresh }: Props) {
  const t = useTranslations('learner.left');
  const percent = usePercent();
  const { Outcome, CourseTitle: course, Score } = enrolment;
  useCertificate(isResult(Outcome) && Outcome !== 'failed' && certificate === null, refresh);
  if (!isResult(Outcome)) return null;
  return (
    <div className={`result ${Outcome}`} role="status">
      <h2>{t(Outcome, { course })}</h2>
      {Score !== null && <p>{t('score', { value: percent(Score) })}</p>}
      {Outcome === 'failed' ? (
        <p>{t('again')}</p>
      ) : (
        <>
          {certificate && <CertificateActions certificate={certificate} />}
          <p>{next ? t('next', { course: next.CourseTitle }) : t('allDone')}</p>
          {next?.LaunchURL && (
            <a className="button" href={launchHref(next.LaunchURL, next.EnrollID)}>
              {t('start', { course: next.CourseTitle })}
            </a>
          )}
        </>
      )}
    </div>
  );
}

/** A certificate is issued shortly after the result, if the course issues any. */
const pauses = [500, 1_000, 2_000];

function useCertificate(isMissing: boolean, refresh: () => Promise<void>): void {
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    const pause = pauses[asked];
    if (!isMissing || pause === undefined) return;
    const timer = setTimeout(async () => {
      await refresh();
      setAsked(asked + 1);
    }, pause);
    return () => clearTimeout(timer);
  }, [asked, isMissing, refresh]);
}
