import { chooses } from './facts.ts';

/**
 * What was done for a row. `keep`: the current enrolment is answered. `replace`: one whose time had ended was ended,
 * and a new one begun. `refuse`: the facts say why. `again`: it was changed by others meanwhile, or the seats are
 * full.
 */
export type Act = 'keep' | 'create' | 'replace' | 'renew' | 'extend' | 'refuse' | 'again';

/** What to do for each row, by its facts and the locked enrolment. */
export const step = `step as materialized (
  select fact.*, case
    when not ${chooses} then 'refuse'
    when fact.current_id is not null and not fact.lapsed and fact.if_enrolled in ('return', 'fail') then 'keep'
    when fact.former_id is null then 'create'
    when former.enroll_id is null then 'again'
    when fact.if_enrolled = 'extend' then 'extend'
    when former.lapsed then 'replace'
    when fact.if_enrolled = 'renew' then 'renew'
    else 'again' end as act
  from fact left join former on former.enroll_id = fact.former_id
)`;

/** SQL: the row begins an enrolment. */
export const begins = (row: string): string => `${row}.act in ('create', 'replace', 'renew')`;
