import { Badge, Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { Instant, Note } from '../../parts/values.tsx';
import { UserName } from '../users/person.tsx';

export type EnrolmentKey = components['schemas']['EnrolmentKey'];
export type NewKeys = components['schemas']['NewEnrolmentKeys'];
export type CreatedKey = components['schemas']['IssuedEnrolmentKeys']['Items'][number];
type Status = EnrolmentKey['Status'];

export const statuses = [
  'available',
  'scheduled',
  'redeemed',
  'expired',
  'revoked',
] as const satisfies readonly Status[];

const colors: Record<Status, string> = {
  available: 'green',
  scheduled: 'blue',
  redeemed: 'gray',
  expired: 'orange',
  revoked: 'red',
};

export function KeyStatusBadge({ status }: { status: Status }) {
  const t = useTranslations('keys');
  return <Badge color={colors[status]}>{t(`statuses.${status}`)}</Badge>;
}

/** The first characters of a key. The service shows the whole key only once, when it is created. */
export function KeyStart({ start }: { start: string }) {
  return (
    <Text span ff="monospace" size="sm" fw={600}>
      {start}…
    </Text>
  );
}

/** The offered course with this CourseID; undefined until it is loaded, or if it is no longer offered. */
export function useOffered(courseId: string | undefined) {
  const { $api } = useApi();
  const query = $api.useQuery(
    'get',
    '/catalogue/course',
    { params: { query: { Search: courseId ?? '', Limit: 50 } } },
    { enabled: courseId !== undefined, staleTime: 60_000 },
  );
  return { course: query.data?.Items.find(({ CourseID }) => CourseID === courseId), query };
}

export function CourseName({ courseId }: { courseId: string }) {
  const { course } = useOffered(courseId);
  return <span className="break">{course?.Title ?? courseId}</span>;
}

/** Who may redeem the key. */
export function Holder({
  enrolmentKey: { LoginID, Group },
}: {
  enrolmentKey: Pick<EnrolmentKey, 'LoginID' | 'Group'>;
}) {
  const t = useTranslations('keys');
  return (
    <Text size="sm" span className="break">
      {LoginID !== null ? (
        <UserName loginId={LoginID} />
      ) : Group === null ? (
        t('anybody')
      ) : (
        t('groupOf', { group: Group })
      )}
    </Text>
  );
}

/** Details of the status: valid until, expired since, or redeemed by. */
export function StatusText({ enrolmentKey }: { enrolmentKey: EnrolmentKey }) {
  const t = useTranslations('keys');
  const at = {
    available: enrolmentKey.ValidUntil,
    scheduled: enrolmentKey.ValidFrom,
    redeemed: enrolmentKey.RedeemedAt,
    expired: enrolmentKey.ValidUntil,
    revoked: enrolmentKey.RevokedAt,
  }[enrolmentKey.Status];
  return (
    <Note>
      {enrolmentKey.RedeemedBy !== null && (
        <>
          <UserName loginId={enrolmentKey.RedeemedBy} isInText />,{' '}
        </>
      )}
      {t.rich(`since.${enrolmentKey.Status}`, { at: () => <Instant at={at} isDay /> })}
    </Note>
  );
}
