import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Evidence } from '../../../../../standards/types.ts';
import { ownRows } from '../../../db/own-rows.ts';
import { run } from '../../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../../infra/context/context.ts';
import { enrolmentNotFound } from '../record/record.ts';
import { readUnits } from '../record/units.ts';
import { type CommitReceipt, receiptOf } from './progress.ts';

/** A call of a unit that the LRS refused, or another answer that keeps a unit from reporting. */
type RefusedReport = {
  enrollId: string;
  launch: number;
  unitId: string;
  sessionId: string;
  code: string;
  detail: string;
  /** Such as `POST /xapi/statements`. */
  call: string;
  /** What the unit tried to report, as far as it could be read. */
  verbs: readonly string[];
};

/** Maximum number of refused reports on record per launch, because a course may repeat them for ever. */
const maxReports = 50;

const insert = `
with held as materialized (
  select locked.enroll_id from enrolment locked
  where locked.tenant_id = $1 and locked.enroll_id = $2 for key share
)
insert into run_time_commit (tenant_id, enroll_id, number, launch, unit_id, evidence, warnings, refused, committed_at)
select $1, held.enroll_id, $3, $4, $5, $6::jsonb, array[$7::text], $8, $9 from held
where (
  select count(*) from run_time_commit entry where entry.tenant_id = $1 and entry.enroll_id = $2
    and entry.launch = $4 and entry.number < 0
) < ${maxReports}
on conflict do nothing`;

/**
 * Records a refused report as a commit that does not count, so that it appears in the timeline and in explain. Its
 * number is negative and derived from its content, so that repeated reports are recorded once.
 */
export async function writeRefusedReport(ctx: TenantContext, report: RefusedReport): Promise<void> {
  const { enrollId, launch, unitId, sessionId, code, detail, call, verbs } = report;
  const digest = hash('sha256', JSON.stringify([unitId, sessionId, code, detail, call, verbs]), 'buffer');
  const number = -1 - (digest.readUInt32BE() >>> 2);
  const claim = JSON.stringify({ SessionID: sessionId, Call: call, Verbs: verbs });
  const values = [ctx.tenantId, enrollId, number, launch, unitId, claim, detail, code, tenantNow(ctx)];
  await run(ctx, insert, values);
  ctx.counters.commitsRejected.inc({ code });
}

/** The latest report of a launch that was refused. Calls that only read lose nothing, so they do not count. */
async function latestRefusal(
  ctx: TenantContext,
  { enrollId, launch }: { enrollId: string; launch: number },
): Promise<{ UnitID: string; Code: string } | null> {
  const row = await ownRows(ctx, 'run_time_commit', { enroll_id: enrollId, launch })
    .select(['unit_id', 'refused'])
    .where('number', '<', 0)
    .where(sql<boolean>`evidence ->> 'Call' not like 'GET %'`)
    .orderBy('committed_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ? { UnitID: row.unit_id, Code: row.refused ?? '' } : null;
}

/** Returns the current results of an enrolment, for pages whose content reports directly to the service. */
export async function readResults(
  ctx: TenantContext,
  { enrollId, launch }: { enrollId: string; launch: number },
): Promise<{
  Receipt: CommitReceipt;
  Evidence: Record<string, Evidence>;
  Refused: { UnitID: string; Code: string } | null;
}> {
  const row = await ownRows(ctx, 'enrolment', { enroll_id: enrollId })
    .select(['commits', 'status', 'completion', 'success', 'score', 'progress', 'total_seconds', 'override'])
    .executeTakeFirst();
  if (!row) throw enrolmentNotFound();
  const { status, override, completion, success, score, progress, total_seconds } = row;
  const course: Evidence = {
    ...{ Completion: completion, Success: success, Score: score },
    ...{ Progress: progress, TotalSeconds: total_seconds },
  };
  const units = await readUnits(ctx, enrollId);
  return {
    Receipt: receiptOf({ status, course, override }, row.commits, null),
    Evidence: Object.fromEntries(units.map(({ unit_id, evidence }) => [unit_id, evidence])),
    Refused: await latestRefusal(ctx, { enrollId, launch }),
  };
}
