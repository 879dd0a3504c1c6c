export const statuses = ['enrolled', 'in_progress', 'completed', 'expired', 'withdrawn'] as const;
export type Status = (typeof statuses)[number];

/**
 * Actions on an enrolment. `complete` and `reopen` follow the effective result, which an override may reverse;
 * `restore` returns to the status before the end.
 */
export type Action = 'launch' | 'complete' | 'reopen' | 'expire' | 'withdraw' | 'restore';

/** All transitions. An action without an entry leaves the status unchanged. */
const transitions: Record<
  Status,
  Partial<Record<Action, Status | 'status_before_end' | 'before_completion'>>
> = {
  enrolled: { launch: 'in_progress', complete: 'completed', expire: 'expired', withdraw: 'withdrawn' },
  in_progress: { complete: 'completed', expire: 'expired', withdraw: 'withdrawn' },
  completed: { reopen: 'before_completion', withdraw: 'withdrawn' },
  expired: { complete: 'completed', withdraw: 'withdrawn', restore: 'status_before_end' },
  withdrawn: { restore: 'status_before_end' },
};

type StatusFacts = { status: Status; status_before_end: Status | null; started_at: Date | null };

export function nextStatus(row: StatusFacts, action: Action): Status {
  const from = row.status;
  const to = transitions[from][action];
  if (to === undefined) return from;
  if (to === 'before_completion') return row.started_at === null ? 'enrolled' : 'in_progress';
  return to === 'status_before_end' ? (row.status_before_end ?? 'enrolled') : to;
}

/** SQL: the status of `alias` after the action. */
export function statusAfter(alias: string, action: Action): string {
  const targets: Record<string, string> = {
    status_before_end: `coalesce(${alias}.status_before_end, 'enrolled')`,
    before_completion: `case when ${alias}.started_at is null then 'enrolled' else 'in_progress' end`,
  };
  const cases = statuses.flatMap((from) => {
    const to = transitions[from][action];
    return to === undefined ? [] : `when ${alias}.status = '${from}' then ${targets[to] ?? `'${to}'`}`;
  });
  return `(case ${cases.join(' ')} else ${alias}.status end)`;
}

/** The status that follows from the completion in the effective result. */
export function statusFollowing(row: StatusFacts, completion: string): Status {
  return nextStatus(row, completion === 'completed' ? 'complete' : 'reopen');
}

/** The current status: an uncompleted enrolment expires when its time is up, whether or not a job has recorded it. */
export function statusAt(row: StatusFacts & { expires_at: Date | null }, now: Date): Status {
  return row.expires_at !== null && row.expires_at <= now ? nextStatus(row, 'expire') : row.status;
}

/** `statusAt` in SQL. */
export function statusAtSql(alias: string, now: string): string {
  return `(case when ${alias}.expires_at <= ${now} then ${statusAfter(alias, 'expire')} else ${alias}.status end)`;
}
