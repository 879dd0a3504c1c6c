import { ownRows } from '../../db/own-rows.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import { updateEnrolment } from '../enrolments/update.ts';
import { updateUser } from '../users/update-users.ts';
import { readUser } from '../users/users.ts';
import { type ImportLine, type ImportRecord, lineOf, type RowUndo, undoMsOf } from './record.ts';
import type { UndoCounts } from './schemas.ts';

/** Erases a user whose creation is not older, if nothing has changed or used them since. Throws `touched` otherwise. */
export type RemoveUser = (ctx: TenantContext, loginId: string, untouchedMs: number) => Promise<void>;

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

const withdraw = (ctx: TenantContext, record: ImportRecord, loginId: string, enrollId: string) =>
  reasonOf(() =>
    updateEnrolment(
      ctx,
      { loginId, enrollId, Withdrawn: true, IfUntouched: true },
      { untouchedMs: undoMsOf(record) },
    ),
  );

/** Enables or disables a user again, unless somebody else has done so since. */
async function restore(ctx: TenantContext, loginId: string, Enabled: boolean): Promise<boolean> {
  const user = await readUser(ctx, { loginId }).catch(() => null);
  if (user?.Enabled !== !Enabled) return false;
  await updateUser(ctx, { loginId, Enabled });
  return true;
}

/** The enrolments that any row of the import has created for a user. */
async function enrolmentsOf(ctx: TenantContext, importId: string, loginId: string): Promise<string[]> {
  const rows = await ownRows(ctx, 'import_row', { login_id: loginId, import_id: importId })
    .selectAll()
    .execute();
  const results = rows.map((row) => lineOf(row).result);
  return results.flatMap((one) => (one?.enrolment === 'created' && one.enrollId ? [one.enrollId] : []));
}

/** A user can be removed only after the enrolments of all rows. */
async function remove(
  ctx: TenantContext,
  { record, loginId }: { record: ImportRecord; loginId: string },
  removeUser: RemoveUser,
): Promise<string | null> {
  for (const enrollId of await enrolmentsOf(ctx, record.import_id, loginId))
    await withdraw(ctx, record, loginId, enrollId);
  return reasonOf(() => removeUser(ctx, loginId, undoMsOf(record)));
}

/**
 * Withdraws what a row has enrolled, then removes the user that it has created, or enables or disables them as before.
 * All of it is safe to repeat. What else a row has updated stays, because the earlier values are not known.
 */
export async function undoRow(
  ctx: TenantContext,
  { record, line: { login_id: loginId, fields, result } }: { record: ImportRecord; line: ImportLine },
  removeUser: RemoveUser,
): Promise<RowUndo> {
  const { enrollId, user, enrolment } = result ?? {};
  const undo: RowUndo = { users: 0, restored: 0, enrolments: 0, reason: null };
  if (enrolment === 'created') {
    // The erasure of a person has withdrawn their enrolments.
    if (loginId !== null && enrollId) undo.reason = await withdraw(ctx, record, loginId, enrollId);
    if (undo.reason === null) undo.enrolments = 1;
  }
  if (user === 'created') {
    const reason = loginId === null ? null : await remove(ctx, { record, loginId }, removeUser);
    if (reason === null) undo.users = 1;
    undo.reason ??= reason;
  }
  const changed = user === 'updated' ? (result?.changed ?? []) : [];
  const enabled = /^(?:true|false)$/.exec(fields.Enabled ?? '')?.[0];
  const isRestored =
    loginId !== null &&
    changed.includes('Enabled') &&
    enabled !== undefined &&
    (await restore(ctx, loginId, enabled === 'false'));
  if (isRestored) undo.restored = 1;
  const isUpdated = changed.some((name) => name !== 'Enabled' || !isRestored) || enrolment === 'updated';
  if (isUpdated || (user === 'updated' && changed.length === 0)) undo.reason ??= 'updated';
  return undo;
}

export const hasEffect = ({ result }: ImportLine) =>
  result !== null && [result.user, result.enrolment].some((one) => one === 'created' || one === 'updated');

export function countUndos(before: UndoCounts, undos: readonly RowUndo[]): UndoCounts {
  const counts = { ...before };
  for (const { users, restored, enrolments, reason } of undos) {
    counts.Done++;
    counts.UsersRemoved += users;
    counts.UsersRestored += restored;
    counts.EnrolmentsWithdrawn += enrolments;
    if (reason !== null) counts.Kept++;
  }
  return counts;
}
