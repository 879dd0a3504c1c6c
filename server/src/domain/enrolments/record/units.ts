import type { Evidence, RunTimeData } from '../../../../../standards/types.ts';
import { ownRows } from '../../../db/own-rows.ts';
import { run } from '../../../db/transaction.ts';
import { coalesceReads, wantedRows } from '../../../infra/calls/queue.ts';
import type { TenantContext } from '../../../infra/context/context.ts';

type StartedUnit = { unit_id: string; evidence: Evidence; bytes: number };
type StartedUnitWithData = StartedUnit & { data: RunTimeData };

/**
 * Rows per statement. Other tenants on the embedded database wait for each statement. All units
 * together have at most 4 MiB.
 */
const batchSize = 1_000;

const textOf = (columns: string) => `
select ${columns} from attempt_unit unit
where unit.tenant_id = $1 and unit.enroll_id = $2 and unit.unit_id > $3
order by unit.unit_id limit ${batchSize}`;

const evidence = textOf('unit.unit_id, unit.evidence, unit.bytes');
const data = textOf('unit.unit_id, unit.evidence, unit.bytes, unit.data');

/** Reads all started units of an enrolment. A course may have thousands. */
export function readUnits(ctx: TenantContext, enrollId: string): Promise<StartedUnit[]> {
  return readAll<StartedUnit>(ctx, enrollId, evidence);
}

export function readUnitsWithData(ctx: TenantContext, enrollId: string): Promise<StartedUnitWithData[]> {
  return readAll<StartedUnitWithData>(ctx, enrollId, data);
}

async function readAll<Row extends StartedUnit>(
  ctx: TenantContext,
  enrollId: string,
  text: string,
): Promise<Row[]> {
  const all: Row[] = [];
  for (;;) {
    const rows = await run<Row>(ctx, text, [ctx.tenantId, enrollId, all.at(-1)?.unit_id ?? '']);
    all.push(...rows);
    if (rows.length < batchSize) return all;
  }
}

/** The run-time data of one unit; empty if it has not been started. */
export async function readUnitData(
  ctx: TenantContext,
  { enrollId, unitId }: { enrollId: string; unitId: string },
): Promise<RunTimeData> {
  const row = await ownRows(ctx, 'attempt_unit', { enroll_id: enrollId, unit_id: unitId })
    .select('data')
    .executeTakeFirst();
  return (row?.data ?? {}) as RunTimeData;
}

/** The run-time data of a unit, and the launch and commit that wrote it. */
export type StoredUnit = { launch: number; number: number; data: RunTimeData };

const storedText = `
select wanted.n, unit.launch, unit.commit_number as number, unit.data
from ${wantedRows('enroll_id uuid, unit_id text')}
cross join lateral (
  select own.launch, own.commit_number, own.data from attempt_unit own
  where own.tenant_id = $1 and own.enroll_id = wanted.enroll_id and own.unit_id = wanted.unit_id limit 1
) unit`;

/** Null if the unit has not been started. */
export const readStoredUnit = coalesceReads<{ enrollId: string; unitId: string }, StoredUnit>({
  name: 'read_stored_unit',
  text: storedText,
  max: 4,
  item: ({ enrollId, unitId }) => ({ enroll_id: enrollId, unit_id: unitId }),
});

/** Returns the latest launch in which each unit was committed, by UnitID. */
export async function readLastCommits(ctx: TenantContext, enrollId: string): Promise<Map<string, number>> {
  const rows = await ownRows(ctx, 'attempt_unit', { enroll_id: enrollId })
    .select(['unit_id', 'launch'])
    .execute();
  return new Map(rows.map(({ unit_id, launch }) => [unit_id, launch]));
}
