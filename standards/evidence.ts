import { mergeSupportedResults } from '../scorm/sequencing/supported-results.ts';
import { isSco } from './assets.ts';
import { isSatisfied, recordOf } from './cmi5/satisfaction.ts';
import { parseSeconds } from './durations.ts';
import { mediaResult } from './media.ts';
import { clamp, parseNumber, rounded, scoreOf } from './numbers.ts';
import { completionThreshold, passingScore } from './thresholds.ts';
import { traits } from './traits.ts';
import type { CourseTree, Evidence, RunTimeData, Standard, Unit } from './types.ts';

/**
 * A sequencing engine's roll-up of the whole course. For parts that are unknown or null, the units' results
 * are used.
 */
export type RootEvidence = Omit<Evidence, 'TotalSeconds' | 'Progress' | 'Supports'> & {
  Progress: number | null;
};

/** The evidence before the learner has started the course. */
export const nothing: Evidence = {
  Completion: 'unknown',
  Success: 'unknown',
  Score: null,
  Progress: 0,
  TotalSeconds: 0,
};

/** Evaluates the run-time data of one unit. */
export function unitEvidence(standard: Standard, unit: Unit, data: RunTimeData): Evidence {
  if (unit.Media)
    return {
      ...mediaResult(unit.Media.CompleteWhen, data),
      TotalSeconds: secondsOf(data['cmi.total_time'], data['cmi.session_time']),
    };
  if (standard === 'aicc') return evidenceOfScorm12(unit, data);
  if (unit.Kind === 'au') return auEvidence(unit, data);
  if (standard === 'web' || !isSco(unit, data)) return pageEvidence(data);
  return standard === 'scorm12' ? evidenceOfScorm12(unit, data) : evidenceOfScorm2004(unit, data);
}

function pageEvidence(data: RunTimeData): Evidence {
  const Completion = oneOf(['completed', 'incomplete'] as const, data['lectern.completion']) ?? 'unknown';
  const TotalSeconds = Math.round(clamp(parseNumber(data['lectern.seconds']) ?? 0, 0, 35_999_999));
  return { ...nothing, Completion, Progress: Completion === 'completed' ? 100 : 0, TotalSeconds };
}

/**
 * An AU is completed when it is satisfied. An AU with `NotApplicable` is always satisfied, so it must report
 * completed or passed. Otherwise, a launch alone would complete the course. The same applies to xAPI
 * activities.
 */
function auEvidence({ AssignableUnit }: Unit, data: RunTimeData): Evidence {
  const record = recordOf(data);
  const moveOn = AssignableUnit?.MoveOn ?? 'NotApplicable';
  const isDone = isSatisfied(moveOn === 'NotApplicable' ? 'CompletedOrPassed' : moveOn, record);
  return {
    Completion: isDone ? 'completed' : 'incomplete',
    Success: record.passed !== null ? 'passed' : record.failed !== null ? 'failed' : 'unknown',
    Score: record.score === null ? null : rounded(clamp(record.score * 100, 0, 100)),
    Progress: isDone ? 100 : clamp(record.progress ?? 0, 0, 100),
    TotalSeconds: Math.round(clamp(record.seconds, 0, 35_999_999)),
  };
}

/** cmi5: AUs with the moveOn `NotApplicable` are ignored, unless the course has no others. */
function counting(units: Unit[]): Unit[] {
  const required = units.filter(({ AssignableUnit }) => AssignableUnit?.MoveOn !== 'NotApplicable');
  return required.length > 0 ? required : units;
}

/**
 * RTE 1.2 §3.4.4: if there are a mastery score and a raw score, the LMS determines the success from them,
 * unless the unit is taken without credit.
 */
function evidenceOfScorm12(unit: Unit, data: RunTimeData): Evidence {
  const words = ['passed', 'completed', 'failed', 'incomplete', 'browsed', 'not attempted'] as const;
  const status = oneOf(words, data['cmi.core.lesson_status']);
  const raw = parseNumber(data['cmi.core.score.raw']);
  const mastery = unit.MasteryScore;
  const ended = status === 'passed' || status === 'completed' || status === 'failed';
  const forCredit = data['cmi.core.credit'] !== 'no-credit' && data['cmi.core.lesson_mode'] !== 'browse';
  let Success: Evidence['Success'] = status === 'passed' || status === 'failed' ? status : 'unknown';
  if (ended && forCredit && raw !== null && mastery !== null) Success = raw >= mastery ? 'passed' : 'failed';
  const completed = status === 'completed' || (ended && Success === 'passed');
  const begun = status !== undefined && status !== 'not attempted';
  const Completion = completed ? 'completed' : begun ? 'incomplete' : 'unknown';
  const Score = scoreOf(raw, data['cmi.core.score.min'], data['cmi.core.score.max']);
  const TotalSeconds = secondsOf(data['cmi.core.total_time'], data['cmi.core.session_time']);
  return { Completion, Success, Score, Progress: completed ? 100 : 0, TotalSeconds };
}

/**
 * RTE 2004 §4.2.4 and §4.2.22: if the measure for a threshold is known, the threshold determines the status.
 * Otherwise, the status set by the content is used.
 */
