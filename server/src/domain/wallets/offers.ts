import { randomBytes } from 'node:crypto';
import { deleteOwn, ownRows } from '../../db/own-rows.ts';
import { transaction } from '../../db/transaction.ts';
import { type Context, type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { signToken, verifyToken } from '../../infra/keys/key-ring.ts';
import { Problem } from '../../lib/errors.ts';
import { sha256 } from '../../lib/ids.ts';
import { appendAudit } from '../audit/chain.ts';
import { findOfEnrolment } from '../certificates/certificates.ts';
import { showNumber } from '../certificates/record/number.ts';
import { type CertificateRow, statusOf } from '../certificates/record/record.ts';
import { configurationId, issuerOf } from './metadata.ts';
import type { WalletOffer } from './schemas.ts';

/** OpenID4VCI 1.0 §13.6.1 advises a short lifetime, because anyone who sees the code can use it. */
const offerMilliseconds = 5 * 60_000;
export const accessSeconds = 300;
const nonceMilliseconds = 5 * 60_000;

const grant = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';

/** Offers the newest certificate of an enrolment to a wallet. An earlier offer of it ends. */
export async function createOffer(
  ctx: TenantContext,
  input: { loginId: string; enrollId: string },
): Promise<WalletOffer> {
  const certificate = await findOfEnrolment(ctx, input);
  const status = statusOf(certificate, tenantNow(ctx));
  if (status !== 'valid')
    throw new Problem(
      'certificate_not_valid',
      `The certificate is ${status}, so that a wallet would not accept it.`,
      { param: 'EnrollID' },
    );
  const code = randomBytes(24).toString('base64url');
  const expiresAt = new Date(ctx.now().getTime() + offerMilliseconds);
  const offer = { code_hash: sha256(code), expires_at: expiresAt };
  await transaction(ctx, async (ctx) => {
    await ctx.db
      .insertInto('wallet_offer')
      .values({ tenant_id: ctx.tenantId, certificate_id: certificate.certificate_id, ...offer })
      .onConflict((conflict) => conflict.columns(['tenant_id', 'certificate_id']).doUpdateSet(offer))
      .execute();
    await appendAudit(ctx, ctx.tenantId, {
      action: 'certificate.offered',
      targetId: showNumber(certificate.number),
      data: {},
    });
  });
  const credentialOffer = JSON.stringify({
    credential_issuer: issuerOf(ctx),
    credential_configuration_ids: [configurationId],
    grants: { [grant]: { 'pre-authorized_code': code } },
  });
  return {
    OfferURL: `openid-credential-offer://?${new URLSearchParams({ credential_offer: credentialOffer })}`,
    ExpiresAt: expiresAt.toISOString(),
  };
}

type Access = { tenantId: string; certificateId: string; until: number };

/** Uses a code, which is possible once. Returns an access token; null if the code is unknown, used or expired. */
export async function redeemCode(ctx: TenantContext, code: string): Promise<string | null> {
  const used = await deleteOwn(ctx, 'wallet_offer', { code_hash: sha256(code) })
    .returning(['certificate_id', 'expires_at'])
    .executeTakeFirst();
  const now = ctx.now();
  if (!used || used.expires_at <= now) return null;
  const until = now.getTime() + accessSeconds * 1_000;
  const access: Access = { tenantId: ctx.tenantId, certificateId: used.certificate_id, until };
  return signToken(ctx.keys, 'wallet-access', access);
}

/** The certificate that an access token is for; null if the token is invalid, or the certificate no longer is. */
export async function admitWallet(ctx: TenantContext, token: string): Promise<CertificateRow | null> {
  const access = verifyToken(ctx.keys, 'wallet-access', token) as Access | null;
  if (!access || access.tenantId !== ctx.tenantId || access.until <= ctx.now().getTime()) return null;
  const row = await ownRows(ctx, 'certificate', { certificate_id: access.certificateId })
    .selectAll()
    .where('user_id', 'is not', null)
    .$narrowType<{ number: string }>()
    .executeTakeFirst();
  return row && statusOf(row, tenantNow(ctx)) === 'valid' ? row : null;
}

type Nonce = { tenantId: string; random: string; until: number };

export function newNonce(ctx: TenantContext): string {
  const until = ctx.now().getTime() + nonceMilliseconds;
  const nonce: Nonce = { tenantId: ctx.tenantId, random: randomBytes(12).toString('base64url'), until };
  return signToken(ctx.keys, 'wallet-nonce', nonce);
}

/** Whether this service gave out the nonce for a proof to this tenant, a short while ago. */
export function isFresh(ctx: Context & { tenantId: string }, nonce: unknown): boolean {
  const known =
    typeof nonce === 'string' ? (verifyToken(ctx.keys, 'wallet-nonce', nonce) as Nonce | null) : null;
  return known?.tenantId === ctx.tenantId && known.until > ctx.now().getTime();
}
