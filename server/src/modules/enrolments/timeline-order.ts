import { foreignCursor } from '../../platform/http/pagination.ts';
import { isId } from '../../platform/ids.ts';
import { isInstant } from '../../platform/instants.ts';

/** How far each of the four logs has been read. A commit is identified by its time, number and launch. */
export type TimelinePosition = {
  launch: number;
  at: string;
  commit: number;
  commitLaunch: number;
  event: string;
  /** The ID of a unit's session. */
  unit: string;
};

type Logged = {
  at: Date;
  kind: 'launch' | 'unit' | 'commit' | 'event';
  /** The ID of an event or of a unit's session. */
  event_id: string | null;
  launch: number | null;
  commit: number | null;
};

/** The order of entries from the same millisecond. */
const kinds = ['commit', 'event', 'launch', 'unit'] as const;

const start: TimelinePosition = {
  launch: 0,
  at: '0001-01-01T00:00:00.000Z',
  commit: 0,
  commitLaunch: 0,
  event: '00000000-0000-0000-0000-000000000000',
  unit: '00000000-0000-0000-0000-000000000000',
};

export function writePosition(position: TimelinePosition): string {
  const { launch, at, commit, commitLaunch, event, unit } = position;
  return [launch, at, commit, commitLaunch, event, unit].join('|');
}

export function readPosition(cursor: string | null): TimelinePosition {
  if (cursor === null) return start;
  const [launch = '', at = '', commit = '', commitLaunch = '', event = '', unit = start.unit] =
    cursor.split('|');
  if (![launch, commit, commitLaunch].every(isNumber) || !isInstant(at) || !isId(event) || !isId(unit))
    throw foreignCursor();
  return {
    launch: Number(launch),
    at,
    commit: Number(commit),
    commitLaunch: Number(commitLaunch),
    event,
    unit,
  };
}

const isNumber = (text: string) => /^-?\d{1,10}$/.test(text) && Math.abs(Number(text)) < 2 ** 31;

/**
 * Merges the logs by time and returns the first entries, each with the position after it. Entries
 * of the same log keep their order.
 */
export function inOrder<Row extends Logged>(
  rows: Row[],
  after: TimelinePosition,
  limit: number,
): { row: Row; place: TimelinePosition }[] {
  const logs = kinds.map((kind) => rows.filter((row) => row.kind === kind));
  const ordered: { row: Row; place: TimelinePosition }[] = [];
  let place = after;
  while (ordered.length < limit) {
    const [first] = logs.filter(([head]) => head).sort(([a], [b]) => timeOf(a) - timeOf(b));
    const row = first?.shift();
    if (!row) break;
    place = positionAfter(place, row);
    ordered.push({ row, place });
  }
  return ordered;
}

const timeOf = (row: Logged | undefined): number => row?.at.getTime() ?? 0;

function positionAfter(
  place: TimelinePosition,
  { kind, at, launch, commit, event_id }: Logged,
): TimelinePosition {
  if (kind === 'launch') return { ...place, launch: launch ?? place.launch };
  if (kind === 'unit') return { ...place, unit: event_id ?? place.unit };
  if (kind === 'event') return { ...place, event: event_id ?? place.event };
  return {
    ...place,
    at: at.toISOString(),
    commit: commit ?? place.commit,
    commitLaunch: launch ?? place.commitLaunch,
  };
}
