import { dayOf, firstInstant } from '../../lib/days.ts';
import type { Rule } from './schemas.ts';
import { isExemptionOver, type ObligationStatus } from './status.ts';
import { dueDates, dueDay, termDates } from './terms.ts';

export type ClosedReason = 'left' | 'retired' | 'renewed' | 'exempt' | 'voided' | 'not_needed' | 'erased';

/** One user's share of a requirement in one cycle, as stored. */
export type ObligationRow = {
  obligation_id: string;
  requirement_id: string;
  user_id: string;
  cycle: number;
  /** The previous cycle is still shown, because its completion counts or because this one is not met yet. */
  follows: boolean;
  /** The day from which DueAfter counts; null if the due date does not follow from it. */
  assigned_on: string | null;
  /** Completions from then on count; null: all. */
  counts_from: Date | null;
  opened_at: Date;
  due_at: Date;
  due_soon_at: Date;
  met_at: Date | null;
  met_by: string | null;
  external: boolean;
  /** The day from which the term counts, and how many periods after it the term ends. */
  term_start: string | null;
  term: number;
  valid_until: Date | null;
  expiring_at: Date | null;
  exempt_at: Date | null;
  /** The last second of the exemption; null: until somebody ends it. */
  exempt_until: Date | null;
  exempt_reason: string | null;
  left_at: Date | null;
  closed_at: Date | null;
  closed_reason: ClosedReason | null;
  enroll_id: string | null;
  enrol_problem: string | null;
  /** The status of which the last event told. */
  announced: ObligationStatus;
  /** When the status changes next, or another step is due. */
  next_change_at: Date | null;
  /** As last seen. */
  group_names: string[];
  manager_login_id: string | null;
  attributes: Record<string, string>;
};

/** A result that satisfies the requirement, of an enrolment or from elsewhere. */
export type Completion = {
  id: string;
  external: boolean;
  at: Date;
  voided: boolean;
  /** When its certificate ends; null if it has none, or one without end. */
  certified: Date | null;
};

export type Evaluation = {
  rule: Rule;
  zone: string;
  now: Date;
  isMember: boolean;
  /** All cycles of the user, by number. */
  rows: readonly ObligationRow[];
  /** By time. */
  completions: readonly Completion[];
  identify: () => Pick<ObligationRow, 'obligation_id' | 'requirement_id' | 'user_id'>;
};

/**
 * The cycles as they should be at this time. It depends on nothing else, so it may run at any time, for a plan too. At
 * most two cycles are open: the present one, and during and after its window the one that follows.
 */
export function evaluate(input: Evaluation): ObligationRow[] {
  const rows = input.rows.map((row) => ({ ...row }));
  const open = rows.filter((row) => row.closed_at === null);
  for (const row of open)
    if (isExemptionOver(row, input.now))
      Object.assign(row, { exempt_at: null, exempt_until: null, exempt_reason: null });
  if (!input.isMember) leave(input, open);
  else stay(input, rows, open);
  for (const row of rows) row.next_change_at = nextChange(input, row, rows);
  return rows;
}

function close(row: ObligationRow, now: Date, reason: ClosedReason): void {
  row.closed_at = now;
  row.closed_reason = reason;
}

/** What is open is closed. What was completed stays on record until it expires, and nothing follows it. */
function leave(input: Evaluation, open: readonly ObligationRow[]): void {
  const { now, rule } = input;
  const reason = rule.Status === 'retired' ? 'retired' : 'left';
  for (const [n, row] of open.entries()) {
    // The user may have completed it since the last look.
    if (row.exempt_at === null && row.left_at === null) settle(input, row, open[n - 1] ?? null);
    if (row.met_at === null || row.exempt_at !== null || hasExpired(row, now)) close(row, now, reason);
    else row.left_at ??= now;
  }
}

const hasExpired = ({ valid_until }: ObligationRow, now: Date) => valid_until !== null && valid_until < now;

