import type { Evaluated } from './apply.ts';
import { type Because, type Reason, sentenceOf } from './because.ts';
import type { ObligationRow } from './evaluate.ts';
import type { PlannedChange } from './schemas.ts';
import { obligationStatusAt } from './status.ts';

const iso = (at: Date | null | undefined) => at?.toISOString() ?? null;
const day = (at: Date) => at.toISOString().slice(0, 10);
const because = (name: Because, Values: Reason['Values'] = {}): Reason => ({ Because: name, Values });

const closedReasons: readonly Because[] = ['left', 'retired', 'renewed', 'voided', 'not_needed'];

function openedBecause(row: ObligationRow): Reason {
  if (row.follows) return because('window');
  if (row.assigned_on === null) return because('repeat');
  return row.met_at === null ? because('joined') : because('joined_completed', { day: day(row.met_at) });
}

/** The differences for one user, each with its reason. */
export const planOf =
  (now: Date) =>
  ({ member, before, after }: Evaluated): PlannedChange[] => {
    return after.flatMap((row): PlannedChange[] => {
      const old = before.find(({ obligation_id }) => obligation_id === row.obligation_id);
      const change = changeOf(old, row);
      if (!change) return [];
      const [Change, reason] = change;
      return [
        {
          ...{
            LoginID: member.login_id,
            Change,
            Status: obligationStatusAt(row, now),
            Reason: sentenceOf(reason),
            ...reason,
          },
          ...{ DueAt: iso(row.due_at), DueAtBefore: iso(old?.due_at) },
          ...{ ValidUntil: iso(row.valid_until), ValidUntilBefore: iso(old?.valid_until) },
        },
      ];
    });
  };

function changeOf(
  old: ObligationRow | undefined,
  row: ObligationRow,
): [PlannedChange['Change'], Reason] | null {
  if (!old) return ['open', openedBecause(row)];
  if (row.closed_at !== null)
    return old.closed_at === null
      ? ['close', because(closedReasons.find((one) => one === row.closed_reason) ?? 'ends')]
      : null;
  if (old.met_at === null && row.met_at !== null) return ['meet', because('met', { day: day(row.met_at) })];
  if (old.met_at !== null && row.met_at === null) return ['reopen', because('reopened')];
  if (Number(old.due_at) !== Number(row.due_at) && row.met_at === null)
    return ['move', because('due_moved', { day: day(row.due_at), before: day(old.due_at) })];
  const { valid_until: until } = row;
  const { valid_until: before } = old;
  if (Number(before) === Number(until)) return null;
  if (until === null) return ['move', because('validity_permanent', before ? { before: day(before) } : {})];
  if (before === null) return ['move', because('validity_ends', { day: day(until) })];
  return ['move', because('validity_moved', { day: day(until), before: day(before) })];
}