function evidenceOfScorm2004(unit: Unit, data: RunTimeData): Evidence {
  const measure = parseNumber(data['cmi.progress_measure']);
  const scaled = parseNumber(data['cmi.score.scaled']);
  const passing = passingScore(unit);
  const threshold = completionThreshold(unit);
  let Success: Evidence['Success'] =
    oneOf(['passed', 'failed'] as const, data['cmi.success_status']) ?? 'unknown';
  if (passing !== null && scaled !== null) Success = scaled >= passing ? 'passed' : 'failed';
  let Completion: Evidence['Completion'] =
    oneOf(['completed', 'incomplete'] as const, data['cmi.completion_status']) ?? 'unknown';
  if (threshold !== null && measure !== null) Completion = measure >= threshold ? 'completed' : 'incomplete';
  if (Completion === 'unknown' && Success === 'passed') Completion = 'completed';
  const raw = scoreOf(parseNumber(data['cmi.score.raw']), data['cmi.score.min'], data['cmi.score.max']);
  return {
    Completion,
    Success,
    Score: scaled === null ? raw : rounded(clamp(scaled * 100, 0, 100)),
    Progress: Completion === 'completed' ? 100 : rounded(clamp((measure ?? 0) * 100, 0, 100)),
    TotalSeconds: secondsOf(data['cmi.total_time'], data['cmi.session_time']),
  };
}

/** Evaluates the course from its units, including invisible ones. */
export function rollUp(
  standard: Standard,
  tree: CourseTree,
  perUnit: Record<string, Evidence>,
  root?: RootEvidence | null,
): Evidence {
  const all = playable(tree.Units);
  const evidenceOf = ({ UnitID }: Unit) =>
    Object.hasOwn(perUnit, UnitID) ? (perUnit[UnitID] ?? nothing) : nothing;
  const units = counting(all).map(evidenceOf);
  const scores = units.flatMap(({ Score }) => Score ?? []);
  const isBegun = all.some((unit) => evidenceOf(unit).Completion !== 'unknown');
  const Completion = rolledCompletion(units);
  const sum: Evidence = {
    Completion: Completion === 'unknown' && isBegun ? 'incomplete' : Completion,
    Success: rolledSuccess(units),
    Score: mean(scores),
    Progress:
      mean(units.map(({ Completion, Progress }) => (Completion === 'completed' ? 100 : Progress))) ?? 0,
    TotalSeconds: all.reduce((total, unit) => total + evidenceOf(unit).TotalSeconds, 0),
  };
  if (!root || !traits[standard].isSequenced) return sum;
  // Only the engine knows the weights of the units. If it reports no success or score, the course has none.
  const decides = units.length > 1;
  return {
    Completion: root.Completion === 'unknown' ? sum.Completion : root.Completion,
    Success: decides || root.Success !== 'unknown' ? root.Success : sum.Success,
    Score: decides ? root.Score : (root.Score ?? sum.Score),
    Progress: root.Progress ?? sum.Progress,
    TotalSeconds: sum.TotalSeconds,
  };
}

/** Merges two results by the best value of each part, so no result is ever lost. */
export function better(old: Evidence, next: Evidence): Evidence {
  const completions = ['unknown', 'incomplete', 'completed'] as const;
  const successes = ['unknown', 'failed', 'passed'] as const;
  const Score = old.Score === null ? next.Score : Math.max(old.Score, next.Score ?? 0);
  return {
    Completion: higher(completions, old.Completion, next.Completion),
    Success: higher(successes, old.Success, next.Success),
    Score,
    Progress: Math.max(old.Progress, next.Progress),
    TotalSeconds: Math.max(old.TotalSeconds, next.TotalSeconds),
    ...supportedResultsIn(old, next),
  };
}

function supportedResultsIn(
  { Supports: old }: Evidence,
  { Supports: next }: Evidence,
): Pick<Evidence, 'Supports'> {
  return old && next ? { Supports: mergeSupportedResults(old, next) } : {};
}

/** The nodes that can be opened. In SCORM 1.2, an item with children may also open a page. */
export function playable(units: Unit[]): Unit[] {
  return units.flatMap((unit) => [
    ...(unit.Href !== null && unit.Kind !== null ? [unit] : []),
    ...playable(unit.Children),
  ]);
}

function rolledCompletion(units: Evidence[]): Evidence['Completion'] {
  if (units.length > 0 && units.every(({ Completion }) => Completion === 'completed')) return 'completed';
  return units.some(({ Completion }) => Completion !== 'unknown') ? 'incomplete' : 'unknown';
}

function rolledSuccess(units: Evidence[]): Evidence['Success'] {
  if (units.some(({ Success }) => Success === 'failed')) return 'failed';
  return units.some(({ Success }) => Success === 'passed') ? 'passed' : 'unknown';
}

function higher<Value>(ranks: readonly Value[], a: Value, b: Value): Value {
  return ranks.indexOf(a) >= ranks.indexOf(b) ? a : b;
}

function secondsOf(total: string | undefined, session: string | undefined): number {
  return Math.round(parseSeconds(total) + parseSeconds(session));
}

function mean(values: number[]): number | null {
  if (values.length === 0) return null;
  return rounded(values.reduce((sum, value) => sum + value, 0) / values.length);
}

/** Finds the intended word. AICC-style content writes only its first letter. */
function oneOf<Word extends string>(words: readonly Word[], reported: string | undefined): Word | undefined {
  const text = reported?.trim().toLowerCase();
  return text ? words.find((word) => word === text || word.startsWith(text)) : undefined;
}
