import { useEffect, useId, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import type { components } from '../../client/src/generated.ts';
import { CourseImage, useCourseImage } from '../parts/course-image.tsx';
import { useDayFormat } from '../parts/day-zone.ts';
import { usePercent } from '../parts/percent.ts';
import { segment, serviceNow, useRead } from './data.ts';
import { dueAt, type Enrolment, type Item, isOverdue, type Section } from './items.ts';
import { useDay } from './use-day.ts';

type Schemas = components['schemas'];
type Explanation = Schemas['Explanation'];

/** A card asks for its image, and whether its course can start, when the learner sees it. */
function useSeen() {
  const [isSeen, setSeen] = useState(false);
  const ref = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!ref.current || isSeen) return;
    const observer = new IntersectionObserver((entries) =>
      setSeen(entries.some(({ isIntersecting }) => isIntersecting)),
    );
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, [isSeen]);
  return { ref, isSeen };
}

/** `isSought`: the learner followed a link to this course. */
type CardProps = { item: Item; section: Section; isSought: boolean };

export function CourseCard({ item, section, isSought }: CardProps) {
  const t = useTranslations('outcomes');
  const id = useId();
  const { ref, isSeen } = useSeen();
  const { enrolment, title } = item;
  const path = `/enrolment/${segment(enrolment?.LoginID ?? '')}/${segment(enrolment?.EnrollID ?? '')}/explain`;
  const asked = useRead<Explanation>(path, isSeen && enrolment !== null);
  useEffect(() => {
    if (!isSought) return;
    ref.current?.scrollIntoView({ block: 'center' });
    ref.current?.focus({ preventScroll: true });
  }, [isSought, ref]);
  return (
    <article
      ref={ref}
      aria-labelledby={id}
      className={isSought ? 'card sought' : 'card'}
      {...(isSought && { tabIndex: -1, 'aria-current': true })}
    >
      <CardImage enrolment={enrolment} isSeen={isSeen} />
      <div className="about">
        <h3 id={id} dir="auto">
          {title}
        </h3>
        {enrolment && section !== 'open' && (
          <span className={`badge ${enrolment.Outcome}`}>{t(enrolment.Outcome)}</span>
        )}
        <Facts item={item} section={section} />
        {section === 'open' && asked && asked.Parts.length > 0 && <Parts of={asked.Parts} />}
      </div>
      <CourseAction item={item} section={section} describedBy={id} asked={asked} />
    </article>
  );
}

/** A course that is no longer offered keeps the placeholder. */
function CardImage({ enrolment, isSeen }: { enrolment: Enrolment | null; isSeen: boolean }) {
  const { CourseID = '', LoginID = '' } = enrolment ?? {};
  const path = `/catalogue/course/${segment(CourseID)}/${segment(LoginID)}`;
  const offer = useRead<Schemas['Offer']>(path, isSeen && enrolment !== null);
  const image = useCourseImage(offer?.ImageURL ?? null);
  return <CourseImage courseId={CourseID} image={image} />;
}

/** One line with what matters now: the date first, then the progress or the result. */
function Facts({ item, section }: { item: Item; section: Section }) {
  const t = useTranslations('learner');
  const day = useDay();
  const percent = usePercent();
  const { enrolment, obligation, title, isExempt } = item;
  const until = obligation?.ValidUntil ?? null;
  const isExpired = obligation?.Status === 'expired';
  const ends = enrolment?.ExpiresAt ?? null;
  const facts = [
    obligation && obligation.Title !== title && t('required', { title: obligation.Title }),
    isExempt && obligation === null && t('exempt'),
    until !== null && !isExpired && t('validUntil', { day: day(until) }),
    section === 'done' && obligation?.External && t('elsewhere'),
    enrolment !== null && enrolment.Score !== null && t('score', { value: percent(enrolment.Score) }),
    section === 'done' && enrolment?.CompletedAt && t('completedOn', { day: day(enrolment.CompletedAt) }),
    ends !== null && t(Date.parse(ends) <= serviceNow() ? 'endedOn' : 'endsOn', { day: day(ends) }),
  ].filter((text) => typeof text === 'string');
  return (
    <>
      {section === 'open' && <DueText item={item} />}
      {section === 'open' && enrolment && <ProgressText enrolment={enrolment} />}
      {facts.length > 0 && <p className="facts">{facts.join(' · ')}</p>}
    </>
  );
}

