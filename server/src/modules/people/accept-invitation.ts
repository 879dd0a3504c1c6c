import type { Context, TenantContext } from '../../platform/context.ts';
import { forTenant } from '../../platform/db/owners.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { Problem } from '../../platform/errors.ts';
import { pageBranding } from '../tenants/branding/known-branding.ts';
import {
  findInvited,
  findPending,
  type PendingInvitation,
  useInvitation,
} from '../users/invitations/accept.ts';
import { type InvitationHandle, readInvitationToken } from '../users/invitations/link.ts';
import { pageFunction, readPassword, storePassword } from '../users/passwords.ts';
import type { OpenInvitation } from './schemas.ts';
import { setPasswordByLink } from './set-password-by-link.ts';
import { auditFailure } from './sign-in-audit.ts';

function ended(): Problem {
  return new Problem(
    'invitation_ended',
    'The link has been used, has expired or was revoked. Ask for a new invitation, or sign in with your password.',
  );
}

/** Reads the information for the link's page, without using up the link. */
export async function readOpenInvitation(ctx: Context, input: { token: string }): Promise<OpenInvitation> {
  const handle = readInvitationToken(input.token);
  const found = handle && (await findPending(ctx, handle));
  if (!found) throw ended();
  return toOpenInvitation(ctx, found);
}

export async function toOpenInvitation(ctx: Context, found: PendingInvitation): Promise<OpenInvitation> {
  return {
    TenantID: found.tenant_id,
    TenantName: found.tenant_name,
    LoginID: found.login_id,
    FirstName: found.first_name,
    LastName: found.last_name,
    ExpiresAt: found.expires_at.toISOString(),
    PasswordHash: pageFunction(found.declared),
    Branding: await pageBranding(ctx, found.tenant_id),
  };
}

type Acceptance = { token: string; password: string; userAgent: string | null };

/**
 * Hashes the password. The returned function sets it and returns the token of a new session. The
 * link works once.
 */
export async function acceptInvitation(ctx: Context, input: Acceptance): Promise<() => Promise<string>> {
  const handle = readInvitationToken(input.token);
  const found = handle && (await findPending(ctx, handle));
  if (!found) return () => refuse(ctx, handle);
  const password = readPassword(input.password, pageFunction(found.declared));
  const passwordHash = await storePassword(ctx, password);
  const { tenantId } = handle;
  const accept = async (ctx: TenantContext) => {
    const user = await useInvitation(ctx, handle);
    if (!user) return null;
    const { userAgent } = input;
    const { scopes: limit } = user;
    return setPasswordByLink(ctx, { tenantId, user, passwordHash, userAgent, method: 'invitation', limit });
  };
  return async () => (await transaction(forTenant(ctx, tenantId), accept)) ?? refuse(ctx, handle);
}

async function refuse(ctx: Context, handle: InvitationHandle | null): Promise<never> {
  const named = handle && (await findInvited(ctx, handle));
  await auditFailure(ctx, { tenantId: named ? handle.tenantId : null, method: 'invitation', named });
  throw ended();
}
