import { interactionsOf, objectivesOf } from '../../../../../standards/interactions.ts';
import { findUnit, type Played } from '../../../../../standards/results.ts';
import { readTreeState } from '../../../../../standards/tree-state.ts';
import type { Evidence, RunTimeData } from '../../../../../standards/types.ts';
import { run } from '../../../db/transaction.ts';
import { foreignCursor, type PageQuery, pageLimit, readCursor, toPage } from '../../../http/pagination.ts';
import type { TenantContext } from '../../../infra/context/context.ts';
import { invalid, type Problem } from '../../../lib/errors.ts';
import { isId } from '../../../lib/ids.ts';
import { playableContent } from '../../catalogue/playable.ts';
import { enrolmentNotFound } from '../record/record.ts';
import type { UnitActivity } from './activity-schemas.ts';

type Owner = {
  release_id: string | null;
  tree_state: string | null;
  attempt_number: number;
  earlier_release_id: string | null;
  has_earlier: boolean;
};

type Row = {
  unit_id: string;
  launch: number;
  data: RunTimeData;
  evidence: Evidence;
  updated_at: Date;
};

const ownerText = `
select enrolment.release_id, attempt.tree_state, enrolment.attempt_number, earlier.release_id as earlier_release_id,
  earlier.number is not null as has_earlier
from enrolment
join "user" known on known.tenant_id = $1 and known.user_id = enrolment.user_id
left join attempt on attempt.tenant_id = $1 and attempt.enroll_id = enrolment.enroll_id
left join earlier_attempt earlier
  on earlier.tenant_id = $1 and earlier.enroll_id = enrolment.enroll_id and earlier.number = $4::integer
where enrolment.tenant_id = $1 and enrolment.enroll_id = $2 and known.login_id = $3`;

/** Returns what the content of each started unit has recorded in the run-time data. */
export async function readActivity(
  ctx: TenantContext,
  input: PageQuery & { loginId: string; enrollId: string; Attempt?: number },
) {
  const { loginId, enrollId } = input;
  if (!isId(enrollId)) throw enrolmentNotFound();
  const limit = pageLimit(input);
  const after = readCursor(input) ?? '';
  if (after.length > 4096) throw foreignCursor();
  const [owner] = await run<Owner>(ctx, ownerText, [ctx.tenantId, enrollId, loginId, input.Attempt ?? 0]);
  if (!owner) throw enrolmentNotFound();
  const isEarlier = input.Attempt !== undefined && input.Attempt !== owner.attempt_number;
  if (isEarlier && !owner.has_earlier) throw attemptNotFound(owner.attempt_number);
  const values = [ctx.tenantId, enrollId, isEarlier ? input.Attempt : null, after, limit + 1];
  const rows = await run<Row>(ctx, isEarlier ? earlierUnits : currentUnits, values);
  const played = await playableContent(ctx, isEarlier ? owner.earlier_release_id : owner.release_id);
  const attempts = isEarlier ? null : attemptsIn(played, owner.tree_state);
  const units = rows.map((row) => toUnitActivity(played, attempts, row));
  return toPage(
    units,
    limit,
    ({ UnitID }) => UnitID,
    (unit) => unit,
  );
}

/** The query needs no limit in bytes, because the units of an attempt have at most 4 MiB of data in total. */
const unitsText = (table: string, isAttempt: string) => `
select unit.unit_id, unit.launch, unit.data, unit.evidence, unit.updated_at from ${table} unit
where unit.tenant_id = $1 and unit.enroll_id = $2 and ${isAttempt} and unit.unit_id > $4
order by unit.unit_id limit $5`;

const currentUnits = unitsText('attempt_unit', '$3::integer is null');
const earlierUnits = unitsText('earlier_unit', 'unit.number = $3');

function attemptNotFound(current: number): Problem {
  const numbers = current === 1 ? 'only attempt 1' : `attempts 1 to ${current}`;
  const detail = `The enrolment has ${numbers}. Omit Attempt to read the current attempt.`;
  return invalid('Attempt', detail);
}

function attemptsIn({ course }: Played, text: string | null): ReadonlyMap<string, number> | null {
  const state = course && text !== null ? readTreeState(course, text) : null;
  return state && new Map(state.activities.map(([id, { attempts }]) => [id, attempts]));
}

function toUnitActivity(
  { standard, tree }: Played,
  attempts: ReadonlyMap<string, number> | null,
  { unit_id, launch, data, evidence, updated_at }: Row,
): UnitActivity {
  const { Supports: _, ...result } = evidence;
  return {
    UnitID: unit_id,
    Title: findUnit(tree.Units, unit_id)?.Title ?? null,
    Attempts: attempts?.get(unit_id) ?? null,
    Launch: launch,
    UpdatedAt: updated_at.toISOString(),
    ...result,
    Objectives: objectivesOf(standard, data),
    Interactions: interactionsOf(standard, data),
  };
}