const dayLength = 86_400_000;

/** By when the course should be done. Days of the last week are named by their weekday. */
function DueText({ item }: { item: Item }) {
  const t = useTranslations('learner');
  const format = useDayFormat();
  const day = useDay();
  const { obligation, enrolment } = item;
  if (obligation?.Status === 'expired' && obligation.ValidUntil !== null)
    return <p className="due late">{t('expiredOn', { day: day(obligation.ValidUntil) })}</p>;
  const at = dueAt(item);
  if (at === null || enrolment?.Outcome === 'passed' || enrolment?.Outcome === 'completed') return null;
  if (!isOverdue(item, serviceNow())) return <p className="due">{t('due', { day: day(at) })}</p>;
  const late = serviceNow() - Date.parse(at);
  const since = late > 0 && late < 6 * dayLength ? format(at, { weekday: 'long' }) : day(at);
  return <p className="due late">{t('overdueSince', { day: since })}</p>;
}

/** Many courses report no progress until they are completed. Their completed units say more than 0 %. */
function ProgressText({ enrolment }: { enrolment: Enrolment }) {
  const t = useTranslations('learner');
  const outcome = useTranslations('outcomes');
  const percent = usePercent();
  const { Progress, Outcome, CourseTitle, LoginID, EnrollID } = enrolment;
  const isUnknown = Progress === 0 && Outcome === 'in_progress';
  const path = `/enrolment/${segment(LoginID)}/${segment(EnrollID)}/activity?Limit=200`;
  const units = useRead<{ Items: Schemas['UnitActivity'][] }>(path, isUnknown);
  if (Outcome === 'not_started') return null;
  if (Outcome === 'failed') return <p className="facts">{outcome(Outcome)}</p>;
  if (!isUnknown)
    return (
      <p className="facts progress">
        <progress max={100} value={Progress} aria-label={t('progressOf', { course: CourseTitle })} />
        {percent(Progress)}
      </p>
    );
  const count = units?.Items.filter(({ Completion }) => Completion === 'completed').length ?? 0;
  return <p className="facts">{count > 0 ? t('unitsDone', { count }) : outcome('in_progress')}</p>;
}

/** When the learner comes back, the page says how the course ended. */
export function launchHref(launchUrl: string, enrollId: string): string {
  const url = `${location.origin}/console?left=${enrollId}`;
  return `${launchUrl}&returnURL=${encodeURIComponent(url)}`;
}

/** The courses of a path, which its page opens. */
function Parts({ of }: { of: Explanation['Parts'] }) {
  const t = useTranslations('learner.parts');
  return (
    <ul className="parts">
      {of.map(({ CourseID, CourseTitle, Needed, Status }) => (
        <li key={CourseID} className={Status}>
          <span dir="auto">{CourseTitle}</span>{' '}
          <small>{t(Needed || Status !== 'open' ? Status : 'optional')}</small>
        </li>
      ))}
    </ul>
  );
}

type ActionProps = { item: Item; section: Section; describedBy: string; asked: Explanation | null };

/** The button that starts the course, or the reason why it cannot start. The service applies its launch rules. */
function CourseAction({ item, section, describedBy, asked }: ActionProps) {
  const t = useTranslations('learner');
  const { enrolment } = item;
  if (!enrolment) return section === 'open' ? <p className="reason">{t('notEnrolled')}</p> : null;
  if (asked?.MayLaunch === false || enrolment.LaunchURL === null) {
    const failed = asked?.Rules.find(({ Passed }) => !Passed);
    if (section === 'done' || (!asked && section === 'ended')) return null;
    return <p className="reason">{failed ? t(`refused.${failed.Rule}`) : t('cannotStart')}</p>;
  }
  if (section === 'ended' && !asked) return null;
  const text = section === 'done' ? 'openAgain' : enrolment.Launches > 0 ? 'continue' : 'start';
  return (
    <a
      className={section === 'done' ? 'button quiet' : 'button'}
      href={launchHref(enrolment.LaunchURL, enrolment.EnrollID)}
      aria-describedby={describedBy}
    >
      {t(text)}
    </a>
  );
}
