import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import { explain } from './explain.ts';
import type { Explanation } from './schemas.ts';

type Claimed = Explanation['Claims'][number];
type Row = {
  at: Date;
  launch: number;
  number: number;
  unit_id: string;
  claimed: Omit<Claimed, 'At' | 'Launch' | 'Commit' | 'UnitID'>;
};

const maxClaims = 10;

const text = `
select made.committed_at as at, made.launch, made.number, made.unit_id, made.claimed from run_time_commit made
where made.tenant_id = $1 and made.enroll_id = $2 and made.claimed is not null
order by made.committed_at desc limit ${maxClaims}`;

/** The launch decision with its reasons, and what the course's page claimed without support. */
export async function explainEnrolment(
  ctx: TenantContext,
  input: { enrollId: string; loginId: string },
): Promise<Explanation> {
  const { CourseTitle: _, reason: __, ...decision } = await explain(ctx, input);
  const values = [ctx.tenantId, input.enrollId];
  const claims = await run<Row>(ctx, { name: 'read_claims', text, values });
  return { ...decision, Claims: claims.map(toClaim) };
}

const toClaim = ({ at, launch, number, unit_id, claimed }: Row): Claimed => ({
  ...{ At: at.toISOString(), Launch: launch < 0 ? null : launch, Commit: number, UnitID: unit_id },
  ...claimed,
});
