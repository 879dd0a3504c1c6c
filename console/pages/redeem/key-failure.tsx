import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useFormatter, useTranslations } from 'use-intl';
import { type Failure, toFailure } from '../../api/problem.ts';
import { useSession } from '../../api/session.tsx';
import { FailedAction } from '../../parts/states.tsx';

const codes = [
  'key_mistyped',
  'key_not_found',
  'key_throttled',
  'key_redeemed',
  'key_revoked',
  'key_expired',
  'key_not_yet_valid',
  'key_of_other_user',
  'key_of_other_group',
  'already_enrolled',
  'no_seats_left',
  'course_retired',
  'course_not_found',
  'option_not_found',
] as const;
type Code = (typeof codes)[number];

/** Course errors that mean the same to a learner. */
const sameText: Partial<Record<Code, 'course_retired'>> = {
  course_not_found: 'course_retired',
  option_not_found: 'course_retired',
};

const isKnown = (code: string): code is Code => codes.some((one) => one === code);

/** Whether the key itself is the problem. The field is then marked as invalid. */
export const isAboutKey = (error: unknown) => {
  const { code } = toFailure(error);
  return isKnown(code) && code !== 'key_throttled';
};

/** The time that the error's text mentions. If the error has no time, the current time is returned. */
function timeIn({ document, code }: Failure): Date {
  const { retryAfter, ValidFrom, ValidUntil } = document;
  if (code === 'key_throttled') return new Date(Date.now() + (Number(retryAfter) || 900) * 1000);
  return typeof (ValidFrom ?? ValidUntil) === 'string'
    ? new Date(String(ValidFrom ?? ValidUntil))
    : new Date();
}

/** Tells the learner why the key cannot be redeemed. */
export function KeyFailure({ error, id }: { error: unknown; id: string }) {
  const t = useTranslations('redeem.failures');
  const format = useFormatter();
  const { TenantName } = useSession();
  if (!error) return null;
  const failure = toFailure(error);
  const { code } = failure;
  if (!isKnown(code)) return <FailedAction error={error} />;
  const known = sameText[code] ?? (code as Exclude<Code, 'course_not_found' | 'option_not_found'>);
  const at = timeIn(failure);
  return (
    <Alert
      id={id}
      color="red"
      variant="light"
      role="alert"
      title={t(`${known}.title`)}
      icon={<IconAlertTriangle size={18} aria-hidden />}
    >
      {t(`${known}.text`, {
        tenant: TenantName ?? '',
        day: format.dateTime(at, { dateStyle: 'long' }),
        at: format.dateTime(at, { dateStyle: 'long', timeStyle: 'short' }),
        time: format.dateTime(at, { timeStyle: 'short' }),
      })}
    </Alert>
  );
}
