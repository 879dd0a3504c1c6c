import type { TenantContext } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import { readOffer } from '../enrolments/enrol.ts';
import { enrolmentNotFound } from '../enrolments/record/record.ts';
import { type Explanation, partRuleCodes } from '../enrolments/record/schemas.ts';
import { explain } from '../enrolments/run-time/start.ts';
import { type KnownPath, readPathState } from './read-path.ts';
import type { PartState, StepState } from './roll-up.ts';

export type Part = Explanation['Parts'][number];
type PartRule = NonNullable<Part['Rule']>;

/** A course of a path with what a learner sees. */
export type ShownPart = Part & {
  progress: number;
  /** What a launch rule says in other languages, for a part that was begun. */
  launch: Awaited<ReturnType<typeof explain>> | null;
  /** The number of the step that has to be done first. */
  waitsFor: number | null;
};
export type ShownPath = KnownPath & {
  shown: ShownPart[];
  /** The course to continue with; null if nothing is due, or what is due is closed. */
  next: ShownPart | null;
};

/** Reads the courses of an enrolment on a path, with the rule that closes each. */
export async function readParts(ctx: TenantContext, input: { enrollId: string }): Promise<ShownPath> {
  const known = await readPathState(ctx, input);
  if (!known) throw enrolmentNotFound();
  const { steps } = known.state;
  const shown = await Promise.all(
    steps.flatMap((step) => step.parts.map((part) => show(ctx, known, step, part))),
  );
  return { ...known, shown, next: nextOf(shown) };
}

/** What was begun comes first within its step. */
function nextOf(shown: readonly ShownPart[]): ShownPart | null {
  const due = shown.filter(
    ({ Needed, Status }) => Needed && (Status === 'in_progress' || Status === 'open' || Status === 'failed'),
  );
  const first = due.filter(({ Step }) => Step === due[0]?.Step);
  return first.find(({ Status }) => Status === 'in_progress') ?? first[0] ?? null;
}

const detailsOf = (waitsFor: number) => `Opens when step ${waitsFor} is done.`;

async function show(
  ctx: TenantContext,
  known: KnownPath,
  step: StepState,
  part: PartState,
): Promise<ShownPart> {
  const row = known.parts.get(part.courseId);
  const base = {
    Step: step.number,
    CourseID: part.courseId,
    CourseTitle: known.titles.get(part.courseId) ?? part.courseId,
    Needed: part.isNeeded,
    EnrollID: row && !row.is_external ? row.enroll_id : null,
    progress: part.isDone ? 100 : part.progress,
    waitsFor: part.waitsFor,
    launch: null,
  };
  const closed = (Rule: PartRule, Detail: string, launch: ShownPart['launch'] = null) =>
    ({ ...base, Status: 'closed', Rule, Detail, launch }) as const;
  if (part.isDone)
    return {
      ...base,
      Status: 'completed',
      Rule: null,
      Detail: 'The course is completed, and its result counts.',
    };
  if (part.waitsFor !== null) return closed('earlier_step', detailsOf(part.waitsFor));
  if (row && (part.isBegun || ['enrolled', 'withdrawn'].includes(row.status))) {
    const decision = await explain(ctx, { enrollId: row.enroll_id });
    const failed = decision.Rules.find(({ Passed }) => !Passed);
    if (failed) return closed(failed.Rule, failed.Detail, decision);
    const Status = part.isFailed ? 'failed' : part.isBegun ? 'in_progress' : 'open';
    const Detail = `The learner can ${part.isBegun ? 'continue' : 'start'} the course.`;
    return { ...base, Status, Rule: null, Detail, launch: decision };
  }
  const problem = await rejectionOf(ctx, known.path.login_id, part.courseId, step.DurationID);
  if (problem) return closed(problem.code as PartRule, problem.message);
  return { ...base, EnrollID: null, Status: 'open', Rule: null, Detail: 'The learner can start the course.' };
}

/** Why the learner cannot be enrolled on a course of the path. */
async function rejectionOf(
  ctx: TenantContext,
  loginId: string,
  courseId: string,
  durationId: string | null,
): Promise<Problem | null> {
  try {
    const { Status, AvailableEnrolOptions } = await readOffer(ctx, { courseId, loginId });
    if (Status === 'retired')
      return new Problem('course_retired', 'The course is retired and accepts no new enrolments.');
    const options = AvailableEnrolOptions.filter(
      ({ DurationID }) => durationId === null || DurationID === durationId,
    );
    if (options.length === 0)
      return new Problem('no_enrolment_option', 'The course has no enrolment option for this learner.');
    if (options.length > 1)
      return new Problem(
        'multiple_enrolment_options',
        'The course has several enrolment options, and the path does not name one.',
      );
    return options[0]?.SeatsLeft === 0
      ? new Problem('no_seats_left', 'All seats of this course are taken.')
      : null;
  } catch (error) {
    if (error instanceof Problem && isPartRule(error.code)) return error;
    throw error;
  }
}

export const isPartRule = (code: string): code is PartRule => partRuleCodes.some((known) => known === code);

export async function explainParts(ctx: TenantContext, input: { enrollId: string }): Promise<Part[]> {
  const { shown } = await readParts(ctx, input);
  return shown.map(({ progress: _, launch: __, waitsFor: ___, ...part }) => part);
}