function stay(input: Evaluation, rows: ObligationRow[], open: readonly ObligationRow[]): void {
  const { now } = input;
  for (const row of open) {
    if (row.left_at !== null && hasExpired(row, now)) close(row, now, 'left');
    row.left_at = null;
  }
  const [first, second] = open.filter((row) => row.closed_at === null);
  let current = first ?? assign(input, rows);
  let next = second;
  while (current.exempt_at === null) {
    if (current.assigned_on !== null)
      Object.assign(current, dueDates(input.rule, dueDay(input.rule, current.assigned_on), input.zone));
    const was = { ...current };
    if (!settle(input, current, null)) {
      if (next) close(next, now, 'not_needed');
      if (!input.completions.some(({ id, voided }) => id === was.met_by && voided)) return;
      Object.assign(current, was);
      close(current, now, 'voided');
      next = undefined;
      current = reassign(input, rows);
      continue;
    }
    const { opens } = termOf(input, current);
    if (opens === null || opens > now) {
      if (next) close(next, now, 'not_needed');
      return;
    }
    next ??= renew(input, rows, current);
    if (next.exempt_at !== null) return;
    Object.assign(next, renewalDates(input, current, opens));
    if (!settle(input, next, current)) return;
    close(current, now, 'renewed');
    next.follows = false;
    current = next;
    next = undefined;
  }
}

function addRow(
  { identify, now }: Evaluation,
  rows: ObligationRow[],
  fields: Pick<ObligationRow, 'follows' | 'assigned_on' | 'counts_from' | 'due_at' | 'due_soon_at'> &
    Partial<ObligationRow>,
): ObligationRow {
  const row: ObligationRow = {
    ...identify(),
    cycle: (rows.at(-1)?.cycle ?? 0) + 1,
    opened_at: now,
    ...{ met_at: null, met_by: null, external: false, term_start: null, term: 1 },
    ...{ valid_until: null, expiring_at: null, exempt_at: null, exempt_until: null },
    ...{
      exempt_reason: null,
      left_at: null,
      closed_at: null,
      closed_reason: null,
      enroll_id: null,
      enrol_problem: null,
    },
    ...{ announced: 'not_due', next_change_at: null, group_names: [] },
    ...{ manager_login_id: null, attributes: {} },
    ...fields,
  };
  rows.push(row);
  return row;
}

/** The user has joined the audience. */
function assign(input: Evaluation, rows: ObligationRow[]): ObligationRow {
  const { rule, zone, now } = input;
  const earlier = rule.CountsEarlier;
  const since = rows[0]?.opened_at ?? now;
  const assigned_on = dayOf(now, zone);
  return addRow(input, rows, {
    follows: false,
    assigned_on,
    counts_from: typeof earlier === 'string' ? firstInstant(earlier, zone) : earlier ? null : since,
    ...dueDates(rule, dueDay(rule, assigned_on), zone),
  });
}

/** The completion was declared void, so the user has to repeat the course. A fixed day that has passed is today. */
function reassign(input: Evaluation, rows: ObligationRow[]): ObligationRow {
  const { rule, zone, now } = input;
  const today = dayOf(now, zone);
  const due = dueDay(rule, today);
  return addRow(input, rows, {
    follows: false,
    assigned_on: null,
    counts_from: null,
    ...dueDates(rule, due < today ? today : due, zone),
  });
}

const renewalDates = ({ rule, zone }: Evaluation, current: ObligationRow, opens: Date) => ({
  counts_from: opens,
  ...dueDates(rule, dayOf(current.valid_until ?? opens, zone), zone),
});

/** The window before the end of a term has begun. */
function renew(input: Evaluation, rows: ObligationRow[], current: ObligationRow): ObligationRow {
  const opens = current.valid_until ?? input.now;
  return addRow(input, rows, {
    follows: true,
    assigned_on: null,
    ...renewalDates(input, current, opens),
  });
}

