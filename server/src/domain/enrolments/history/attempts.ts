import type { Evidence, Standard } from '../../../../../standards/types.ts';
import { run } from '../../../db/transaction.ts';
import { foreignCursor, type PageQuery, pageLimit, readCursor, toPage } from '../../../http/pagination.ts';
import type { TenantContext } from '../../../infra/context/context.ts';
import { isId } from '../../../lib/ids.ts';
import { playableContent } from '../../catalogue/playable.ts';
import { type EnrolmentRow, enrolmentNotFound } from '../record/record.ts';
import { isFinished, stateOf } from '../record/states.ts';
import type { Attempt } from './attempt-schemas.ts';

type Row = {
  number: number;
  first_launch: number;
  last_launch: number;
  finished_at: Date | null;
  ended_at: Date;
  ended_by: 'launch' | 'reset';
  reason: string | null;
  discarded: boolean;
  result: Evidence;
  started_at: Date | null;
};

const startedAt = (number: string) => `
left join lateral (
  select launch.started_at from launch
  where launch.tenant_id = $1 and launch.enroll_id = $2 and launch.number = ${number} limit 1
) first on true`;

const currentText = `
select enrolment.*, first.started_at from enrolment
join "user" known on known.tenant_id = $1 and known.user_id = enrolment.user_id
${startedAt('enrolment.attempt_launch + 1')}
where enrolment.tenant_id = $1 and enrolment.enroll_id = $2 and known.login_id = $3`;

const earlierText = `
select page.*, first.started_at from (
  select attempt.number, attempt.first_launch, attempt.last_launch, attempt.finished_at, attempt.ended_at, attempt.ended_by, attempt.reason,
    attempt.discarded, attempt.result
  from earlier_attempt attempt
  where attempt.tenant_id = $1 and attempt.enroll_id = $2 and attempt.number > $3 order by attempt.number limit $4
) page
${startedAt('page.first_launch')}
order by page.number`;

/** Lists an enrolment's attempts, the current one last. */
export async function listAttempts(
  ctx: TenantContext,
  input: PageQuery & { loginId: string; enrollId: string },
) {
  const { loginId, enrollId } = input;
  if (!isId(enrollId)) throw enrolmentNotFound();
  const limit = pageLimit(input);
  const after = readPosition(readCursor(input));
  const key = [ctx.tenantId, enrollId];
  const [current] = await run<EnrolmentRow & { started_at: Date | null }>(ctx, currentText, [
    ...key,
    loginId,
  ]);
  if (!current) throw enrolmentNotFound();
  const earlier = await run<Row>(ctx, earlierText, [...key, after, limit + 1]);
  const { standard } = await playableContent(ctx, current.release_id);
  const last = current.attempt_number > after ? [toCurrent(current, standard)] : [];
  const attempts = [...earlier.map(toEarlier), ...last];
  return toPage(
    attempts,
    limit,
    ({ Attempt }) => String(Attempt),
    (attempt) => attempt,
  );
}

function readPosition(cursor: string | null): number {
  if (cursor === null) return 0;
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor);
  throw foreignCursor();
}

const instant = (time: Date | null) => time?.toISOString() ?? null;

function toEarlier(row: Row): Attempt {
  const { Supports: _, ...result } = row.result;
  return {
    ...{ Attempt: row.number, StartedAt: instant(row.started_at), FinishedAt: instant(row.finished_at) },
    ...{
      EndedAt: instant(row.ended_at),
      EndedBy: row.ended_by,
      Reason: row.reason,
      Discarded: row.discarded,
    },
    ...result,
    Launches: row.last_launch - row.first_launch + 1,
  };
}

function toCurrent(row: EnrolmentRow & { started_at: Date | null }, standard: Standard): Attempt {
  const { Result, FinishedAt } = stateOf(row);
  const { Supports: _, ...result } = Result;
  const lastUse = instant(row.completed_at ?? row.last_accessed_at);
  return {
    ...{ Attempt: row.attempt_number, StartedAt: instant(row.started_at) },
    FinishedAt: FinishedAt ?? (isFinished(Result, standard) ? lastUse : null),
    ...{ EndedAt: null, EndedBy: null, Reason: null, Discarded: false },
    ...result,
    Launches: row.launches - row.attempt_launch,
  };
}
