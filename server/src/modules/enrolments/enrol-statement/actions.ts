import { chooses } from './facts.ts';

/**
 * The action for a row. `keep`: return the current enrolment. `replace`: end an expired enrolment and create a new one.
 * `refuse`: the facts give the reason. `again`: another request changed the row in the meantime, or no seats are left.
 */
export type EnrolAction = 'keep' | 'create' | 'replace' | 'renew' | 'extend' | 'refuse' | 'again';

/** The action for each row, based on its facts and the locked enrolment. */
export const step = `step as materialized (
  select fact.*, case
    when not ${chooses} then 'refuse'
    when fact.current_id is not null and not fact.lapsed and fact.if_enrolled in ('return', 'fail') then 'keep'
    when fact.former_id is null then 'create'
    when former.enroll_id is null then 'again'
    when fact.if_enrolled = 'extend' then 'extend'
    when former.lapsed then 'replace'
    when fact.if_enrolled = 'renew' then 'renew'
    else 'again' end as action
  from fact left join former on former.enroll_id = fact.former_id
)`;

/** SQL: the row creates an enrolment. */
export const createsEnrolment = (row: string): string => `${row}.action in ('create', 'replace', 'renew')`;
