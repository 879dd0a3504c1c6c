import { NumberInput, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { dataOf } from '../../api/data.ts';
import { nameOf } from '../../api/session.tsx';
import { ChangeDialog, type Step } from '../../parts/change-dialog.tsx';
import { useDayValue } from '../../parts/day-zone.ts';
import { EndOf, type ListedEnrolment } from './values.tsx';

type Body = components['schemas']['EnrolmentChange'] | 'renew';
type Row = Pick<
  ListedEnrolment,
  'LoginID' | 'EnrollID' | 'CourseID' | 'DurationID' | 'CourseTitle' | 'Status' | 'ExpiresAt'
> & { FirstName?: string | null; LastName?: string | null };

const choices = ['days', 'day', 'never', 'renew', 'withdraw', 'restore'] as const;
export type AccessChoice = (typeof choices)[number];

const usualDays = 30;
const maxDays = 3650;
const dayMilliseconds = 86_400_000;

/** Access that has ended starts again now. */
function endAfter(ExpiresAt: string, days: number, now: number): string {
  return new Date(Math.max(Date.parse(ExpiresAt), now) + days * dayMilliseconds).toISOString();
}

type Props = {
  title: string;
  read: () => Promise<readonly Row[]>;
  /** The enrolment, if the dialog is about a single one. */
  only?: Row;
  initial?: AccessChoice;
  onClose: () => void;
};

/** Until when learners have access: extend it, set its end, start over, withdraw it or undo the withdrawal. */
export function AccessDialog({ title, read, only, initial, onClose }: Props) {
  const t = useTranslations('enrolments');
  const { client } = useApi();
  const dayOf = useDayValue();
  const [choice, setChoice] = useState<AccessChoice>(
    initial ?? (only?.Status === 'withdrawn' ? 'restore' : only?.ExpiresAt === null ? 'day' : 'days'),
  );
  const [days, setDays] = useState<number | string>(usualDays);
  // The end that is extended does not move while the dialog is open.
  const [now] = useState(Date.now);
  const [day, setDay] = useState(() => dayOf(new Date(now + usualDays * dayMilliseconds).toISOString()));
  // Typing another day than the one that follows from the days chooses it.
  const extended =
    choice === 'days' && only?.ExpiresAt && Number(days) > 0
      ? dayOf(endAfter(only.ExpiresAt, Number(days), now))
      : null;
  const offered = choices.filter((one) => {
    if (!only) return true;
    if (one === 'withdraw' || one === 'restore') return (one === 'restore') === (only.Status === 'withdrawn');
    return one === 'renew' || only.Status !== 'withdrawn';
  });

  function planOf({ Status, ExpiresAt }: Row): Step<Body> {
    const isWithdrawn = Status === 'withdrawn';
    if (choice === 'withdraw') return isWithdrawn ? null : { body: { Withdrawn: true } };
    if (choice === 'restore') return isWithdrawn ? { body: { Withdrawn: false } } : null;
    if (choice === 'renew') return { body: 'renew' };
    if (isWithdrawn) return { refused: t('access.isWithdrawn') };
    if (choice === 'never') return ExpiresAt === null ? null : { body: { ExpiresAt: null } };
    if (choice === 'days')
      return ExpiresAt === null || !(Number(days) > 0)
        ? null
        : { body: { ExpiresAt: endAfter(ExpiresAt, Number(days), now) } };
    if (day === '') return null;
    // The same day for many does not shorten anyone's access.
    const isLater = ExpiresAt === null || dayOf(ExpiresAt) >= day;
    return !only && isLater ? null : { body: { ExpiresAt: day } };
  }

  const send = ({ LoginID, EnrollID, CourseID, DurationID }: Row, body: Body) =>
    body === 'renew'
      ? dataOf(
          client.POST('/enrol/{LoginID}/{CourseID}/{DurationID}', {
            params: { path: { LoginID, CourseID, DurationID } },
            body: { IfEnrolled: 'renew' },
          }),
        )
      : dataOf(
          client.PUT('/enrolment/{LoginID}/{EnrollID}', { params: { path: { LoginID, EnrollID } }, body }),
        );

  const undoOf = ({ Status, ExpiresAt }: Row): Body =>
    choice === 'withdraw' || choice === 'restore' ? { Withdrawn: Status === 'withdrawn' } : { ExpiresAt };

  return (
    <ChangeDialog
      title={title}
      read={read}
      nameOf={(row) =>
        t('nameOf', { user: nameOf({ FirstName: null, LastName: null, ...row }), course: row.CourseTitle })
      }
      planOf={planOf}
      send={send}
      undoOf={choice === 'renew' ? undefined : undoOf}
      submit={t(`access.submit.${choice}`)}
      isDangerous={choice === 'withdraw'}
      onClose={onClose}
    >
      {only && (
        <Text size="sm">
          {t('end.now')} <EndOf at={only.ExpiresAt} />
        </Text>
      )}
      <Radio.Group
        label={t('access.label')}
        value={choice}
        onChange={(value) => setChoice(value as AccessChoice)}
      >
        <Stack gap="sm" mt="xs">
          {offered.map((one) => (
            <Radio
              key={one}
              value={one}
              label={t(`access.choices.${one}`)}
              description={one === 'never' ? undefined : t(`access.texts.${one}`)}
            />
          ))}
        </Stack>
      </Radio.Group>
      {choice === 'days' && (
        <NumberInput
          label={t('access.days')}
          min={1}
          max={maxDays}
          allowDecimal={false}
          required
          value={days}
          onChange={setDays}
          maw={200}
        />
      )}
      {(choice === 'day' || extended !== null) && (
        <TextInput
          type="date"
          label={t('end.day')}
          description={t('end.dayText')}
          required
          value={extended ?? day}
          onChange={(event) => {
            setDay(event.currentTarget.value);
            setChoice('day');
          }}
          maw={260}
        />
      )}
    </ChangeDialog>
  );
}
