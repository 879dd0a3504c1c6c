import type { components, operations } from '../client/src/generated.ts';
import type { Shared } from '../scorm/sequencing/session.ts';
import type { CourseTree, Evidence, RunTimeData } from '../standards/types.ts';

type Records = components['schemas'];

/** Types that the API does not specify but `standards` defines. */
type Defined = {
  Tree: CourseTree;
  Data: Record<string, RunTimeData>;
  Evidence: Record<string, Evidence>;
  Shared: Required<Shared>;
};

export type Session = Omit<Records['PlayerSession'], keyof Defined> & Defined;
export type Commit = Records['Commit'];
export type Receipt = Records['Receipt'];
export type OpenedUnit = Records['OpenedUnit'];
export type SessionResults = Omit<Records['Results'], 'Evidence'> & { Evidence: Record<string, Evidence> };

/** The reason why the session of an open page has ended. */
export type SessionEnd = NonNullable<Receipt['Ended']>;

type Rejection = operations['commit']['responses'][
  | 403
  | 409
  | 410
  | 422]['content']['application/problem+json'];
/**
 * Codes that are not final. The commit may still be accepted later, in another session, with another number, or whole.
 * `course_not_playable` concerns only previews and reviews, whose commits are never stored.
 */
type TemporaryRejection =
  | 'commit_base_unknown'
  | 'commit_number_ahead'
  | 'course_not_playable'
  | 'session_ended'
  | 'tenant_suspended'
  | 'unknown_field';

/** Codes for commits that are rejected permanently. */
export type CommitRejection = Exclude<NonNullable<Rejection['code']>, TemporaryRejection>;
