import type { TenantContext } from '../../platform/context.ts';
import { isId } from '../../platform/ids.ts';
import { readTogether } from '../../platform/load/read-together.ts';
import { type EnrolmentWithNames, enrolmentNotFound, toEnrolment } from './record.ts';
import type { Enrolment } from './schemas.ts';

type Wanted = { loginId: string; enrollId: string };

const text = `
select wanted.n, enrolment.*, known.login_id, course.title as course_title
from unnest($2::uuid[], $3::text[]) with ordinality as wanted (enroll_id, login_id, n)
join enrolment on enrolment.tenant_id = $1 and enrolment.enroll_id = wanted.enroll_id
join "user" known on known.tenant_id = $1 and known.user_id = enrolment.user_id and known.login_id = wanted.login_id
join course on course.course_id = enrolment.course_id`;

const readRow = readTogether<Wanted, EnrolmentWithNames>({
  name: 'read_enrolments',
  text,
  values: (ctx, wanted) => [
    ctx.tenantId,
    wanted.map(({ enrollId }) => enrollId),
    wanted.map(({ loginId }) => loginId),
  ],
});

export async function readEnrolment(ctx: TenantContext, input: Wanted): Promise<Enrolment> {
  const row = isId(input.enrollId) ? await readRow(ctx, input) : null;
  if (!row) throw enrolmentNotFound();
  return toEnrolment(ctx, row);
}
