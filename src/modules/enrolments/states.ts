export const statuses = ['enrolled', 'in_progress', 'completed', 'expired', 'withdrawn'] as const;
export type Status = (typeof statuses)[number];

/** What can happen to an enrolment. `restore` leads back to the status before the end. */
export type Action = 'launch' | 'complete' | 'expire' | 'withdraw' | 'restore';

/** The one list of transitions. An action that is missing leaves the status as it is. */
const transitions: Record<Status, Partial<Record<Action, Status | 'status_before_end'>>> = {
  enrolled: { launch: 'in_progress', complete: 'completed', expire: 'expired', withdraw: 'withdrawn' },
  in_progress: { complete: 'completed', expire: 'expired', withdraw: 'withdrawn' },
  completed: { withdraw: 'withdrawn' },
  expired: { complete: 'completed', withdraw: 'withdrawn', restore: 'status_before_end' },
  withdrawn: { restore: 'status_before_end' },
};

export function nextStatus(
  row: { status: string; status_before_end: string | null },
  action: Action,
): Status {
  const from = row.status as Status;
  const to = transitions[from][action];
  if (to === undefined) return from;
  return to === 'status_before_end' ? ((row.status_before_end as Status | null) ?? 'enrolled') : to;
}

/** SQL: the status of `alias` after the action. */
export function statusAfter(alias: string, action: Action): string {
  const cases = statuses.flatMap((from) => {
    const to = transitions[from][action];
    if (to === undefined) return [];
    return `when '${from}' then ${to === 'status_before_end' ? `${alias}.status_before_end` : `'${to}'`}`;
  });
  return `(case ${alias}.status ${cases.join(' ')} else ${alias}.status end)`;
}

/** The status as of now: what is not completed expires when its time ends, whether or not anything noted it. */
export function statusAt(
  row: { status: string; status_before_end: string | null; expires_at: Date | null },
  now: Date,
): Status {
  return row.expires_at !== null && row.expires_at <= now
    ? nextStatus(row, 'expire')
    : (row.status as Status);
}

/** SQL of the same. */
export function statusAtSql(alias: string, now: string): string {
  return `(case when ${alias}.expires_at <= ${now} then ${statusAfter(alias, 'expire')} else ${alias}.status end)`;
}
