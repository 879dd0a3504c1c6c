import type { Evidence, RunTimeData } from '../../../../standards/types.ts';
import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';

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

const evidence = { name: 'read_units', text: textOf('unit.unit_id, unit.evidence, unit.bytes') };
const data = { name: 'read_units_data', text: textOf('unit.unit_id, unit.evidence, unit.bytes, unit.data') };

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
  statement: { name: string; text: string },
): Promise<Row[]> {
  const all: Row[] = [];
  for (;;) {
    const rows = await run<Row>(ctx, {
      ...statement,
      values: [ctx.tenantId, enrollId, all.at(-1)?.unit_id ?? ''],
    });
    all.push(...rows);
    if (rows.length < batchSize) return all;
  }
}

/** The run-time data of one unit; empty if it has not been started. */
export async function readUnitData(
  ctx: TenantContext,
  { enrollId, unitId }: { enrollId: string; unitId: string },
): Promise<RunTimeData> {
  const row = await ctx.db
    .selectFrom('attempt_unit')
    .select('data')
    .where('tenant_id', '=', ctx.tenantId)
    .where('enroll_id', '=', enrollId)
    .where('unit_id', '=', unitId)
    .executeTakeFirst();
  return (row?.data ?? {}) as RunTimeData;
}

/** Returns the latest launch in which each unit was committed, by UnitID. */
export async function readLastCommits(ctx: TenantContext, enrollId: string): Promise<Map<string, number>> {
  const rows = await ctx.db
    .selectFrom('attempt_unit')
    .select(['unit_id', 'launch'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('enroll_id', '=', enrollId)
    .execute();
  return new Map(rows.map(({ unit_id, launch }) => [unit_id, launch]));
}
