import type { TenantContext } from '../../platform/context.ts';
import { isId } from '../../platform/ids.ts';
import { coalesceReads, wantedRows } from '../../platform/load/coalesce-reads.ts';
import { type EnrolmentWithNames, enrolmentNotFound, toEnrolment } from './record.ts';
import type { Enrolment } from './schemas.ts';

type Wanted = { loginId: string; enrollId: string };

const text = `
select wanted.n, enrolment.*, known.login_id, course.title as course_title
from ${wantedRows('enroll_id uuid, login_id text')}
cross join lateral (
  select own.* from enrolment own where own.tenant_id = $1 and own.enroll_id = wanted.enroll_id limit 1
) enrolment
cross join lateral (
  select own.login_id from "user" own where own.tenant_id = $1 and own.user_id = enrolment.user_id limit 1
) known
cross join lateral (select own.title from course own where own.course_id = enrolment.course_id limit 1) course
where known.login_id = wanted.login_id`;

const readRow = coalesceReads<Wanted, EnrolmentWithNames>({
  name: 'read_enrolments',
  text,
  item: ({ enrollId, loginId }) => ({ enroll_id: enrollId, login_id: loginId }),
});

export async function readEnrolment(ctx: TenantContext, input: Wanted): Promise<Enrolment> {
  const row = isId(input.enrollId) ? await readRow(ctx, input) : null;
  if (!row) throw enrolmentNotFound();
  return toEnrolment(ctx, row);
}
