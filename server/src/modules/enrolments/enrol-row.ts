import type { OptionRow } from '../catalogue/options.ts';
import type { EnrolmentRow } from './record.ts';

/**
 * One row of the input. Each row causes at most two events: `first_event` ends an enrolment, and
 * `second_event` creates or extends one.
 */
export type EnrolRow = {
  enroll_id: string;
  first_event: string;
  second_event: string;
  login_id: string;
  course_id: string;
  duration_id: string | null;
  if_enrolled: 'return' | 'extend' | 'renew' | 'fail';
  /** Null if it was not sent, like the fields below. */
  expires_at: string | null;
  reference: string | null;
  metadata: Record<string, string> | null;
};

/**
 * The action taken for a row. `keep`: returned the current enrolment. `replace`: ended an expired one and
 * created another. `limit`: the user has the maximum number of enrolments. `refuse`: the data does not permit
 * the enrolment. `again`: another request changed the row, so the caller must retry.
 */
export type EnrolAction = 'keep' | 'create' | 'replace' | 'renew' | 'extend' | 'limit' | 'refuse' | 'again';

/**
 * The function's result for a row. If no enrolment was created, `enroll_id` is null and the other columns show the
 * reason.
 */
export type Outcome = {
  n: number;
  user_found: boolean;
  user_enabled: boolean | null;
  course_status: 'published' | 'retired' | null;
  course_title: string;
  /** The options that the user can choose; empty if one was chosen. */
  options: OptionRow[];
  chosen: string | null;
  action: EnrolAction;
  is_full: boolean;
} & ({ enroll_id: null } | EnrolmentRow);