/** Finds what satisfies the row, and sets the dates that follow from it. Returns whether it is satisfied. */
function settle(input: Evaluation, row: ObligationRow, previous: ObligationRow | null): boolean {
  const found = satisfying(input, row, previous);
  if (!found) {
    Object.assign(row, { met_at: null, met_by: null, external: false, term_start: null, term: 1 });
    Object.assign(row, { valid_until: null, expiring_at: null });
    return false;
  }
  if (row.met_by !== found.id) {
    row.met_at = found.at;
    row.met_by = found.id;
    row.external = found.external;
    const { rule, zone } = input;
    const isInTime = previous !== null && previous.valid_until !== null && found.at <= previous.valid_until;
    const continues = rule.CountsFrom === 'expiry' && rule.ValidFor !== null && isInTime;
    row.term_start = continues ? previous.term_start : dayOf(found.at, zone);
    row.term = continues ? previous.term + 1 : 1;
  }
  const { valid_until, expiring_at } = termOf(input, row, found.certified);
  Object.assign(row, { valid_until, expiring_at });
  return true;
}

function termOf({ rule, zone }: Evaluation, row: ObligationRow, certified = row.valid_until) {
  const metOn = dayOf(row.met_at ?? row.opened_at, zone);
  return termDates(rule, { start: row.term_start ?? metOn, terms: row.term, metOn, certified }, zone);
}

/** The present completion stays as long as it exists. Otherwise: the latest one before the assignment that was still valid then, or else the first one since. */
function satisfying(
  { rule, zone, now, completions }: Evaluation,
  row: ObligationRow,
  previous: ObligationRow | null,
): Completion | undefined {
  const counting = completions.filter(({ at, voided }) => !voided && at <= now);
  const present = counting.find(({ id }) => id === row.met_by);
  if (present) return present;
  const from = row.counts_from;
  const candidates = counting.filter(
    ({ id, at }) => (from === null || at >= from) && id !== previous?.met_by,
  );
  if (previous) {
    const { met_at } = previous;
    return candidates.find(({ at }) => met_at === null || at > met_at);
  }
  const earlier = candidates.filter(({ at, certified }) => {
    if (at > row.opened_at) return false;
    const day = dayOf(at, zone);
    const { valid_until } = termDates(rule, { start: day, terms: 1, metOn: day, certified }, zone);
    return valid_until === null || valid_until >= row.opened_at;
  });
  return earlier.at(-1) ?? candidates.find(({ at }) => at > row.opened_at);
}

/** When something that lasts until this last second is over. */
export const afterLastSecond = (at: Date | null) => (at === null ? null : new Date(at.getTime() + 1));

function nextChange(input: Evaluation, row: ObligationRow, rows: readonly ObligationRow[]): Date | null {
  if (row.closed_at !== null) return null;
  if (row.exempt_at !== null) return afterLastSecond(row.exempt_until);
  const { now } = input;
  const isFollowed = rows.some((other) => other.follows && other.closed_at === null && other !== row);
  const times =
    row.met_at === null
      ? [row.due_soon_at, afterLastSecond(row.due_at)]
      : [
          row.expiring_at,
          afterLastSecond(row.valid_until),
          isFollowed || row.left_at !== null ? null : termOf(input, row).opens,
        ];
  const later = times.flatMap((at) => (at !== null && at > now ? [at.getTime()] : []));
  return later.length === 0 ? null : new Date(Math.min(...later));
}

/** Whether the row differs from what is stored, apart from when it is looked at next. */
export function hasMoved(before: ObligationRow | undefined, row: ObligationRow): boolean {
  if (!before) return true;
  const seen: readonly (keyof ObligationRow)[] = [
    ...(['follows', 'due_at', 'due_soon_at', 'met_at', 'valid_until', 'expiring_at'] as const),
    ...(['exempt_at', 'exempt_until', 'left_at', 'closed_at'] as const),
  ];
  return seen.some((name) => Number(before[name]) !== Number(row[name]));
}
