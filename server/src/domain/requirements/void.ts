import { joinTransaction, run } from '../../db/transaction.ts';
import { dryRun } from '../../infra/calls/dry-run.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { invalid } from '../../lib/errors.ts';
import { appendAudit } from '../audit/chain.ts';
import { releaseNotFound } from '../catalogue/problems.ts';
import { startOfDay } from '../tenants/time-zone.ts';
import type { RuleRow, VoidedRelease } from './facts.ts';
import {
  confirmed,
  firstId,
  plannedChanges,
  requirementNotFound,
  toRequirement,
  withLock,
} from './requirements.ts';
import type { Requirement, RequirementPlan, VoidRelease } from './schemas.ts';

type Void = VoidRelease & { requirementId: string; Confirm?: number };

const knownText = 'select from release held where held.course_id = $1 and held.number = $2';

/** SQL: the obligations that are satisfied by a completion of the release from before. */
const affectedText = `
select count(*)::integer as affected from obligation held
join enrolment own on own.tenant_id = $1 and own.enroll_id = held.met_by
join release known on known.release_id = own.release_id and known.course_id = $3 and known.number = $4
where held.tenant_id = $1 and held.requirement_id = $2 and held.closed_at is null and held.exempt_at is null
  and held.left_at is null and held.met_at < $5`;

/** Stores in the caller's transaction that the completions are void. Returns how many obligations they satisfy. */
async function change(ctx: TenantContext, { requirementId, CourseID, Release, Before }: Void) {
  const stored = await withLock(ctx, requirementId);
  if (!stored) throw requirementNotFound();
  const course = CourseID ?? stored.rule.CourseIDs[0] ?? '';
  if (!stored.rule.CourseIDs.includes(course))
    throw invalid(
      'CourseID',
      `The course ${course} does not satisfy the requirement. Send one of ${stored.rule.CourseIDs.join(', ')}.`,
    );
  const known = await run(ctx, knownText, [course, Release]);
  if (known.length === 0) throw releaseNotFound();
  const before = Before === undefined ? tenantNow(ctx) : await startOfDay(ctx, Before, 'Before');
  const added = { CourseID: course, Release, Before: before.toISOString() };
  const isSame = (one: VoidedRelease) => one.CourseID === course && one.Release === Release;
  const earlier = stored.voided.find(isSame);
  if (earlier && earlier.Before >= added.Before) return { row: stored, added, affected: 0, isNew: false };
  const voided = [...stored.voided.filter((one) => !isSame(one)), added];
  const [row] = await run<RuleRow>(
    ctx,
    `update requirement held set voided = $3::jsonb, pending_after = '${firstId}', updated_at = $4
      where held.tenant_id = $1 and held.requirement_id = $2 returning held.*`,
    [ctx.tenantId, requirementId, JSON.stringify(voided), tenantNow(ctx)],
  );
  if (!row) throw requirementNotFound();
  const values = [ctx.tenantId, requirementId, course, Release, before];
  const [count] = await run<{ affected: number }>(ctx, affectedText, values);
  return { row, added, affected: count?.affected ?? 0, isNew: true };
}

/** Voids completions of a release: they no longer satisfy requirements, and people who relied on them must repeat the course. */
export function voidRelease(ctx: TenantContext, input: Void): Promise<Requirement> {
  return joinTransaction(ctx, async (ctx) => {
    const { row, added, affected, isNew } = await change(ctx, input);
    if (!isNew) return toRequirement(row);
    confirmed(affected, input.Confirm);
    await appendAudit(ctx, ctx.tenantId, {
      action: 'requirement.release_voided',
      targetId: input.requirementId,
      data: added,
    });
    return toRequirement(row);
  });
}

/** Who would have to repeat the course, and by when. */
export const planVoid = (ctx: TenantContext, input: Void): Promise<RequirementPlan> =>
  dryRun(ctx, async (ctx) => {
    const { affected } = await change(ctx, input);
    return plannedChanges(ctx, input.requirementId, affected);
  });
