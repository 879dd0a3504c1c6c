import { forgetInTime, importKey, importKeys, keptMilliseconds, setMarker } from './import-keys.ts';

/** An enrolment that a run created and that no undo has withdrawn yet. */
export type CreatedRow = readonly [loginId: string, enrollId: string];

/** Enrolments that can be undone together. Kept on the device, because the service does not know that they are. */
export type Created = {
  id: string;
  viewer: string;
  tenant: string | null;
  /** The group and the course. */
  name: string;
  at: number;
  rows: readonly CreatedRow[];
  removed: number;
  /** Whether an undo was started and has not finished. */
  isUndoing: boolean;
};

export const changedEvent = 'lectern-created';
export const expiryOf = ({ at }: Pick<Created, 'at'>) => at + keptMilliseconds;
const keyOf = ({ at, id, viewer }: Created) => importKey(at, id, viewer);

function read(key: string): Created | null {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null');
  } catch {
    return null;
  }
}

/** Whether the browser had enough space for the import. */
function write(created: Created): boolean {
  try {
    setMarker();
    localStorage.setItem(keyOf(created), JSON.stringify(created));
  } catch {
    remove(created);
    return false;
  }
  dispatchEvent(new Event(changedEvent));
  return true;
}

function remove(created: Created): void {
  localStorage.removeItem(keyOf(created));
  dispatchEvent(new Event(changedEvent));
}

/** The viewer's imports of the last hour, the newest first. */
export function recentImports(viewer: string, tenant: string | null): Created[] {
  return importKeys()
    .flatMap((key) => read(key) ?? [])
    .filter((created) => created.viewer === viewer && created.tenant === tenant)
    .sort((one, other) => other.at - one.at);
}

const find = (id: string) => {
  const key = importKeys().find((key) => key.split(' ')[2] === id);
  return key === undefined ? null : read(key);
};

export type NewImport = Omit<Created, 'rows' | 'removed' | 'isUndoing'>;

/** Adds rows to an import. Returns false if they do not fit, so that the import cannot be undone. */
export function addCreated(created: NewImport, rows: readonly CreatedRow[]): boolean {
  if (rows.length === 0) return true;
  const nothing = { rows: [], removed: 0, isUndoing: false };
  const found = find(created.id);
  if (!found) setTimeout(forgetInTime, keptMilliseconds);
  const before: Created = found ?? { ...created, ...nothing };
  // An import that is continued returns the same rows again.
  const known = new Set(before.rows.map(([, enrollId]) => enrollId));
  return write({ ...before, rows: [...before.rows, ...rows.filter(([, enrollId]) => !known.has(enrollId))] });
}

/** Nothing is written for an import that another tab has forgotten, for example because the viewer signed out. */
function change(id: string, how: (created: Created) => Created): void {
  const before = find(id);
  if (!before) return;
  const after = how(before);
  if (after.rows.length === 0 && !after.isUndoing) remove(before);
  else write(after);
}

export const setUndoing = (id: string, isUndoing: boolean) =>
  change(id, (created) => ({ ...created, isUndoing }));

/** Drops withdrawn enrolments, so that they are not undone again and do not stay on the device. */
export function dropRemoved(id: string, removed: readonly CreatedRow[]): void {
  const ids = new Set(removed.map(([, enrollId]) => enrollId));
  change(id, (created) => ({
    ...created,
    rows: created.rows.filter(([, enrollId]) => !ids.has(enrollId)),
    removed: created.removed + removed.length,
  }));
}
