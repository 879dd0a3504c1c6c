import type { Evidence } from '../../../../standards/types.ts';
import type { PathRule, Step } from '../catalogue/path-parts.ts';

/** What a learner has reached in one course of a path. */
export type PartResult = {
  /** Passed, or completed and not failed, and still valid. */
  isDone: boolean;
  isPassed: boolean;
  isFailed: boolean;
  /** There is an enrolment that the learner can continue. */
  isBegun: boolean;
  /** 0–100. */
  progress: number;
  score: number | null;
  seconds: number;
  /** When it was completed. */
  at: Date | null;
};

export type PartState = PartResult & {
  courseId: string;
  /** The path cannot be completed without a further course of this step. */
  isNeeded: boolean;
  /** The number of the step that has to be done first; null if the order permits this course. */
  waitsFor: number | null;
};
export type StepState = Step & { number: number; isDone: boolean; parts: PartState[] };
export type PathState = { steps: StepState[]; result: Evidence; completedAt: Date | null };

const nothing: PartResult = {
  ...{ isDone: false, isPassed: false, isFailed: false, isBegun: false },
  ...{ progress: 0, score: null, seconds: 0, at: null },
};

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const rounded = (number: number) => Math.round(number * 100) / 100;

/** Which courses of the path are open, and the result of the path that follows from the results of its courses. */
export function rollUp(path: PathRule, results: ReadonlyMap<string, PartResult>): PathState {
  const steps: StepState[] = [];
  let waitsFor: number | null = null;
  for (const [n, step] of path.Steps.entries()) {
    const own = step.CourseIDs.map((courseId) => ({ courseId, ...(results.get(courseId) ?? nothing) }));
    const isDone = own.filter((part) => part.isDone).length >= step.Need;
    const parts = own.map((part) => ({
      ...part,
      isNeeded: !step.Optional && !isDone && !part.isDone,
      waitsFor: part.isDone || part.isBegun ? null : waitsFor,
    }));
    steps.push({ ...step, number: n + 1, isDone, parts });
    if (path.Ordered && !step.Optional && !isDone) waitsFor ??= n + 1;
  }
  return { steps, ...resultOf(steps) };
}

function resultOf(steps: readonly StepState[]): Pick<PathState, 'result' | 'completedAt'> {
  const required = steps.filter(({ Optional }) => !Optional);
  const all = steps.flatMap(({ parts }) => parts);
  const done = required.flatMap(({ parts }) => parts).filter(({ isDone }) => isDone);
  const isCompleted = required.every(({ isDone }) => isDone);
  const scores = done.flatMap(({ score }) => score ?? []);
  const needed = sum(required.map(({ Need }) => Need));
  const progress = isCompleted ? 100 : sum(required.map(progressOf)) / needed;
  const hasBegun = all.some((part) => part.isDone || part.isBegun);
  return {
    result: {
      Completion: isCompleted ? 'completed' : hasBegun ? 'incomplete' : 'unknown',
      Success: successOf(required, done, isCompleted),
      Score: scores.length === 0 ? null : rounded(sum(scores) / scores.length),
      Progress: rounded(progress),
      TotalSeconds: rounded(sum(all.map(({ seconds }) => seconds))),
    },
    completedAt: isCompleted ? completionOf(required) : null,
  };
}

/** Passed if one of the courses that count was passed; failed while too many courses of a step are failed. */
function successOf(
  required: readonly StepState[],
  done: readonly PartState[],
  isCompleted: boolean,
): Evidence['Success'] {
  if (isCompleted) return done.some(({ isPassed }) => isPassed) ? 'passed' : 'unknown';
  const isFailed = required.some(
    ({ parts, Need }) => parts.filter(({ isFailed, isDone }) => isDone || !isFailed).length < Need,
  );
  return isFailed ? 'failed' : 'unknown';
}

/** The progress of the most advanced courses of the step, as many as are needed. */
function progressOf({ parts, Need }: StepState): number {
  const reached = parts.map(({ isDone, progress }) => (isDone ? 100 : progress));
  return sum(reached.toSorted((a, b) => b - a).slice(0, Need));
}

/** When the last step was done: that of its completions with which there were enough. */
function completionOf(required: readonly StepState[]): Date {
  const times = required.map(({ parts, Need }) => {
    const done = parts.filter(({ isDone }) => isDone).map(({ at }) => at?.getTime() ?? 0);
    return done.toSorted((a, b) => a - b)[Need - 1] ?? 0;
  });
  return new Date(Math.max(...times));
}
