import { parseSeconds } from './durations.ts';
import { clamp, parseNumber, rounded, scoreOf } from './numbers.ts';
import { traits } from './traits.ts';
import type { Evidence, RunTimeData, Standard } from './types.ts';

/** One answer by the learner, as recorded by the content (`cmi.interactions`). */
export type Interaction = {
  Number: number;
  InteractionID: string;
  Type: string | null;
  Description: string | null;
  /** As the content wrote it: a timestamp in SCORM 2004, and a time of day in SCORM 1.2. */
  Time: string | null;
  Response: string | null;
  CorrectResponses: string[];
  Result: string | null;
  Weighting: number | null;
  LatencySeconds: number | null;
  ObjectiveIDs: string[];
};

/** An objective of a unit, as recorded by the content (`cmi.objectives`). */
export type RecordedObjective = {
  ObjectiveID: string;
  Description: string | null;
  Completion: Evidence['Completion'];
  Success: Evidence['Success'];
  /** 0–100. */
  Score: number | null;
};

/** The entries of a list such as `cmi.interactions`, in order, each with its elements. */
function entriesOf(data: RunTimeData, list: 'interactions' | 'objectives'): [number, Map<string, string>][] {
  const entries = new Map<number, Map<string, string>>();
  const prefix = `cmi.${list}.`;
  for (const [name, value] of Object.entries(data)) {
    if (!name.startsWith(prefix)) continue;
    const [, index, element] = /^(\d{1,6})\.(.+)$/.exec(name.slice(prefix.length)) ?? [];
    if (index === undefined || element === undefined) continue;
    const entry = entries.get(Number(index)) ?? new Map<string, string>();
    entries.set(Number(index), entry.set(element, value));
  }
  return [...entries].sort(([a], [b]) => a - b);
}

/** The values of a list within an entry, such as all `correct_responses.n.pattern`. */
function valuesIn(entry: ReadonlyMap<string, string>, list: string, element: string): string[] {
  const found = [...entry].flatMap(([name, value]): [number, string][] => {
    const [first, index, last] = name.split('.');
    return first === list && last === element ? [[Number(index), value]] : [];
  });
  return found.sort(([a], [b]) => a - b).map(([, value]) => value);
}

/** AICC uses the data model of SCORM 1.2. */
const usesModel12 = (standard: Standard) => traits[standard].model === 'scorm12';

export function interactionsOf(standard: Standard, data: RunTimeData): Interaction[] {
  const [time, response] = usesModel12(standard)
    ? (['time', 'student_response'] as const)
    : (['timestamp', 'learner_response'] as const);
  return entriesOf(data, 'interactions').map(([number, entry]) => ({
    ...{ Number: number, InteractionID: entry.get('id') ?? '' },
    Type: entry.get('type') ?? null,
    Description: entry.get('description') ?? null,
    Time: entry.get(time) ?? null,
    Response: entry.get(response) ?? null,
    CorrectResponses: valuesIn(entry, 'correct_responses', 'pattern'),
    Result: resultOf(entry.get('result')),
    Weighting: parseNumber(entry.get('weighting')),
    LatencySeconds: entry.has('latency') ? parseSeconds(entry.get('latency')) : null,
    ObjectiveIDs: valuesIn(entry, 'objectives', 'id'),
  }));
}

/** SCORM 1.2 uses `wrong` for SCORM 2004's `incorrect`. A result may also be a number. */
const resultOf = (said: string | undefined) => (said === 'wrong' ? 'incorrect' : (said ?? null));

export function objectivesOf(standard: Standard, data: RunTimeData): RecordedObjective[] {
  const judge = usesModel12(standard) ? judge12 : judge2004;
  return entriesOf(data, 'objectives').map(([, entry]) => ({
    ...{ ObjectiveID: entry.get('id') ?? '', Description: entry.get('description') ?? null },
    ...judge(entry),
  }));
}

type Judged = Pick<RecordedObjective, 'Completion' | 'Success' | 'Score'>;

function judge12(entry: ReadonlyMap<string, string>): Judged {
  const status = entry.get('status');
  const isDone = status === 'passed' || status === 'completed';
  const isBegun = status !== undefined && status !== 'not attempted' && status !== '';
  const raw = parseNumber(entry.get('score.raw'));
  return {
    Completion: isDone ? 'completed' : isBegun ? 'incomplete' : 'unknown',
    Success: status === 'passed' || status === 'failed' ? status : 'unknown',
    Score: scoreOf(raw, entry.get('score.min'), entry.get('score.max')),
  };
}

function judge2004(entry: ReadonlyMap<string, string>): Judged {
  const [completion, success] = [entry.get('completion_status'), entry.get('success_status')];
  const scaled = parseNumber(entry.get('score.scaled'));
  return {
    Completion: completion === 'completed' || completion === 'incomplete' ? completion : 'unknown',
    Success: success === 'passed' || success === 'failed' ? success : 'unknown',
    Score: scaled === null ? null : rounded(clamp(scaled, 0, 1) * 100),
  };
}
