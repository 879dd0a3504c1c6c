import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { PathRule } from '../catalogue/path-parts.ts';
import { type PartResult, rollUp } from './roll-up.ts';

const part: fc.Arbitrary<PartResult> = fc
  .record({
    state: fc.constantFrom('new', 'begun', 'failed', 'failed for good', 'done', 'passed'),
    progress: fc.integer({ min: 0, max: 100 }),
    score: fc.option(fc.integer({ min: 0, max: 100 })),
    seconds: fc.integer({ min: 0, max: 10_000 }),
    day: fc.integer({ min: 0, max: 400 }),
  })
  .map(({ state, progress, score, seconds, day }) => ({
    isDone: state === 'done' || state === 'passed',
    isPassed: state === 'passed',
    isFailed: state.startsWith('failed'),
    isBegun: state === 'begun' || state === 'failed',
    ...{ progress, score, seconds, at: new Date(day * 86_400_000) },
  }));

const generated = fc
  .array(
    fc
      .record({
        parts: fc.array(part, { minLength: 1, maxLength: 5 }),
        optional: fc.boolean(),
        share: fc.integer({ min: 1, max: 5 }),
      })
      .map(({ parts, optional, share }) => ({ parts, optional, need: Math.min(share, parts.length) })),
    { minLength: 1, maxLength: 5 },
  )
  .filter((steps) => steps.some(({ optional }) => !optional));

type Generated = { parts: PartResult[]; optional: boolean; need: number }[];

const idOf = (step: number, number: number) => `${step}.${number}`;

function ask(steps: Generated, ordered: boolean) {
  const rule: PathRule = {
    Ordered: ordered,
    Steps: steps.map(({ parts, optional, need }, s) => ({
      CourseIDs: parts.map((_, n) => idOf(s, n)),
      ...{ Need: need, Optional: optional, DurationID: null },
    })),
  };
  const results = steps.flatMap(({ parts }, s) =>
    parts.map((result, n): [string, PartResult] => [idOf(s, n), result]),
  );
  return rollUp(rule, new Map(results));
}

/** All ways to choose `count` of the parts. */
function choices(parts: readonly PartResult[], count: number): PartResult[][] {
  if (count === 0) return [[]];
  return parts.flatMap((first, n) => choices(parts.slice(n + 1), count - 1).map((rest) => [first, ...rest]));
}

/** The model tries all choices of courses that complete a step, instead of counting and sorting. */
function model(steps: Generated) {
  const required = steps.filter(({ optional }) => !optional);
  const isMet = ({ parts, need }: Generated[number]) =>
    choices(parts, need).some((chosen) => chosen.every(({ isDone }) => isDone));
  const isLost = ({ parts, need }: Generated[number]) =>
    choices(parts, need).every((chosen) => chosen.some(({ isFailed }) => isFailed));
  const completed = required.every(isMet);
  const finished = required.flatMap(({ parts }) => parts.filter(({ isDone }) => isDone));
  const times = required.map(({ parts, need }) =>
    Math.min(
      ...choices(parts, need)
        .filter((chosen) => chosen.every(({ isDone }) => isDone))
        .map((chosen) => Math.max(...chosen.map(({ at }) => Number(at)))),
    ),
  );
  const best = required.map(({ parts, need }) =>
    Math.max(
      ...choices(parts, need).map((chosen) =>
        chosen.reduce((total, { isDone, progress }) => total + (isDone ? 100 : progress), 0),
      ),
    ),
  );
  const needed = required.reduce((total, { need }) => total + need, 0);
  const marks = finished.map(({ score }) => score).filter((score) => score !== null);
  const begun = steps.some(({ parts }) => parts.some(({ isDone, isBegun }) => isDone || isBegun));
  return {
    completed,
    Completion: completed ? 'completed' : begun ? 'incomplete' : 'unknown',
    Success: completed
      ? finished.some(({ isPassed }) => isPassed)
        ? 'passed'
        : 'unknown'
      : required.some(isLost)
        ? 'failed'
        : 'unknown',
    progress: completed ? 100 : best.reduce((a, b) => a + b, 0) / needed,
    score: marks.length === 0 ? null : marks.reduce((a, b) => a + b, 0) / marks.length,
    completedAt: completed ? Math.max(...times) : null,
    /** Whether the course may be started, or continued. */
    opens: (step: number, number: number, ordered: boolean) => {
      const own = steps[step]?.parts[number];
      if (own?.isDone || own?.isBegun || !ordered) return true;
      return steps.slice(0, step).every((earlier) => earlier.optional || isMet(earlier));
    },
  };
}

test('the result of a path, and which of its courses are open, equal an independent model', () => {
  fc.assert(
    fc.property(generated, fc.boolean(), (steps, ordered) => {
      const { result, completedAt, steps: shown } = ask(steps, ordered);
      const expected = model(steps);
      assert.equal(result.Completion, expected.Completion);
      assert.equal(result.Success, expected.Success);
      assert.ok(Math.abs(result.Progress - expected.progress) < 0.01);
      assert.equal(result.Score === null, expected.score === null);
      assert.ok(Math.abs((result.Score ?? 0) - (expected.score ?? 0)) < 0.01);
      assert.equal(completedAt && Number(completedAt), expected.completedAt);
      for (const [s, step] of shown.entries())
        for (const [n, { waitsFor, isNeeded }] of step.parts.entries()) {
          assert.equal(waitsFor === null, expected.opens(s, n, ordered), `${s}.${n}`);
          assert.ok(!(isNeeded && (step.Optional || step.isDone)));
        }
    }),
    { numRuns: 1_000 },
  );
});

test('a path of one course has the result of that course, and more results never make it worse', () => {
  fc.assert(
    fc.property(part, (only) => {
      const { result } = ask([{ parts: [only], optional: false, need: 1 }], true);
      assert.equal(result.Completion === 'completed', only.isDone);
      assert.equal(result.Success, only.isPassed ? 'passed' : only.isFailed ? 'failed' : 'unknown');
    }),
  );
  fc.assert(
    fc.property(generated, fc.nat(), fc.nat(), (steps, a, b) => {
      const before = ask(steps, true);
      const step = steps[a % steps.length];
      const part = step?.parts[b % step.parts.length];
      if (!part) return;
      Object.assign(part, { isDone: true, isFailed: false });
      const after = ask(steps, true);
      assert.ok(after.result.Progress >= before.result.Progress);
      if (before.result.Completion === 'completed') assert.equal(after.result.Completion, 'completed');
      if (before.result.Success !== 'failed') assert.notEqual(after.result.Success, 'failed');
    }),
  );
});
