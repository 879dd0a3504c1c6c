import {
  type AuRecord,
  isSatisfied,
  nothingReported,
  recordOf,
} from '../../../../../standards/cmi5/satisfaction.ts';
import type { MoveOn } from '../../../../../standards/cmi5/vocabulary.ts';
import { playable } from '../../../../../standards/evidence.ts';
import type { TenantContext } from '../../../platform/context.ts';
import { playableContent } from '../../catalogue/playable.ts';
import { readUnitsWithData } from '../units.ts';

/** Reads what the AUs of a registration have reported so far, by UnitID. */
export async function readRecords(ctx: TenantContext, enrollId: string): Promise<Map<string, AuRecord>> {
  const units = await readUnitsWithData(ctx, enrollId);
  return new Map(units.map(({ unit_id, data }) => [unit_id, recordOf(data)]));
}

export type AuProgress = Omit<AuRecord, 'seconds' | 'progress' | 'answers'> & {
  unitId: string;
  title: string;
  moveOn: MoveOn;
  isSatisfied: boolean;
};

/**
 * Returns each AU of an enrolment's release with its `moveOn` criterion and what it has reported.
 * Returns an empty list for other standards.
 */
export async function readAus(
  ctx: TenantContext,
  { enrollId, releaseId }: { enrollId: string; releaseId: string | null },
): Promise<AuProgress[]> {
  const { standard, tree } = await playableContent(ctx, releaseId);
  if (standard !== 'cmi5') return [];
  const records = await readRecords(ctx, enrollId);
  return playable(tree.Units).flatMap(({ UnitID, Title, AssignableUnit }) => {
    if (!AssignableUnit) return [];
    const { seconds: _, progress: __, answers: ___, ...record } = records.get(UnitID) ?? nothingReported;
    const moveOn = AssignableUnit.MoveOn;
    const satisfied = isSatisfied(moveOn, records.get(UnitID) ?? nothingReported);
    return [{ unitId: UnitID, title: Title, moveOn, isSatisfied: satisfied, ...record }];
  });
}
