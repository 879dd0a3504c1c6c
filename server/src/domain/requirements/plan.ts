import type { Evaluated } from './apply.ts';
import type { ObligationRow } from './evaluate.ts';
import type { PlannedChange } from './schemas.ts';

const iso = (at: Date | null | undefined) => at?.toISOString() ?? null;
const day = (at: Date | null) => at?.toISOString().slice(0, 10) ?? 'no date';

const closedReasons: Record<string, string> = {
  left: 'The user no longer belongs to the audience.',
  retired: 'The requirement is retired.',
  renewed: 'A new completion already satisfies the next cycle.',
  voided: 'The completion no longer counts.',
  not_needed: 'The previous completion counts for longer, or not at all.',
};

function openedBecause(row: ObligationRow): string {
  if (row.follows) return 'The window before the end of the present term has begun.';
  if (row.assigned_on === null)
    return 'The earlier completion no longer counts, so the course must be repeated.';
  if (row.met_at !== null)
    return `The user belongs to the audience and already completed the course on ${day(row.met_at)}.`;
  return 'The user belongs to the audience.';
}

/** The differences for one user, each with its reason. */
export function planOf({ member, before, after }: Evaluated): PlannedChange[] {
  return after.flatMap((row): PlannedChange[] => {
    const old = before.find(({ obligation_id }) => obligation_id === row.obligation_id);
    const change = changeOf(old, row);
    if (!change) return [];
    const [Change, Reason] = change;
    return [
      {
        ...{ LoginID: member.login_id, Change, Reason },
        ...{ DueAt: iso(row.due_at), DueAtBefore: iso(old?.due_at) },
        ...{ ValidUntil: iso(row.valid_until), ValidUntilBefore: iso(old?.valid_until) },
      },
    ];
  });
}

function changeOf(
  old: ObligationRow | undefined,
  row: ObligationRow,
): [PlannedChange['Change'], string] | null {
  if (!old) return ['open', openedBecause(row)];
  if (row.closed_at !== null)
    return old.closed_at === null ? ['close', closedReasons[row.closed_reason ?? ''] ?? 'It ends.'] : null;
  if (old.met_at === null && row.met_at !== null)
    return ['meet', `The completion of ${day(row.met_at)} satisfies it.`];
  if (old.met_at !== null && row.met_at === null)
    return ['reopen', 'The completion that satisfied it no longer counts.'];
  if (Number(old.due_at) !== Number(row.due_at) && row.met_at === null)
    return ['move', `It is due on ${day(row.due_at)} instead of ${day(old.due_at)}.`];
  if (Number(old.valid_until) !== Number(row.valid_until))
    return [
      'move',
      `The completion counts until ${day(row.valid_until)} instead of ${day(old.valid_until)}.`,
    ];
  return null;
}
