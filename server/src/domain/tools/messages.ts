import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { fullName } from '../../../../standards/full-name.ts';
import { ownRows } from '../../db/own-rows.ts';
import { forTenant } from '../../db/transaction.ts';
import type { RouteResponse } from '../../http/routes.ts';
import { type Form, fieldOf } from '../../http/validation/validation.ts';
import { type Context, type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { signToken, verifyToken } from '../../infra/keys/key-ring.ts';
import { contentOrigin } from '../delivery/player/content-origins.ts';
import { type AuHandle, readAuToken, writeAuToken } from '../delivery/protocols/cmi5/fetch-token.ts';
import { readAuSession } from '../enrolments/run-time/au-sessions.ts';
import { accessEnd } from '../enrolments/run-time/progress-cache.ts';
import { signMessage } from '../lti/sign-message.ts';
import { knownTenant } from '../tenants/tenants.ts';
import { failedPage, sendPage, windowPage } from './pages.ts';
import { deploymentId, findTool, platformUrls, recordProblem, type ToolRow } from './tools.ts';

/** What a login is for: a learner's session of the player, or the choice of contents by an administrator. */
type Message = { at: number } & (
  | { kind: 'launch'; session: AuHandle; isWindow: boolean }
  | { kind: 'content'; tenantId: string; courseId: string }
);

const messageMinutes = 10;
const choiceMinutes = 60;

const writeMessage = (ctx: Context, message: Message): string => signToken(ctx.keys, 'lti-message', message);

/** Null if the token is forged or too old. The cast is safe, because only we can sign a message. */
function readMessage(ctx: Context, token: string, minutes = messageMinutes): Message | null {
  const message = verifyToken(ctx.keys, 'lti-message', token) as Message | null;
  return message && ctx.now().getTime() - message.at < minutes * 60_000 ? message : null;
}

const placeOf = (message: Message) => (message.kind === 'launch' ? message.session : message);

/** The tenant, unless it is suspended or unknown. */
export async function openTenant(ctx: Context, tenantId: string): Promise<TenantContext | null> {
  const tenant = await knownTenant.get(ctx, tenantId);
  return tenant && tenant.Status !== 'suspended' ? forTenant(ctx, tenantId) : null;
}

/** The URL at which an administrator chooses what the course opens. */
export function contentUrl(ctx: TenantContext, courseId: string): string {
  const { tenantId } = ctx;
  const message = writeMessage(ctx, { kind: 'content', tenantId, courseId, at: ctx.now().getTime() });
  return `${ctx.config.baseUrl}/lti/tool?${new URLSearchParams({ message })}`;
}

/** The course of a choice of contents that the tool sends back. */
export function readChoice(ctx: Context, data: string): { tenantId: string; courseId: string } | null {
  const message = readMessage(ctx, data, choiceMinutes);
  return message?.kind === 'content' ? message : null;
}

/** Sends the browser from the player, or from the console, to the login of the tool. */
export async function startTool(ctx: Context, request: FastifyRequest, query: Form): Promise<RouteResponse> {
  const isWindow = fieldOf(query, 'window') === 'true';
  const session = readAuToken(ctx, fieldOf(query, 'session'));
  const message: Message | null =
    session?.use === 'tool'
      ? { kind: 'launch', session, isWindow, at: ctx.now().getTime() }
      : readMessage(ctx, fieldOf(query, 'message'));
  const own = message && (await openTenant(ctx, placeOf(message).tenantId));
  const tool = message && own && (await findTool(own, placeOf(message)));
  if (!message || !own || !tool) return failedPage(request, { status: 404, code: 'unknown_launch' });
  if (message.kind === 'launch' && !(await learnerOf(own, message.session)))
    return failedPage(request, { status: 410, code: 'session_ended' });
  if (tool.own_window && message.kind === 'launch' && !isWindow)
    return windowPage(request, { title: tool.title, url: `${ctx.config.baseUrl}${request.url}&window=true` });
  const to = new URL(tool.login_url);
  const parameters = {
    iss: platformUrls(own).issuer,
    client_id: tool.client_id,
    lti_deployment_id: deploymentId,
    login_hint: message.kind,
    target_link_uri: message.kind === 'launch' ? tool.target_link_uri : targetOfChoice(tool),
    lti_message_hint: writeMessage(ctx, message),
  };
  for (const [name, value] of Object.entries(parameters)) to.searchParams.set(name, value);
  return {
    status: 303,
    headers: {
      Location: to.href,
      'Cache-Control': 'no-store',
      'Cross-Origin-Opener-Policy': 'unsafe-none',
      'Content-Security-Policy': "default-src 'none'; frame-ancestors *",
    },
  };
}

/** Contents are chosen at the tool's own URL, whatever the course opens. */
const targetOfChoice = ({ redirect_uris, target_link_uri }: ToolRow) => redirect_uris[0] ?? target_link_uri;

/** The person of a session, while it is the latest one of the enrolment and the learner has access. */
async function learnerOf(ctx: TenantContext, session: AuHandle) {
  const found = await readAuSession(ctx, session);
  if (!found || found.ended_at !== null || accessEnd(found, tenantNow(ctx)) !== null) return null;
  const person = await ownRows(ctx, 'user', { user_id: found.user_id })
    .select(['user_id', 'first_name', 'last_name', 'email', 'login_id'])
    .executeTakeFirst();
  return person ?? null;
}

const claim = (name: string) => `https://purl.imsglobal.org/spec/lti/claim/${name}`;
const roles = 'http://purl.imsglobal.org/vocab/lis/v2';
export const learnerRole = `${roles}/membership#Learner`;
export const serviceScopes = {
  lineItem: 'https://purl.imsglobal.org/spec/lti-ags/scope/lineitem.readonly',
  result: 'https://purl.imsglobal.org/spec/lti-ags/scope/result.readonly',
  score: 'https://purl.imsglobal.org/spec/lti-ags/scope/score',
  members: 'https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly',
} as const;

export type Person = {
  user_id: string;
  first_name: string | null;
  last_name: string | null;
  email: string | null;
};

/** What the tool may know about a person (OIDC standard claims). */
export function personClaims({ shares }: Pick<ToolRow, 'shares'>, person: Person) {
  const { first_name: first, last_name: last, email } = person;
  const name = fullName(first, last);
  return {
    ...(shares.includes('name') && {
      ...(name && { name }),
      ...(first && { given_name: first }),
      ...(last && { family_name: last }),
    }),
    ...(shares.includes('email') && email && { email }),
  };
}

/** The claims of every message (LTI 1.3, 5.3 and 5.4). */
function commonClaims(ctx: TenantContext, tool: ToolRow, nonce: string) {
  return {
    nonce,
    [claim('version')]: '1.3.0',
    [claim('deployment_id')]: deploymentId,
    [claim('tool_platform')]: { guid: ctx.tenantId, product_family_code: 'lectern' },
    [claim('context')]: {
      ...{ id: tool.course_id, label: tool.course_id, title: tool.title },
      // The short name (LTI 1.3, A.1), because Moodle 4.2 knows the long one with https only.
      type: ['CourseOffering'],
    },
  };
}

function launchClaims(ctx: TenantContext, tool: ToolRow, session: AuHandle, isWindow: boolean) {
  const urls = platformUrls(ctx, tool.course_id);
  const origin = contentOrigin(ctx, { use: 'launch', ...session });
  const { lineItem, result, score, members } = serviceScopes;
  return {
    [claim('message_type')]: 'LtiResourceLinkRequest',
    [claim('target_link_uri')]: tool.target_link_uri,
    [claim('resource_link')]: { id: tool.course_id, title: tool.title },
    [claim('roles')]: [learnerRole],
    [claim('custom')]: tool.custom,
    [claim('launch_presentation')]: {
      document_target: isWindow ? 'window' : 'iframe',
      return_url: `${origin}/play/${writeAuToken(ctx, 'content', session)}/returned`,
      ...(tool.language !== null && { locale: tool.language }),
    },
    'https://purl.imsglobal.org/spec/lti-ags/claim/endpoint': {
      scope: [lineItem, result, score],
      lineitems: urls.lineItems,
      lineitem: urls.lineItem,
    },
    'https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice': {
      context_memberships_url: urls.members,
      service_versions: ['2.0'],
      scope: [members],
    },
  };
}

function choiceClaims(ctx: TenantContext, tool: ToolRow, data: string) {
  return {
    [claim('message_type')]: 'LtiDeepLinkingRequest',
    [claim('target_link_uri')]: targetOfChoice(tool),
    [claim('roles')]: [`${roles}/membership#Instructor`, `${roles}/institution/person#Administrator`],
    'https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings': {
      ...{ deep_link_return_url: platformUrls(ctx).chosen, data },
      ...{ accept_types: ['ltiResourceLink'], accept_presentation_document_targets: ['iframe', 'window'] },
      ...{ accept_multiple: false, accept_lineitem: false, auto_create: false },
    },
  };
}

/** What is wrong with an authentication request (OIDC core 3.1.2.2, LTI security framework 5.1.1.2); null if nothing is. */
function problemOf(form: Form, tool: ToolRow, message: Message): string | null {
  if (fieldOf(form, 'client_id') !== tool.client_id)
    return 'The client_id is not that of this course. Enter the ClientID of the course in the tool.';
  const redirect = fieldOf(form, 'redirect_uri');
  if (!tool.redirect_uris.includes(redirect))
    return `The redirect_uri ${redirect.slice(0, 200)} is not registered. Add it to RedirectURIs.`;
  if (fieldOf(form, 'login_hint') !== message.kind) return 'The login_hint was changed by the tool.';
  if (fieldOf(form, 'response_type') !== 'id_token') return 'The response_type is not id_token.';
  if (fieldOf(form, 'response_mode') !== 'form_post') return 'The response_mode is not form_post.';
  if (!fieldOf(form, 'scope').split(' ').includes('openid')) return 'The scope is not openid.';
  return fieldOf(form, 'nonce') === '' ? 'The nonce is missing.' : null;
}

/** Answers the tool's authentication request with a signed message, which the browser posts to the tool. */
export async function authenticateAtTool(
  ctx: Context,
  request: FastifyRequest,
  { tenantId, form }: { tenantId: string; form: Form },
): Promise<RouteResponse> {
  const message = readMessage(ctx, fieldOf(form, 'lti_message_hint'));
  const place = message && placeOf(message);
  const own = place?.tenantId === tenantId ? await openTenant(ctx, tenantId) : null;
  const tool = own && place && (await findTool(own, place));
  if (!message || !own || !tool) return failedPage(request, { status: 400, code: 'unknown_launch' });
  const problem = problemOf(form, tool, message);
  if (problem !== null) {
    await recordProblem(own, ['course_id', tool.course_id], 'login', problem);
    return failedPage(request, { status: 400, code: 'invalid_request', detail: problem });
  }
  const person = message.kind === 'launch' ? await learnerOf(own, message.session) : null;
  if (message.kind === 'launch' && !person)
    return failedPage(request, { status: 410, code: 'session_ended' });
  const claims =
    message.kind === 'launch'
      ? launchClaims(own, tool, message.session, message.isWindow)
      : choiceClaims(own, tool, writeMessage(ctx, { ...message, at: ctx.now().getTime() }));
  const token = await signMessage(own, {
    issuer: platformUrls(own).issuer,
    audience: tool.client_id,
    subject: person?.user_id ?? `administrator-${randomUUID()}`,
    claims: {
      ...commonClaims(own, tool, fieldOf(form, 'nonce')),
      ...claims,
      ...(person && personClaims(tool, person)),
    },
  });
  return sendPage(request, {
    to: fieldOf(form, 'redirect_uri'),
    fields: { id_token: token, ...(fieldOf(form, 'state') && { state: fieldOf(form, 'state') }) },
  });
}
