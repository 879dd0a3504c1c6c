import { useFormatter, useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useSession } from '../../api/session.tsx';
import type { AttentionItem } from './attention-list.tsx';
import { type Overview, useOverview } from './use-overview.ts';

type Attention = Overview['Attention'];

/** The date of the following day in the viewer's time zone. */
function dayAfter(instant: string): string {
  const at = new Date(instant);
  const day = new Date(at.getFullYear(), at.getMonth(), at.getDate() + 1, 12);
  return day.toISOString().slice(0, 10);
}

function useWebhookItems() {
  const t = useTranslations('home');
  const format = useFormatter();
  return ({ Webhooks, FailedDeliveries }: Attention): AttentionItem[] => {
    const endpoints = (Webhooks ?? []).map(({ WebhookID, URL, Status, FailingSince }): AttentionItem => {
      const since =
        FailingSince && format.dateTime(new Date(FailingSince), { dateStyle: 'medium', timeStyle: 'short' });
      const failing = since ? t('webhookFailing', { since }) : t('webhookFails');
      return {
        key: WebhookID,
        title: URL,
        text: Status === 'disabled' ? t('webhookStopped') : failing,
        act: t('openWebhook'),
        link: { to: '/console/webhooks/$webhookId', params: { webhookId: WebhookID } },
      };
    });
    if (!FailedDeliveries) return endpoints;
    const given: AttentionItem = {
      key: 'deliveries',
      title: t('givenUp', { count: FailedDeliveries }),
      text: t('givenUpText'),
      act: t('openWebhooks'),
      link: { to: '/console/webhooks' },
    };
    return [...endpoints, given];
  };
}

function useLearningItems() {
  const t = useTranslations('home');
  return ({ Expiring, Seats }: Attention): AttentionItem[] => {
    const { Enrolments: count, More, Until } = Expiring;
    const ending: AttentionItem = {
      key: 'ending',
      title: t(More ? 'endingMany' : 'ending', { count }),
      text: t('endingText'),
      act: t('openEnrolments'),
      link: { to: '/console/enrolments', search: { before: dayAfter(Until) } },
    };
    const scarce = Seats.map(
      ({ CourseID, Title, DurationID, Name, Seats, SeatsLeft }): AttentionItem => ({
        key: `${CourseID} ${DurationID}`,
        title: Title,
        text: t('fewSeats', { option: Name, left: SeatsLeft, seats: Seats }),
        act: t('openCourse'),
        link: { to: '/console/courses/$courseId', params: { courseId: CourseID } },
      }),
    );
    return count > 0 ? [ending, ...scarce] : scarce;
  };
}

/** The courses whose packages have warnings; only the operator can import a new package. */
function useWarnedCourses() {
  const t = useTranslations('home');
  const { $api } = useApi();
  const enabled = useSession().Role === 'operator';
  const asked = $api.useQuery('get', '/course', { params: { query: { Limit: 200 } } }, { enabled });
  const warned = (asked.data?.Items ?? []).flatMap(
    ({ CourseID, Title, Status, Warnings }): AttentionItem[] => {
      if (Status === 'retired' || !Warnings) return [];
      const link = { to: '/console/courses/$courseId', params: { courseId: CourseID } } as const;
      const text = t('withWarnings', { count: Warnings });
      return [{ key: `warnings ${CourseID}`, title: Title, text, act: t('openCourse'), link }];
    },
  );
  return { warned, error: asked.error, isPending: enabled && asked.isPending, refetch: asked.refetch };
}

/** A directory whose sync waits for a confirmation. */
function useStoppedSync() {
  const t = useTranslations('home');
  const { $api } = useApi();
  const enabled = useSession().Scopes.includes('connections:write');
  const asked = $api.useQuery('get', '/provisioning', {}, { enabled });
  if (!asked.data?.StoppedAt) return [];
  const link = { to: '/console/single-sign-on' } as const;
  const text = t('syncStoppedText');
  return [{ key: 'sync', title: t('syncStopped'), text, act: t('openSync'), link }];
}

/** Issues of the tenant that need attention, most urgent first. */
export function useAttentionItems() {
  const overview = useOverview();
  const courses = useWarnedCourses();
  const stopped = useStoppedSync();
  const ofWebhooks = useWebhookItems();
  const ofLearning = useLearningItems();
  const attention = overview.data?.Attention;
  return {
    items: attention
      ? [...stopped, ...ofWebhooks(attention), ...ofLearning(attention), ...courses.warned]
      : [],
    error: overview.error ?? courses.error,
    isPending: overview.isPending || courses.isPending,
    refetch: () => Promise.all([overview.refetch(), courses.refetch()]),
  };
}
