import type { FastifyRequest } from 'fastify';
import { decodeJwt, type JWTPayload } from 'jose';
import { updateOwn } from '../../db/own-rows.ts';
import { transaction } from '../../db/transaction.ts';
import type { RouteResponse } from '../../http/routes.ts';
import { type Form, fieldOf } from '../../http/validation/validation.ts';
import { type Context, type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { appendAudit } from '../audit/chain.ts';
import { rejectReplay } from '../lti/nonces.ts';
import { Rejected, toRejected, verifyByKey, verifyByUrl } from '../lti/verify.ts';
import { openTenant, readChoice } from './messages.ts';
import { chosenPage, failedPage } from './pages.ts';
import { findTool, platformUrls, recordProblem, type ToolRow } from './tools.ts';

/** Verifies what a tool has signed. */
export async function verifyTool(
  ctx: TenantContext,
  tool: Pick<ToolRow, 'client_id' | 'jwks_url' | 'public_key'>,
  token: string,
  { audience, requiredClaims }: { audience: string | string[]; requiredClaims: string[] },
): Promise<JWTPayload> {
  // Nonces are kept for an hour, so older tokens could be replayed.
  const options = { issuer: tool.client_id, audience, requiredClaims, maxTokenAge: 3_500 };
  if (tool.jwks_url !== null) return verifyByUrl(ctx, tool.jwks_url, token, options);
  return verifyByKey(ctx, tool.public_key ?? '', token, options);
}

const claim = (name: string) => `https://purl.imsglobal.org/spec/lti/claim/${name}`;
const own = (name: string) => `https://purl.imsglobal.org/spec/lti-dl/claim/${name}`;

type Item = { url: string | null; custom: Record<string, string> };

/** Custom parameters are text; tools send numbers too. Others are ignored. */
function customOf(value: unknown): Record<string, string> {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(
    entries.flatMap(([name, one]) =>
      /^[A-Za-z0-9_.-]{1,64}$/.test(name) && ['string', 'number', 'boolean'].includes(typeof one)
        ? [[name, String(one).slice(0, 2_000)]]
        : [],
    ),
  );
}

/** The first resource link that was chosen; null if there is none (deep linking 2.0, 4.5). */
function itemOf(payload: JWTPayload): Item | null {
  if (payload[claim('message_type')] !== 'LtiDeepLinkingResponse')
    throw new Rejected('malformed', 'The message_type is not LtiDeepLinkingResponse.');
  if (payload[claim('version')] !== '1.3.0') throw new Rejected('malformed', 'The version is not 1.3.0.');
  const items = payload[own('content_items')];
  const list = (Array.isArray(items) ? items : []) as Record<string, unknown>[];
  const item = list.find((one) => one?.type === 'ltiResourceLink');
  if (!item) return null;
  const { url = null } = item;
  if (url !== null && (typeof url !== 'string' || url.length > 2_048 || !/^https?:\/\/\S+$/.test(url)))
    throw new Rejected('malformed', 'The url of the content is not a web URL.');
  return { url, custom: customOf(item.custom) };
}

/** Stores what an administrator chose in the tool, which signs its answer. */
export async function chooseContent(
  ctx: Context,
  request: FastifyRequest,
  { tenantId, form }: { tenantId: string; form: Form },
): Promise<RouteResponse> {
  const token = fieldOf(form, 'JWT');
  const place = readChoice(ctx, dataOf(token));
  const tenant = place?.tenantId === tenantId ? await openTenant(ctx, tenantId) : null;
  const tool = place && tenant && (await findTool(tenant, place));
  if (!tenant || !tool) return failedPage(request, { status: 400, code: 'unknown_choice' });
  try {
    const payload = await verifyTool(tenant, tool, token, {
      audience: platformUrls(tenant).issuer,
      requiredClaims: ['exp', 'iat', 'nonce'],
    });
    const item = itemOf(payload);
    await transaction(tenant, async (ctx) => {
      await rejectReplay(ctx, `content ${String(payload.nonce)}`);
      if (item) await storeItem(ctx, tool, item);
    });
    return chosenPage(request, item !== null);
  } catch (error) {
    const { problem, message } = toRejected(error);
    await recordProblem(
      tenant,
      ['course_id', tool.course_id],
      'content',
      `The chosen content was rejected: ${problem}. ${message}`,
    );
    return failedPage(request, { status: 401, code: problem, detail: message });
  }
}

/** Only names the course. What it says counts when the token has been verified. */
function dataOf(token: string): string {
  try {
    return String(decodeJwt(token)[own('data')]);
  } catch {
    return '';
  }
}

async function storeItem(ctx: TenantContext, tool: ToolRow, { url, custom }: Item): Promise<void> {
  const { course_id: courseId } = tool;
  await updateOwn(ctx, 'lti_tool', { course_id: courseId })
    .set({
      ...(url !== null && { target_link_uri: url }),
      custom: JSON.stringify({ ...tool.custom, ...custom }),
      updated_at: tenantNow(ctx),
    })
    .execute();
  const Changed = ['TargetLinkURI', 'Custom'];
  await appendAudit(ctx, ctx.tenantId, { action: 'tool.changed', targetId: courseId, data: { Changed } });
}
