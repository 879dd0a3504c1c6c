import { fitsUnit, storageLimits } from '../../../../standards/storage-limits.ts';
import type { RunTimeData } from '../../../../standards/types.ts';
import type { TenantContext } from '../../platform/context.ts';
import { sha256 } from '../../platform/ids.ts';

const { unitElements, valueCharacters, unitBytes, enrolmentBytes } = storageLimits;

export const notStoredReason = `a unit can store at most ${unitElements} elements with ${valueCharacters} characters each and ${unitBytes / 1e6} MB in total, and all units of an enrolment ${enrolmentBytes / 1024 ** 2} MiB`;
export const notStoredWarning = `The run-time data was not stored: ${notStoredReason}. The result counts.`;

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

/** Whether a unit's data fits into the limits, given the sizes of the other units' data. */
export function fits(
  { data, bytes }: { data: RunTimeData; bytes: number },
  others: Readonly<Record<string, number>>,
): boolean {
  const total = Object.values(others).reduce((sum, size) => sum + size, bytes);
  return total <= enrolmentBytes && fitsUnit(data, bytes);
}

export function reportNotStored(
  ctx: TenantContext,
  { enrollId, unitId }: { enrollId: string; unitId: string },
): void {
  ctx.counters.commitsWithoutData.inc();
  const unit = { tenant: ctx.tenantId, enrolment: enrollId, unit: unitId };
  ctx.log.warn(unit, 'not all data of a unit was stored, but its result was');
}
