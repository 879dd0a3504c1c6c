import type { RunTimeData } from '../standards/types.ts';
import type { Commit } from './contract.ts';

/** What the service lacks of a unit's data. A commit then needs to contain only the elements that have changed. */
export type Changes = {
  /** The first and the newest commit since the changes are tracked. */
  first: number;
  newest: number;
  data: RunTimeData;
  /** The commit that last changed or removed each element. */
  changedBy: ReadonlyMap<string, number>;
  /** The newest commit whose data the service has confirmed. It may already have stored a later one. */
  base: number | null;
};

/** A commit that saves fewer characters is sent whole, because the service then needs no stored data. */
const worthwhile = 1_000;

export function afterCommit(before: Changes | undefined, newest: number, data: RunTimeData): Changes {
  const known = before?.data ?? {};
  const changedBy = new Map(before?.changedBy);
  for (const name of Object.keys({ ...known, ...data }))
    if (known[name] !== data[name]) changedBy.set(name, newest);
  return { first: before?.first ?? newest, newest, data, changedBy, base: before?.base ?? null };
}

export function afterReceipt(before: Changes, number: number): Changes {
  if (number < before.first) return before;
  return { ...before, base: Math.max(number, before.base ?? 0) };
}

/** The same commit with only the elements that the service lacks, if it is the unit's newest. */
export function changesIn(commit: Commit, known: Changes | undefined): Commit {
  if (!known || known.base === null || known.newest !== commit.Number || commit.Number <= known.base)
    return commit;
  const { base, changedBy } = known;
  const Data: RunTimeData = {};
  let saved = 0;
  for (const [name, value] of Object.entries(commit.Data)) {
    if ((changedBy.get(name) ?? 0) > base) Data[name] = value;
    else saved += name.length + value.length;
  }
  if (saved < worthwhile) return commit;
  const Removed = [...changedBy.keys()].filter(
    (name) => !(name in commit.Data) && (changedBy.get(name) ?? 0) > base,
  );
  return { ...commit, Base: { Number: base, ...(Removed.length > 0 && { Removed }) }, Data };
}
