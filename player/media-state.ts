import { confirmationID, fulfils } from '../standards/media.ts';
import type { CompleteWhen, RunTimeData, Unit } from '../standards/types.ts';
import type { UnitStatus } from '../standards/unit-status.ts';
import { type Ranges, readRanges, shareOf, writeRanges } from './ranges.ts';

/** What the learner has seen of a file. `length` is 0 until it is known. */
export type Seen = { ranges: Ranges; length: number; location: number };

export type Confirmation = { name: string; at: string; text: string };

export const seenIn = (data: RunTimeData): Seen => ({
  ranges: readRanges(data['cmi.suspend_data'] ?? ''),
  length: 0,
  location: Number(data['cmi.location'] ?? 0) || 0,
});

export function confirmationIn(data: RunTimeData): Confirmation | null {
  if (data['cmi.interactions.0.id'] !== confirmationID) return null;
  return {
    name: data['cmi.interactions.0.learner_response'] ?? '',
    at: data['cmi.interactions.0.timestamp'] ?? '',
    text: data['cmi.interactions.0.description'] ?? '',
  };
}

/** The unit's data with what was seen in this session. A file whose length is not known has not been seen yet. */
export function dataAfter(
  before: RunTimeData,
  unit: Unit,
  { seen, confirmation, seconds }: { seen: Seen; confirmation: Confirmation | null; seconds: number },
): RunTimeData {
  const share = Math.max(shareOf(seen.ranges, seen.length), Number(before['cmi.progress_measure'] ?? 0) || 0);
  const data: RunTimeData = {
    ...before,
    ...(seen.length > 0 && {
      'cmi.location': String(seen.location),
      'cmi.suspend_data': writeRanges(seen.ranges),
      'cmi.progress_measure': String(share),
    }),
    ...(confirmation && {
      'cmi.interactions.0.id': confirmationID,
      'cmi.interactions.0.type': 'other',
      'cmi.interactions.0.timestamp': confirmation.at,
      'cmi.interactions.0.learner_response': confirmation.name,
      'cmi.interactions.0.description': confirmation.text,
    }),
    'cmi.session_time': `PT${seconds}S`,
    'cmi.exit': 'suspend',
  };
  const isDone = unit.Media !== undefined && fulfils(unit.Media.CompleteWhen, data);
  return { ...data, 'cmi.completion_status': isDone ? 'completed' : 'incomplete' };
}

export function statusAfter(rule: CompleteWhen, data: RunTimeData): UnitStatus {
  if (fulfils(rule, data)) return 'completed';
  return data['cmi.completion_status'] === undefined ? 'none' : 'incomplete';
}

/** SCORM names a learner as "Lovelace, Ada". */
export function signature(name: string): string {
  const [last = '', first] = name.split(', ');
  return first ? `${first} ${last}` : last;
}
