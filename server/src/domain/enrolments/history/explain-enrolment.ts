import { playable } from '../../../../../standards/evidence.ts';
import { unavailableIn, unavailableIn12 } from '../../../../../standards/unavailable.ts';
import { run } from '../../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../../infra/context/context.ts';
import { playableContent, withTimeFactor } from '../../catalogue/playable.ts';
import type { Explanation } from '../record/schemas.ts';
import { readUnits } from '../record/units.ts';
import { type AuProgress, readAus } from '../run-time/au-sessions.ts';
import { explain } from '../run-time/start.ts';

/** What the enrolments on paths, and on their parts, need in addition. */
export type Paths = {
  /** Brings an enrolment on a path up to date. For a part, the enrolment on its path. Returns whether one has changed. */
  follow: (ctx: TenantContext, enrollId: string) => Promise<boolean>;
  explainParts: (ctx: TenantContext, input: { enrollId: string }) => Promise<Explanation['Parts']>;
};

type Claimed = Explanation['Claims'][number];
type ClaimRow = {
  at: string;
  launch: number;
  number: number;
  unit_id: string;
  claimed: Omit<Claimed, 'At' | 'Launch' | 'Commit' | 'UnitID'>;
};
type RefusedRow = Omit<ClaimRow, 'claimed'> & { refused: string; warnings: string[] | null };
type Row = {
  release_id: string | null;
  tree_state: string | null;
  claims: ClaimRow[] | null;
  refused: RefusedRow[] | null;
};

const max = { claims: 10, unavailable: 100 };

const text = `
select coalesce(enrolment.release_id, course.release_id) as release_id, attempt.tree_state, (
  select jsonb_agg(to_jsonb(latest)) from (
    select entry.committed_at as at, entry.launch, entry.number, entry.unit_id, entry.claimed from run_time_commit entry
    where entry.tenant_id = $1 and entry.enroll_id = $2 and entry.claimed is not null
    order by entry.committed_at desc limit ${max.claims}
  ) latest
) as claims, (
  select jsonb_agg(to_jsonb(latest)) from (
    select entry.committed_at as at, entry.launch, entry.number, entry.unit_id, entry.refused, entry.warnings
    from run_time_commit entry
    where entry.tenant_id = $1 and entry.enroll_id = $2 and entry.refused is not null
    order by entry.committed_at desc limit ${max.claims}
  ) latest
) as refused
from enrolment join course on course.course_id = enrolment.course_id
left join attempt on attempt.tenant_id = $1 and attempt.enroll_id = enrolment.enroll_id
where enrolment.tenant_id = $1 and enrolment.enroll_id = $2`;

/**
 * Returns the launch decision with its reasons, the closed units, the progress of each AU, and the
 * results that do not count: those that the course's page claimed but its data does not support, and refused ones.
 */
export async function explainEnrolment(
  ctx: TenantContext,
  input: { enrollId: string; loginId: string },
  paths: Paths,
): Promise<Explanation> {
  let decision = await explain(ctx, input);
  const isOfPath = decision.isPath || decision.pathEnrollId !== null;
  if (isOfPath && (await paths.follow(ctx, input.enrollId))) decision = await explain(ctx, input);
  const parts = decision.isPath ? await paths.explainParts(ctx, input) : [];
  const { EnrollID, LoginID, CourseID, MayLaunch, NextAttemptAt, Rules } = decision;
  const { TimeFactor, TimeFactorFrom } = decision;
  const [row] = await run<Row>(ctx, text, [ctx.tenantId, input.enrollId]);
  const unavailable = row
    ? await unavailableUnits(ctx, { ...row, enrollId: input.enrollId, TimeFactor })
    : [];
  const aus = await readAus(ctx, { enrollId: input.enrollId, releaseId: row?.release_id ?? null });
  return {
    ...{ EnrollID, LoginID, CourseID, MayLaunch, TimeFactor, TimeFactorFrom, NextAttemptAt, Rules },
    Unavailable: unavailable,
    Parts: parts,
    Claims: (row?.claims ?? []).map(toClaim),
    Refused: (row?.refused ?? []).map(toRefused),
    Units: aus.map(toUnit),
  };
}

async function unavailableUnits(
  ctx: TenantContext,
  { enrollId, release_id, tree_state, TimeFactor }: Row & { enrollId: string; TimeFactor: number | null },
) {
  if (release_id === null) return [];
  const { tree, course } = withTimeFactor(await playableContent(ctx, release_id), TimeFactor);
  if (course) return unavailableIn(course, tree_state, tenantNow(ctx).getTime(), max.unavailable);
  if (playable(tree.Units).every(({ Prerequisites }) => Prerequisites === null)) return [];
  const units = await readUnits(ctx, enrollId);
  const evidences = Object.fromEntries(units.map(({ unit_id, evidence }) => [unit_id, evidence]));
  return unavailableIn12(tree, evidences, max.unavailable);
}

const toUnit = ({
  unitId,
  title,
  moveOn,
  isSatisfied,
  ...record
}: AuProgress): Explanation['Units'][number] => ({
  ...{ UnitID: unitId, Title: title, MoveOn: moveOn, Satisfied: isSatisfied, Score: record.score },
  ...{ CompletedAt: record.completed, PassedAt: record.passed },
  ...{ FailedAt: record.failed, WaivedAt: record.waived },
});

const toRefused = ({ at, launch, number, unit_id, refused, warnings }: RefusedRow) => ({
  ...{ At: new Date(at).toISOString(), Launch: launch < 0 ? null : launch },
  ...{ Commit: number < 0 ? null : number, UnitID: unit_id, Code: refused, Detail: warnings?.[0] ?? null },
});

const toClaim = ({ at, launch, number, unit_id, claimed }: ClaimRow): Claimed => ({
  ...{ At: new Date(at).toISOString(), Launch: launch < 0 ? null : launch, Commit: number, UnitID: unit_id },
  ...claimed,
});
