import type { TenantContext } from '../../platform/context.ts';
import { isId } from '../../platform/ids.ts';
import { enrolmentNotFound, selectEnrolments, toEnrolment } from './record.ts';
import type { Enrolment } from './schemas.ts';

export async function readEnrolment(
  ctx: TenantContext,
  input: { loginId: string; enrollId: string },
): Promise<Enrolment> {
  if (!isId(input.enrollId)) throw enrolmentNotFound();
  const row = await selectEnrolments(ctx)
    .where('enrolment.enroll_id', '=', input.enrollId)
    .where('user.login_id', '=', input.loginId)
    .executeTakeFirst();
  if (!row) throw enrolmentNotFound();
  return toEnrolment(ctx, row);
}
