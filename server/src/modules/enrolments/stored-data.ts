import type { RunTimeData } from '../../../../standards/types.ts';
import { sha256 } from '../../platform/ids.ts';

/** A limit for all units of an enrolment in total, because opening a session reads and sends all of them. */
const maxStored = 4 * 1024 ** 2;

export const notStoredWarning =
  'The run-time data was not stored, because the units of this enrolment would exceed 4 MiB in total. The result counts.';

type Content = {
  unitId: string;
  data: RunTimeData;
  treeState: string | null;
  root: unknown;
  exit: boolean;
};

/**
 * The hash that identifies a repeated commit, and the size of its data as JSON. 132 bits are enough to distinguish a
 * launch's commits.
 */
export function measure({ unitId, data, treeState, root, exit }: Content): {
  bodyHash: string;
  bytes: number;
} {
  const json = JSON.stringify(data);
  const rest = JSON.stringify([treeState, root, exit]);
  const bodyHash = sha256(`[${JSON.stringify(unitId)},${json},${rest.slice(1)}`).slice(0, 22);
  return { bodyHash, bytes: Buffer.byteLength(json) };
}

/** Whether a unit's data fits into the limit, given the sizes of the other units' data. */
export function fits(bytes: number, others: Readonly<Record<string, number>>): boolean {
  return Object.values(others).reduce((total, size) => total + size, bytes) <= maxStored;
}
