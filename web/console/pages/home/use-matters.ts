import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import type { components } from '../../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { useSession } from '../../api/session.tsx';
import type { Matter } from './attention-list.tsx';

type Schemas = components['schemas'];

const most = 200;
const week = 7 * 86_400_000;

function useWebhookMatter() {
  const t = useTranslations('home');
  const format = useFormatter();
  return ({ WebhookID, URL, Status, DisabledReason, FailingSince }: Schemas['Webhook']): Matter[] => {
    const since =
      FailingSince && format.dateTime(new Date(FailingSince), { dateStyle: 'medium', timeStyle: 'short' });
    const text =
      Status === 'disabled'
        ? t(DisabledReason === 'failing' ? 'webhookStopped' : 'webhookDisabled')
        : since
          ? t('webhookFailing', { since })
          : null;
    const link = { to: '/console/webhooks/$webhookId', params: { webhookId: WebhookID } } as const;
    return text === null ? [] : [{ key: WebhookID, title: URL, text, act: t('openWebhook'), link }];
  };
}

/** A tenth of the seats, and no more than five. */
const areFew = (left: number, seats: number) => left <= Math.max(1, Math.min(5, seats / 10));

function useSeatMatter() {
  const t = useTranslations('home');
  return ({ CourseID, Title, AvailableEnrolOptions }: Schemas['Course']): Matter[] =>
    AvailableEnrolOptions.flatMap(({ DurationID, Name, Seats, SeatsLeft, Status }) => {
      if (Seats === null || SeatsLeft === null || Status !== 'published' || !areFew(SeatsLeft, Seats))
        return [];
      const link = { to: '/console/courses/$courseId', params: { courseId: CourseID } } as const;
      const text = t('fewSeats', { option: Name, left: SeatsLeft, seats: Seats });
      return [{ key: `${CourseID} ${DurationID}`, title: Title, text, act: t('openCourse'), link }];
    });
}

/** What of the tenant somebody should look at, the most urgent first. */
export function useMatters() {
  const t = useTranslations('home');
  const { $api } = useApi();
  const { Role } = useSession();
  const isOperator = Role === 'operator';
  const [soon] = useState(() => ({
    ExpiresAfter: new Date().toISOString(),
    ExpiresBefore: new Date(Date.now() + week).toISOString(),
  }));
  const ofWebhook = useWebhookMatter();
  const ofSeats = useSeatMatter();
  const query = { Limit: most };
  const webhooks = $api.useQuery('get', '/webhook', { params: { query } });
  const ending = $api.useQuery('get', '/enrolment', { params: { query: { ...query, ...soon } } });
  const offers = $api.useQuery('get', '/catalogue/course', { params: { query } });
  const courses = $api.useQuery('get', '/course', { params: { query } }, { enabled: isOperator });
  const asked = [webhooks, ending, offers, ...(isOperator ? [courses] : [])];
  const error = asked.find((one) => one.error)?.error ?? null;
  const isPending = asked.some((one) => one.isPending);

  const count = ending.data?.Items.length ?? 0;
  const endingMatter: Matter = {
    key: 'ending',
    title: t(ending.data?.NextCursor ? 'endingMany' : 'ending', { count }),
    text: t('endingText'),
    act: t('openEnrolments'),
    link: { to: '/console/enrolments', search: soon },
  };
  const warned = (courses.data?.Items ?? []).filter(
    ({ Status, Warnings }) => Status !== 'retired' && Warnings,
  );
  const matters = [
    ...(webhooks.data?.Items ?? []).flatMap(ofWebhook),
    ...(count > 0 ? [endingMatter] : []),
    ...(offers.data?.Items ?? []).flatMap(ofSeats),
    ...warned.map(
      ({ CourseID, Title, Warnings }): Matter => ({
        key: `warnings ${CourseID}`,
        title: Title,
        text: t('withWarnings', { count: Warnings ?? 0 }),
        act: t('openCourse'),
        link: { to: '/console/courses/$courseId', params: { courseId: CourseID } },
      }),
    ),
  ];
  return { matters, error, isPending, refetch: () => Promise.all(asked.map((one) => one.refetch())) };
}
