import type { Evidence } from '../../../../standards/types.ts';
import { namesOf } from '../../platform/names-of.ts';
import type { Status } from './states.ts';

export const outcomes = [
  'not_started',
  'in_progress',
  'passed',
  'failed',
  'completed',
  'expired',
  'withdrawn',
] as const;
export type Outcome = (typeof outcomes)[number];

/** The outcomes that the result decides, whatever the status. */
export const results = ['passed', 'failed'] as const satisfies readonly Outcome[];

/** The outcome of an enrolment that has no result and is not completed. */
const ofStatus: Record<Status, Outcome> = {
  enrolled: 'not_started',
  in_progress: 'in_progress',
  completed: 'completed',
  expired: 'expired',
  withdrawn: 'withdrawn',
};

/** The result comes before the status, so that it outlives the end of access. */
export function outcomeOf(
  status: Status,
  { Success, Completion }: Pick<Evidence, 'Success' | 'Completion'>,
): Outcome {
  const result = results.find((one) => one === Success);
  return result ?? (Completion === 'completed' ? 'completed' : ofStatus[status]);
}

/** SQL: Success in the effective result. An index has this expression. */
export const successSql = (alias: string) => `coalesce(${alias}.override ->> 'Success', ${alias}.success)`;

const cases = Object.entries(ofStatus).map(([status, outcome]) => `when '${status}' then '${outcome}'`);

/** `outcomeOf` in SQL. */
export function outcomeSql(alias: string, status = `${alias}.status`): string {
  return `(case when ${successSql(alias)} in (${results.map((one) => `'${one}'`).join(', ')}) then ${successSql(alias)}
    when coalesce(${alias}.override ->> 'Completion', ${alias}.completion) = 'completed' then 'completed'
    else case ${status} ${cases.join(' ')} end end)`;
}

/** The statuses that an enrolment without a result can have if this is its outcome. */
export function statusesOf(outcome: Outcome): Status[] {
  const statuses = namesOf(ofStatus).filter((status) => ofStatus[status] === outcome);
  return outcome === 'completed' ? [...statuses, 'withdrawn'] : statuses;
}
