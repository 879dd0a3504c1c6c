import { interactionsOf, objectivesOf } from '../../../../standards/activity.ts';
import { findUnit, type Played } from '../../../../standards/results.ts';
import { readTreeState } from '../../../../standards/tree-state.ts';
import type { Evidence, RunTimeData } from '../../../../standards/types.ts';
import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import {
  foreignCursor,
  type PageQuery,
  pageLimit,
  readCursor,
  toPage,
} from '../../platform/http/pagination.ts';
import { isId } from '../../platform/ids.ts';
import { playedBy } from '../catalogue/playable.ts';
import type { UnitActivity } from './activity-schemas.ts';
import { enrolmentNotFound } from './record.ts';

type Owner = { release_id: string | null; tree_state: string | null };
type Row = {
  unit_id: string;
  launch: number;
  data: RunTimeData;
  evidence: Evidence;
  updated_at: Date;
};

const ownerText = `
select enrolment.release_id, attempt.tree_state from enrolment
join "user" known on known.tenant_id = $1 and known.user_id = enrolment.user_id
left join attempt on attempt.tenant_id = $1 and attempt.enroll_id = enrolment.enroll_id
where enrolment.tenant_id = $1 and enrolment.enroll_id = $2 and known.login_id = $3`;

/** What the content of each started unit recorded, from the stored run-time data. */
export async function readActivity(
  ctx: TenantContext,
  input: PageQuery & { loginId: string; enrollId: string },
) {
  const { loginId, enrollId } = input;
  if (!isId(enrollId)) throw enrolmentNotFound();
  const limit = pageLimit(input);
  const after = readCursor(input) ?? '';
  if (after.length > 4096) throw foreignCursor();
  const [owner] = await run<Owner>(ctx, {
    name: 'read_activity_owner',
    text: ownerText,
    values: [ctx.tenantId, enrollId, loginId],
  });
  if (!owner) throw enrolmentNotFound();
  // All units of an enrolment together have at most 4 MiB of data.
  const rows = await ctx.db
    .selectFrom('attempt_unit')
    .select(['unit_id', 'launch', 'data', 'evidence', 'updated_at'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('enroll_id', '=', enrollId)
    .where('unit_id', '>', after)
    .orderBy('unit_id')
    .limit(limit + 1)
    .execute();
  const played = await playedBy(ctx, owner.release_id);
  const attempts = attemptsIn(played, owner.tree_state);
  return toPage(
    rows,
    limit,
    ({ unit_id }) => unit_id,
    (row) => toUnitActivity(played, attempts, contentsOf(row)),
  );
}

/** The casts are safe: only commits write these columns, from validated data and its evaluation. */
function contentsOf(row: Omit<Row, 'data' | 'evidence'> & { data: unknown; evidence: unknown }): Row {
  return { ...row, data: row.data as RunTimeData, evidence: row.evidence as Evidence };
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
