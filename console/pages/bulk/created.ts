import { forgetInTime, importKey, importKeys, keptMilliseconds, setMarker } from './import-keys.ts';
import type { Subject } from './subjects.ts';

/** A record that an import created and that no undo has removed yet: a user or an enrolment. */
export type CreatedRow = readonly [loginId: string, enrollId?: string];

export type Removed = { users: number; enrolments: number };

/** An import that can be undone. Kept on the device, because the service keeps no record of imports. */
export type Created = {
  id: string;
  viewer: string;
  tenant: string | null;
  subject: Subject;
  /** The file or the group. */
  name: string;
  at: number;
  rows: readonly CreatedRow[];
  removed: Removed;
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

const idOf = ([loginId, enrollId]: CreatedRow) => enrollId ?? loginId;

/** Adds rows to an import. Returns false if they do not fit, so that the import cannot be undone. */
export function addCreated(created: NewImport, rows: readonly CreatedRow[]): boolean {
  if (rows.length === 0) return true;
  const nothing = { rows: [], removed: { users: 0, enrolments: 0 }, isUndoing: false };
  const found = find(created.id);
  if (!found) setTimeout(forgetInTime, keptMilliseconds);
  const before: Created = found ?? { ...created, ...nothing };
  // An import that is continued returns the same rows again.
  const known = new Set(before.rows.map(idOf));
  return write({ ...before, rows: [...before.rows, ...rows.filter((row) => !known.has(idOf(row)))] });
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

/** A record that an undo removes. `importId` is the import that created it, which may not be the one being undone. */
export type UndoRow = { importId: string; loginId: string; enrollId: string | null };

/** Drops removed rows, so that they are not undone again and do not stay on the device. */
export function dropRemoved(undoneId: string, removed: readonly UndoRow[]): void {
  for (const importId of new Set(removed.map(({ importId }) => importId))) {
    const own = removed.filter((row) => row.importId === importId);
    const ids = new Set(own.map(({ loginId, enrollId }) => enrollId ?? loginId));
    change(importId, (created) => ({ ...created, rows: created.rows.filter((row) => !ids.has(idOf(row))) }));
  }
  const users = removed.filter(({ enrollId }) => enrollId === null).length;
  const enrolments = removed.length - users;
  change(undoneId, (created) => ({
    ...created,
    removed: { users: created.removed.users + users, enrolments: created.removed.enrolments + enrolments },
  }));
}

/** Enrolments come first, including those that other imports created for the same users. */
export function rowsToUndo(undone: Created, recent: readonly Created[]): UndoRow[] {
  const rowsOf = ({ id, rows }: Created): UndoRow[] =>
    rows.map(([loginId, enrollId = null]) => ({ importId: id, loginId, enrollId }));
  if (undone.subject === 'enrolments') return rowsOf(undone);
  const users = new Set(
    undone.rows.flatMap(([loginId, enrollId]) => (enrollId === undefined ? [loginId] : [])),
  );
  const others = recent.filter(({ id }) => id !== undone.id).flatMap(rowsOf);
  return [
    ...others.filter(({ loginId, enrollId }) => enrollId !== null && users.has(loginId)),
    ...rowsOf(undone),
  ];
}
