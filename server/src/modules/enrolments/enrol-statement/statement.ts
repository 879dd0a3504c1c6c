import type { OptionRow } from '../../catalogue/options.ts';
import type { EnrolmentRow } from '../record.ts';
import { type EnrolAction, step } from './actions.ts';
import { writtenEvents } from './events.ts';
import { fact, request } from './facts.ts';
import { former, holder, limited, unlimited } from './locks.ts';
import { isFull, seated } from './seats.ts';
import { counted, ended, extended, inserted } from './writes.ts';

/**
 * One row of the input. It causes at most two events: `first_event` ends an enrolment, `second_event` creates or
 * extends one.
 */
export type EnrolRow = {
  enroll_id: string;
  first_event: string;
  second_event: string;
  login_id: string;
  course_id: string;
  duration_id: string | null;
  if_enrolled: 'return' | 'extend' | 'renew' | 'fail';
  /** Null if it was not sent. */
  reference: string | null;
  metadata: Record<string, string> | null;
};

/** The statement's result for a row. `enroll_id` is null if no enrolment was made; the facts give the reason. */
export type Outcome = {
  n: number;
  user_found: boolean;
  user_enabled: boolean | null;
  course_status: 'published' | 'retired' | null;
  course_title: string;
  options: OptionRow[];
  chosen: string | null;
  action: EnrolAction;
  is_full: boolean | null;
} & ({ enroll_id: null } | EnrolmentRow);

/** The new, extended or current enrolment of each row. */
const enrolled = `enrolled as (
  select seated.n as of_row, inserted.* from inserted join seated on seated.enroll_id = inserted.enroll_id
  union all
  select seated.n, extended.* from extended
    join seated on seated.former_id = extended.enroll_id and seated.action = 'extend'
  union all
  select seated.n, enrolment.* from seated
    join enrolment on enrolment.tenant_id = $1 and enrolment.enroll_id = seated.current_id and seated.action = 'keep'
)`;

const answer = `select seated.n, seated.user_id is not null as user_found, seated.user_enabled, seated.course_status,
  seated.course_title, seated.options, seated.chosen, seated.action,
  ${isFull} as is_full, enrolled.*
from seated left join enrolled on enrolled.of_row = seated.n`;

const locksAndSeats = [limited, unlimited, seated, holder];
const writes = [ended, inserted, counted, extended];
const parts = [request, fact, former, step, ...locksAndSeats, ...writes, writtenEvents, enrolled];

/**
 * Enrols users of tenant $1 at time $3 in one round trip; $2 is an array of `EnrolRow`, each with its number `n`.
 * Returns a row for each: the facts, the action, and the new or current enrolment.
 */
export const enrolText = `
with ${parts.join(', ')}
${answer}`;
