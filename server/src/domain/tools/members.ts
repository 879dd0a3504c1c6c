import { run } from '../../db/transaction.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { learnerRole, type Person, personClaims } from './messages.ts';
import { platformUrls, type ToolRow } from './tools.ts';

/** A page of learners in the order of their IDs: after this one, or only one person. */
export type MemberPage = { after: string | null; limit: number; userId: string | null };

/** The latest enrolment of each learner, since a time if there is one ($6). */
export const membersText = `
select distinct on (own.user_id) own.user_id, known.login_id, known.first_name, known.last_name, known.email,
  known.enabled, own.status, own.expires_at, own.completion, own.success, own.score, own.override
from enrolment own
join "user" known on known.tenant_id = $1 and known.user_id = own.user_id
where own.tenant_id = $1 and own.course_id = $2 and ($3::uuid is null or own.user_id > $3)
  and ($5::uuid is null or own.user_id = $5)
  and ($6::timestamptz is null or own.changed_at > $6 or known.updated_at > $6)
order by own.user_id, own.ended_at is null desc, own.enroll_id desc limit $4`;

type Row = Person & { enabled: boolean; status: string; expires_at: Date | null };

const isActive = (row: Row, now: Date) =>
  row.enabled &&
  !['expired', 'withdrawn'].includes(row.status) &&
  (row.expires_at === null || row.expires_at > now);

/** The learners on the course (NRPS 2.0), with what the tool may know about them. */
export async function listMembers(
  ctx: TenantContext,
  tool: ToolRow,
  { after, limit, since }: { after: string | null; limit: number; since: Date | null },
) {
  const values = [ctx.tenantId, tool.course_id, after, limit + 1, null, since];
  const rows = await run<Row>(ctx, membersText, values);
  const members = rows.slice(0, limit).map((row) => ({
    status: isActive(row, ctx.now()) ? 'Active' : 'Inactive',
    user_id: row.user_id,
    roles: [learnerRole],
    ...personClaims(tool, row),
  }));
  const { course_id: id, title } = tool;
  return {
    container: { id: platformUrls(ctx, id).members, context: { id, label: id, title }, members },
    next: rows.length > limit ? (rows[limit - 1]?.user_id ?? null) : null,
  };
}
