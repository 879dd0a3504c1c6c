import { updateOwn } from '../../db/own-rows.ts';
import { run } from '../../db/transaction.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { ScimError } from './protocol.ts';

const windowHours = 24;
/** Below this, the guard never stops: in a small company, one person is more than a tenth. */
const always = 3;

/** Thrown when a sync would disable too many users. `serve.ts` records it after the rollback. */
export class GuardStopped extends ScimError {}

const count = `
select count(*)::integer as enabled from "user" known where known.tenant_id = $1 and known.enabled`;

type Window = {
  guard_percent: number;
  window_from: Date | null;
  window_users: number;
  disabled: number;
  confirmed_until: Date | null;
};

/** The lock makes the disablings of a tenant count one after the other. */
const lock = `
insert into provisioning as own (tenant_id, updated_at) values ($1, $2)
on conflict (tenant_id) do update set tenant_id = own.tenant_id
returning own.guard_percent, own.window_from, own.window_users, own.disabled, own.confirmed_until`;

/**
 * Counts one user that a sync disables. Throws if that were more than the tenant's share within 24 hours, unless an
 * administrator has confirmed it. Call it in the transaction of the change.
 */
export async function guardDisabling(ctx: TenantContext): Promise<void> {
  const now = ctx.now();
  const [own] = await run<Window>(ctx, lock, [ctx.tenantId, now]);
  if (!own || (own.confirmed_until && own.confirmed_until > now)) return;
  const isOpen = own.window_from && now.getTime() - own.window_from.getTime() < windowHours * 3_600_000;
  const [known] = isOpen ? [] : await run<{ enabled: number }>(ctx, count, [ctx.tenantId]);
  const users = known?.enabled ?? own.window_users;
  const disabled = (isOpen ? own.disabled : 0) + 1;
  if (disabled > Math.max(always, Math.floor((users * own.guard_percent) / 100)))
    throw new GuardStopped(
      403,
      `This sync would disable more than ${own.guard_percent} % of the users within ${windowHours} hours, so it has been stopped. An administrator must confirm it with POST /provisioning/confirm or on the Single sign-on page of the console.`,
    );
  await updateOwn(ctx, 'provisioning')
    .set({ disabled, window_users: users, window_from: isOpen ? own.window_from : now })
    .execute();
}
