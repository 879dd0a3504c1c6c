import { formatTimespan, parseSeconds } from '../durations.ts';
import type { RunTimeData } from '../types.ts';
import { cellOf, parseTable, type Row, type Table } from './tables.ts';
import { scoreOf, statusOf, wordOf } from './words.ts';

/** The number of entries in a list in the run-time data. */
export function countOf(data: RunTimeData, list: 'objectives' | 'interactions'): number {
  const prefix = `cmi.${list}.`;
  return Object.keys(data).reduce((count, name) => {
    if (!name.startsWith(prefix)) return count;
    const number = Number(name.slice(prefix.length).split('.', 1)[0]);
    return Number.isInteger(number) ? Math.max(count, number + 1) : count;
  }, 0);
}

export type ReportedObjective = { id: string; score?: string | undefined; status?: string | undefined };

/**
 * Merges reported objectives into the data. Objectives keep their positions, and values that are not reported
 * stay unchanged.
 */
export function mergeObjectives(data: RunTimeData, reported: readonly ReportedObjective[]): RunTimeData {
  if (reported.length === 0) return data;
  const places = new Map<string, number>();
  let count = countOf(data, 'objectives');
  for (let at = 0; at < count; at++) places.set(data[`cmi.objectives.${at}.id`] ?? '', at);
  const after: RunTimeData = { ...data };
  for (const { id, score, status } of reported) {
    const place = places.get(id) ?? count++;
    places.set(id, place);
    const prefix = `cmi.objectives.${place}`;
    after[`${prefix}.id`] = id;
    const word = wordOf(['not attempted'], status) ?? statusOf(status);
    if (word !== null) after[`${prefix}.status`] = word;
    const parts = scoreOf(prefix, score);
    if (!parts) continue;
    for (const part of ['raw', 'max', 'min']) delete after[`${prefix}.score.${part}`];
    Object.assign(after, parts);
  }
  return after;
}

/** The data after `PutObjectives`, whose message is a table. */
export function afterPutObjectives(data: RunTimeData, message: string): RunTimeData | null {
  const table = parseTable(message);
  if (!table) return null;
  const reported = table.rows.flatMap((row) => {
    const id = cellOf(table, row, 'objective_id');
    if (id === '') return [];
    return [{ id, score: cellOf(table, row, 'score'), status: cellOf(table, row, 'status') }];
  });
  return mergeObjectives(data, reported);
}

const types = [
  ...(['true-false', 'choice', 'fill-in', 'matching', 'performance'] as const),
  ...(['sequencing', 'likert', 'numeric'] as const),
];
const results = ['correct', 'wrong', 'unanticipated', 'neutral'] as const;

/** The data after `PutInteractions`. Repeating a request after a lost response adds nothing. */
export function afterPutInteractions(data: RunTimeData, message: string): RunTimeData | null {
  const table = parseTable(message);
  if (!table) return null;
  const known = new Set(interactionsIn(data));
  let count = countOf(data, 'interactions');
  const after: RunTimeData = { ...data };
  for (const row of table.rows) {
    const interaction = interactionOf(table, row);
    const text = JSON.stringify(interaction);
    if (interaction.length === 0 || known.has(text)) continue;
    known.add(text);
    for (const [element, value] of interaction) after[`cmi.interactions.${count}.${element}`] = value;
    count += 1;
  }
  return after;
}

function interactionOf(table: Table, row: Row): [element: string, value: string][] {
  const cell = (...names: string[]) => cellOf(table, row, ...names);
  const result = cell('result');
  const latency = cell('latency');
  const values: Record<string, string> = {
    id: cell('interaction_id'),
    'objectives.0.id': cell('objective_id'),
    time: [cell('date'), cell('time')].filter(Boolean).join(' '),
    type: wordOf(types, cell('type_interaction', 'type')) ?? '',
    'correct_responses.0.pattern': cell('correct_response'),
    student_response: cell('student_response'),
    result: /^[\d.+-]/.test(result) ? result : (wordOf(results, result) ?? ''),
    weighting: cell('weighting'),
    latency: latency && formatTimespan(parseSeconds(latency.slice(0, 100))),
  };
  if (values.id === '') return [];
  return Object.entries(values)
    .filter(([, value]) => value !== '')
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The stored interactions as JSON, in the form that `interactionOf` returns. */
function interactionsIn(data: RunTimeData): string[] {
  const entries = new Map<string, [string, string][]>();
  for (const [name, value] of Object.entries(data)) {
    const [, number, element] = /^cmi\.interactions\.(\d{1,6})\.(.+)$/.exec(name) ?? [];
    if (number === undefined || element === undefined) continue;
    const entry = entries.get(number) ?? [];
    entries.set(number, entry);
    entry.push([element, value]);
  }
  return [...entries.values()].map((entry) => JSON.stringify(entry.sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** The comments in the message of `PutComments`. A message that is not a table is a single comment. */
export function commentsIn(message: string): string {
  const table = parseTable(message);
  if (!table?.positions.has('comment')) return message.trim();
  return table.rows
    .map((row) => cellOf(table, row, 'comment'))
    .filter(Boolean)
    .join('\r\n');
}
