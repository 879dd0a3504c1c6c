import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';

/** A record can be removed on the condition that it is untouched for this long after its creation, by default. */
export const undoMs = 3_600_000;

const details = {
  older: 'The record was created too long ago.',
  changed: 'The record has been changed since it was created.',
  used: 'The record has been used since it was created.',
  enrolled: 'The user is enrolled. Withdraw the enrolments first.',
} as const;

type Touches = { createdAt: Date; changedAt: Date; isUsed: boolean; isEnrolled?: boolean };

/**
 * Throws `touched` if a record is older than `untouchedMs`, has been changed or used since it was created, or
 * belongs to a user whose enrolments must be withdrawn first.
 */
export function requireUntouched(
  ctx: TenantContext,
  { createdAt, changedAt, isUsed, isEnrolled = false }: Touches,
  untouchedMs = undoMs,
): void {
  const reason = reasonOf();
  if (reason) throw new Problem('touched', `Nothing was changed. ${details[reason]}`, { reason });

  function reasonOf(): keyof typeof details | null {
    if (isUsed) return 'used';
    if (changedAt.getTime() !== createdAt.getTime()) return 'changed';
    if (tenantNow(ctx).getTime() - createdAt.getTime() > untouchedMs) return 'older';
    return isEnrolled ? 'enrolled' : null;
  }
}
