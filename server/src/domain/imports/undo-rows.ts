import type { TenantContext } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import { updateEnrolment } from '../enrolments/update.ts';
import { type ImportLine, lineOf, type RowUndo } from './record.ts';
import type { UndoCounts } from './schemas.ts';

/** Erases a user who has not been changed or used since their creation. Throws `touched` otherwise. */
export type RemoveUser = (ctx: TenantContext, loginId: string) => Promise<void>;

/** Null if the record is gone, or else the reason why it stays. */
async function reasonOf(remove: () => Promise<unknown>): Promise<string | null> {
  try {
    await remove();
    return null;
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500 || error.status === 429) throw error;
    // Somebody else has removed the record.
    if (error.status === 404) return null;
    return typeof error.extras.reason === 'string' ? error.extras.reason : error.code;
  }
}

const withdraw = (ctx: TenantContext, loginId: string, enrollId: string) =>
  reasonOf(() => updateEnrolment(ctx, { loginId, enrollId, Withdrawn: true, IfUntouched: true }));

/** The enrolments that any row of the import has created for a user. */
async function enrolmentsOf(ctx: TenantContext, importId: string, loginId: string): Promise<string[]> {
  const rows = await ctx.db
    .selectFrom('import_row')
    .selectAll()
    .where('tenant_id', '=', ctx.tenantId)
    .where('login_id', '=', loginId)
    .where('import_id', '=', importId)
    .execute();
  const results = rows.map((row) => lineOf(row).result);
  return results.flatMap((one) => (one?.enrolment === 'created' && one.enrollId ? [one.enrollId] : []));
}

/** A user can be removed only after the enrolments of all rows. */
async function remove(
  ctx: TenantContext,
  { importId, loginId }: { importId: string; loginId: string },
  removeUser: RemoveUser,
): Promise<string | null> {
  for (const enrollId of await enrolmentsOf(ctx, importId, loginId)) await withdraw(ctx, loginId, enrollId);
  return reasonOf(() => removeUser(ctx, loginId));
}

/**
 * Withdraws what a row has enrolled, then removes the user that it has created. Both are safe to repeat. What a row has
 * updated stays, because the earlier values are not known.
 */
export async function undoRow(
  ctx: TenantContext,
  { importId, line: { login_id: loginId, result } }: { importId: string; line: ImportLine },
  removeUser: RemoveUser,
): Promise<RowUndo> {
  const { enrollId, user, enrolment } = result ?? {};
  const undo: RowUndo = { users: 0, enrolments: 0, reason: null };
  if (enrolment === 'created') {
    // The erasure of a person has withdrawn their enrolments.
    if (loginId !== null && enrollId) undo.reason = await withdraw(ctx, loginId, enrollId);
    if (undo.reason === null) undo.enrolments = 1;
  }
  if (user === 'created') {
    const reason = loginId === null ? null : await remove(ctx, { importId, loginId }, removeUser);
    if (reason === null) undo.users = 1;
    undo.reason ??= reason;
  }
  if (user === 'updated' || enrolment === 'updated') undo.reason ??= 'updated';
  return undo;
}

export const hasEffect = ({ result }: ImportLine) =>
  result !== null && [result.user, result.enrolment].some((one) => one === 'created' || one === 'updated');

export function countUndos(before: UndoCounts, undos: readonly RowUndo[]): UndoCounts {
  const counts = { ...before };
  for (const { users, enrolments, reason } of undos) {
    counts.Done++;
    counts.UsersRemoved += users;
    counts.EnrolmentsWithdrawn += enrolments;
    if (reason !== null) counts.Kept++;
  }
  return counts;
}
