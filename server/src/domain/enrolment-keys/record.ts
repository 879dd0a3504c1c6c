import type { Selectable } from 'kysely';
import type { EnrolmentKeyTable } from '../../db/engine/generated.ts';
import { recordOf } from '../../http/records.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import { EnrolmentKey, type KeyStatus } from './schemas.ts';

export type KeyRow = Selectable<EnrolmentKeyTable>;
export type KeyWithNames = KeyRow & { login_id: string | null; redeemer: string | null };

type KeyState = Pick<KeyRow, 'redeemed_at' | 'revoked_at' | 'valid_from' | 'valid_until'>;

export function keyStatus(row: KeyState, now: Date): KeyStatus {
  if (row.redeemed_at) return 'redeemed';
  if (row.revoked_at) return 'revoked';
  if (row.valid_until <= now) return 'expired';
  return row.valid_from > now ? 'scheduled' : 'available';
}

/** SQL condition on `held`: the condition of the partial index that contains keys with this status. */
export function indexOf(status: KeyStatus): string {
  if (status === 'redeemed') return 'held.redeemed_at is not null';
  if (status === 'revoked') return 'held.revoked_at is not null and held.redeemed_at is null';
  return 'held.redeemed_at is null and held.revoked_at is null';
}

/** SQL condition for `keyStatus`. */
export function isStatusSql(status: KeyStatus, now: () => string): string {
  const times: Partial<Record<KeyStatus, () => string>> = {
    expired: () => `held.valid_until <= ${now()}`,
    scheduled: () => `held.valid_until > ${now()} and held.valid_from > ${now()}`,
    available: () => `held.valid_until > ${now()} and held.valid_from <= ${now()}`,
  };
  return [indexOf(status), times[status]?.() ?? 'true'].join(' and ');
}

export function selectKeys(ctx: TenantContext) {
  return ctx.db
    .selectFrom('enrolment_key')
    .leftJoin('user as holder', (join) =>
      join.on('holder.tenant_id', '=', ctx.tenantId).onRef('holder.user_id', '=', 'enrolment_key.user_id'),
    )
    .leftJoin('user as redeemer', (join) =>
      join
        .on('redeemer.tenant_id', '=', ctx.tenantId)
        .onRef('redeemer.user_id', '=', 'enrolment_key.redeemed_by'),
    )
    .selectAll('enrolment_key')
    .select(['holder.login_id as login_id', 'redeemer.login_id as redeemer'])
    .where('enrolment_key.tenant_id', '=', ctx.tenantId);
}

export function toKey(ctx: TenantContext, row: KeyWithNames): EnrolmentKey {
  return recordOf(EnrolmentKey, row, {
    Status: keyStatus(row, tenantNow(ctx)),
    Group: row.group_name,
    RedeemedBy: row.redeemer,
    EnrollIDs: row.enroll_ids ?? [],
  });
}

export function keyNotFound(): Problem {
  return new Problem(
    'key_not_found',
    'The enrolment key does not exist. Check it, or list the keys with GET /enrolment/key.',
    { param: 'Key' },
  );
}
