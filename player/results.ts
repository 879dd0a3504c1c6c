import { better, nothing, rollUp, unitEvidence } from '../standards/evidence.ts';
import type { Evidence } from '../standards/types.ts';
import type { Commit, Session } from './contract.ts';
import { playableUnits } from './units.ts';

const axes = ['Completion', 'Success', 'Score', 'Progress', 'TotalSeconds'] as const;

/**
 * Evaluates a commit as the service will: the evidence for its unit and, as far as this commit shows, for the course.
 */
export function evaluateCommit(
  { Standard, Tree }: Pick<Session, 'Standard' | 'Tree'>,
  commit: Commit,
): Evidence[] {
  const unit = playableUnits(Tree).find(({ UnitID }) => UnitID === commit.UnitID);
  if (!unit) return [];
  const evidence = unitEvidence(Standard, unit, commit.Data);
  const course = rollUp(Standard, Tree, { [unit.UnitID]: evidence }, commit.Root ?? null);
  return [evidence, course, silenceOf(commit)];
}

/**
 * When an attempt ends, a unit without a reported completion becomes completed, and one without a reported success
 * becomes passed. These values are therefore compared like reported ones.
 */
function silenceOf({ Data }: Commit): Evidence {
  return {
    ...nothing,
    Completion: 'cmi.completion_status' in Data ? 'unknown' : 'completed',
    Success: 'cmi.success_status' in Data ? 'unknown' : 'passed',
  };
}

/**
 * The commits of a unit that must reach the service: the newest one and, for each value, the newest one that contains
 * the best result. The service merges the values separately. At most a few commits remain.
 */
export function commitsToKeep<Held extends { results: Evidence[] }>(oldestFirst: Held[]): Held[] {
  const best = oldestFirst
    .map(({ results }) => results)
    .reduce((a, b) => b.map((evidence, n) => better(a[n] ?? evidence, evidence)));
  const found = new Set<string>();
  const addsToFound = ({ results }: Held, age: number) => {
    const known = found.size;
    for (const [n, evidence] of results.entries())
      for (const axis of axes) if (evidence[axis] === best[n]?.[axis]) found.add(`${n} ${axis}`);
    return age === 0 || found.size > known;
  };
  return oldestFirst.toReversed().filter(addsToFound).reverse();
}

/** Orders results by their importance to the learner: passed, then completed, then score, then progress. */
export function rankOf([evidence]: Evidence[]): number {
  if (!evidence) return 0;
  const { Success, Completion, Score, Progress } = evidence;
  return (
    (Success === 'passed' ? 1_000 : 0) +
    (Completion === 'completed' ? 500 : 0) +
    (Score ?? 0) +
    Progress / 1_000
  );
}
