import { setTimeout as delay } from 'node:timers/promises';
import type { Context, TenantContext } from '../../platform/context.ts';
import { forTenant } from '../../platform/db/owners.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { Problem } from '../../platform/errors.ts';
import { findTenantByName } from '../tenants/find-by-name.ts';
import { readToken } from '../tenants/token.ts';
import { pageFunction, readPassword, storePassword } from '../users/passwords.ts';
import { requestReset } from '../users/resets/request.ts';
import { findReset, findResetUser, type ResetHandle, useReset } from '../users/resets/use.ts';
import { toOpenInvitation } from './accept-invitation.ts';
import { recordGuess, resetHash } from './guesses.ts';
import type { OpenInvitation } from './schemas.ts';
import { setPasswordByLink } from './set-password-by-link.ts';
import { auditFailure } from './sign-in-audit.ts';

/**
 * Longer than the work for an existing user takes, so the response time does not reveal whether the
 * user exists.
 */
const responseMilliseconds = 300;

type Request = { TenantID: string; LoginID: string };

/** Responds in the same way whether or not the user exists, and counts every request. */
export async function forgetPassword(ctx: Context, input: Request): Promise<void> {
  if (ctx.config.mail === null)
    throw new Problem(
      'mail_not_configured',
      'This service sends no email. Ask your administrator for a new invitation.',
    );
  await recordGuess(ctx, resetHash(ctx, input));
  const began = performance.now();
  await mailLink(ctx, input);
  // Round the time up to a multiple, because the work may take longer when the service is busy.
  await delay(responseMilliseconds - ((performance.now() - began) % responseMilliseconds));
}

async function mailLink(ctx: Context, { TenantID, LoginID }: Request): Promise<void> {
  const tenant = await findTenantByName(ctx, TenantID);
  if (tenant?.status !== 'active') return;
  await requestReset(forTenant(ctx, tenant.tenant_id), LoginID);
}

function ended(): Problem {
  return new Problem(
    'reset_ended',
    'The link has been used or has expired. Request another one on the sign-in page.',
  );
}

function handleOf(token: string): ResetHandle | null {
  const handle = readToken(token);
  return handle?.tenantId ? { tenantId: handle.tenantId, hash: handle.hash } : null;
}

/** Reads the information for the link's page, without using up the link. */
export async function readOpenReset(ctx: Context, input: { token: string }): Promise<OpenInvitation> {
  const handle = handleOf(input.token);
  const found = handle && (await findReset(ctx, handle));
  if (!found) throw ended();
  return toOpenInvitation(ctx, found);
}

type Choice = { token: string; password: string; userAgent: string | null };

/**
 * Hashes the password. The returned function sets it and returns the token of a new session. The
 * link works once.
 */
export async function resetPassword(ctx: Context, input: Choice): Promise<() => Promise<string>> {
  const handle = handleOf(input.token);
  const found = handle && (await findReset(ctx, handle));
  if (!found) return () => refuse(ctx, handle);
  const passwordHash = await storePassword(ctx, readPassword(input.password, pageFunction(found.declared)));
  const { tenantId } = handle;
  const reset = async (ctx: TenantContext) => {
    const user = await useReset(ctx, handle);
    if (!user) return null;
    const { userAgent } = input;
    return setPasswordByLink(ctx, { tenantId, user, passwordHash, userAgent, method: 'reset' });
  };
  return async () => (await transaction(forTenant(ctx, tenantId), reset)) ?? refuse(ctx, handle);
}

async function refuse(ctx: Context, handle: ResetHandle | null): Promise<never> {
  const named = handle && (await findResetUser(ctx, handle));
  await auditFailure(ctx, { tenantId: named ? handle.tenantId : null, method: 'reset', named });
  throw ended();
}
