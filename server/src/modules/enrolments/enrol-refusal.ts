import { type ErrorCode, Problem } from '../../platform/errors.ts';
import { path } from '../../platform/http/routes.ts';
import { type OptionRow, toOption } from '../catalogue/options.ts';
import { courseNotFound } from '../catalogue/problems.ts';
import { userNotFound } from '../users/users.ts';
import type { Outcome } from './enrol-row.ts';

type EnrolInput = { loginId: string; courseId: string; durationId?: string };

/**
 * Error codes of every operation that enrols users. Errors about the choice of an option are listed
 * separately.
 */
export const enrolProblems = [
  'user_not_found',
  'user_disabled',
  'course_not_found',
  'course_retired',
  'no_seats_left',
  'too_many_enrolments',
  'already_enrolled',
] as const satisfies readonly ErrorCode[];

/**
 * Returns why the row was not enrolled. Returns null if the row was enrolled, or if another request changed
 * it first.
 */
export function refusalOf(outcome: Outcome, input: EnrolInput): Problem | null {
  if (!outcome.user_found) return userNotFound();
  if (outcome.course_status === null) return courseNotFound();
  if (!outcome.user_enabled)
    return new Problem('user_disabled', 'The user is disabled. Enable them with PUT /user/{LoginID} first.', {
      param: 'LoginID',
    });
  if (outcome.course_status === 'retired')
    return new Problem(
      'course_retired',
      'The course is retired and accepts no new enrolments. Choose another course.',
      {
        param: 'CourseID',
      },
    );
  if (outcome.action === 'limit')
    return new Problem(
      'too_many_enrolments',
      'The user has reached the maximum of 2,000 enrolments, including ended ones. Extend one of them with IfEnrolled set to extend.',
      { param: 'LoginID' },
    );
  if (outcome.is_full)
    return new Problem(
      'no_seats_left',
      'All seats of this enrolment option are taken. Choose another option, or ask the operator for more seats.',
      { param: 'DurationID' },
    );
  if (outcome.chosen !== null) return null;
  const offered = { AvailableEnrolOptions: outcome.options.map((option) => pathTo(option, input)) };
  if (input.durationId !== undefined)
    return new Problem(
      'option_not_found',
      'This user cannot choose an enrolment option with this DurationID. Use one from AvailableEnrolOptions.',
      { param: 'DurationID', ...offered },
    );
  if (outcome.options.length === 0)
    return new Problem(
      'no_enrolment_option',
      'The course has no enrolment option for this user. Ask the operator to publish one.',
      { param: 'CourseID' },
    );
  return new Problem(
    'multiple_enrolment_options',
    'multiple enrolment options found: repeat the request with a DurationID from AvailableEnrolOptions.',
    { param: 'DurationID', ...offered },
  );
}

function pathTo(option: OptionRow, input: EnrolInput) {
  return { ...toOption(option), Path: path`/enrol/${input.loginId}/${input.courseId}/${option.duration_id}` };
}
