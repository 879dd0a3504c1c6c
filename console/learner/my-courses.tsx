import { useTranslations } from 'use-intl';
import type { components } from '../../client/src/generated.ts';
import { toFailure } from '../api/problem.ts';
import { usePageTitle } from '../shell/branding.tsx';
import { Acknowledgement } from './acknowledgement.tsx';
import { Certificates } from './certificates.tsx';
import { CourseCard } from './course-card.tsx';
import { type Me, type Overview, segment, type useOverview, useRead } from './data.ts';
import { byLastUse, byUrgency, type Item, type Section, sectionOf } from './items.ts';

type Loaded = ReturnType<typeof useOverview>;

export function MyCourses({ me, loaded }: { me: Me; loaded: Loaded }) {
  const t = useTranslations('learner');
  usePageTitle(t('myCourses'));
  const { data, error, isOffline, refresh } = loaded;
  const team = useRead<{ Items: unknown[] }>(
    `/team/${segment(me.LoginID)}?Limit=1`,
    me.Scopes.includes('requirements:read'),
  );
  const isManager = (team?.Items.length ?? 0) > 0;
  return (
    <>
      <div className="head">
        <h1>{t('myCourses')}</h1>
        <div className="actions">
          {isManager && (
            <a className="button quiet" href="/console/team">
              {t('myTeam')}
            </a>
          )}
          {me.Scopes.includes('enrolments:write') && (
            <a className="button quiet" href="/console/redeem">
              {t('redeemKey')}
            </a>
          )}
        </div>
      </div>
      {isOffline && (
        <p className="message" role="status">
          {t('offline')}
        </p>
      )}
      {data ? (
        <Courses data={data} refresh={refresh} me={me} />
      ) : error ? (
        <Failed error={error} onRetry={refresh} />
      ) : (
        <Waiting />
      )}
    </>
  );
}

export function Waiting() {
  const t = useTranslations('states');
  return (
    <div className="waiting" role="status" aria-label={t('loading')}>
      <span />
      <span />
      <span />
    </div>
  );
}

export function Failed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const t = useTranslations();
  const { code, detail, requestId } = toFailure(error);
  return (
    <div className="message" role="alert">
      <strong>{t(code === 'unreachable' ? 'failures.unreachable' : 'failures.unknown')}</strong>
      <p>{code === 'unreachable' ? t('failures.unreachableText') : detail}</p>
      {requestId && (
        <p>
          {t('states.requestId')} <code>{requestId}</code>
        </p>
      )}
      <button type="button" className="button quiet" onClick={onRetry}>
        {t('states.retry')}
      </button>
    </div>
  );
}

const titles = { open: 'openCourses', done: 'completedCourses', ended: 'endedCourses' } as const;

/** The enrolment that shows the course to which a catalogue led; the enrolment on the path if it is a part of one. */
function soughtId({ items, enrolments }: Overview, courseId: string): string | null {
  const shown = new Set(items.map(({ enrolment }) => enrolment?.EnrollID));
  const found = enrolments
    .filter(({ CourseID }) => CourseID === courseId)
    .flatMap(({ EnrollID, PathEnrollID }) => [EnrollID, PathEnrollID]);
  return found.find((id) => id !== null && shown.has(id)) ?? null;
}

/** For a learner who comes from a catalogue and is not enrolled. */
function NotEnrolled({ courseId, me }: { courseId: string; me: Me }) {
  const t = useTranslations('learner.sought');
  const path = `/catalogue/course/${segment(courseId)}/${segment(me.LoginID)}`;
  const offer = useRead<components['schemas']['Offer']>(path, true);
  const mayRedeem = me.Scopes.includes('enrolments:write');
  return (
    <div className="message" role="status">
      <strong dir="auto">{t('title', { course: offer?.Title ?? courseId })}</strong>
      <p>{t(mayRedeem ? 'textOrKey' : 'text', { organisation: me.organisation })}</p>
    </div>
  );
}

type CoursesProps = { data: Overview; refresh: () => Promise<void>; me: Me };

function Courses({ data, refresh, me }: CoursesProps) {
  const t = useTranslations('learner');
  const { items, certificates, enrolments } = data;
  const query = new URLSearchParams(location.search);
  const courseId = query.get('course');
  const sought = courseId === null ? null : soughtId(data, courseId);
  const notEnrolled = courseId !== null && sought === null && <NotEnrolled courseId={courseId} me={me} />;
  if (items.length === 0 && certificates.length === 0)
    return (
      notEnrolled || (
        <div className="nothing">
          <h2>{t('noCourses')}</h2>
          <p>{t('noCoursesText')}</p>
        </div>
      )
    );
  const inSection = (section: Section) => items.filter((item) => sectionOf(item) === section);
  const open = inSection('open').sort(byUrgency);
  const sections: [Section, Item[]][] = [
    ['open', open],
    ['done', inSection('done').sort(byLastUse)],
    ['ended', inSection('ended').sort(byLastUse)],
  ];
  const leftId = query.get('left');
  const left = enrolments.find(({ EnrollID }) => EnrollID === leftId);
  const next = open.find(({ enrolment }) => enrolment?.LaunchURL && enrolment.EnrollID !== leftId)?.enrolment;
  return (
    <>
      {notEnrolled}
      {left && (
        <Acknowledgement
          enrolment={left}
          next={next ?? null}
          certificate={certificates.find(({ EnrollID }) => EnrollID === leftId) ?? null}
          refresh={refresh}
        />
      )}
      {sections.map(
        ([section, shown]) =>
          shown.length > 0 && (
            <section key={section} aria-label={t(titles[section])}>
              <h2>{t(titles[section])}</h2>
              <div className="cards">
                {shown.map((item) => (
                  <CourseCard
                    key={item.key}
                    item={item}
                    section={section}
                    isSought={sought !== null && item.enrolment?.EnrollID === sought}
                  />
                ))}
              </div>
            </section>
          ),
      )}
      <Certificates certificates={certificates} />
    </>
  );
}
