import type { FastifyRequest } from 'fastify';
import type { RouteResponse } from '../../http/routes.ts';
import { type Form, fieldOf } from '../../http/validation/validation.ts';
import type { Context } from '../../infra/context/context.ts';
import { newSecret, sha256 } from '../../lib/ids.ts';
import { isFramed } from '../delivery/player/click.ts';
import { byHandPage, problemPage, storePage, windowPage } from './pages.ts';
import { findClients, toolUrls } from './platforms.ts';
import { browserCookie, keepBrowser, newNonce, type State, writeState } from './state.ts';

/** The parameters of a login (OIDC third-party initiated login, and LTI 1.3). */
const loginFields = [
  'iss',
  'client_id',
  'login_hint',
  'lti_message_hint',
  'target_link_uri',
  'lti_deployment_id',
  'deployment_id',
] as const;

/** Canvas calls the deployment `deployment_id`. */
export const deploymentOf = (form: Form) =>
  fieldOf(form, 'lti_deployment_id') || fieldOf(form, 'deployment_id');

/**
 * Sends the browser on to the platform, which answers with a launch. Frames first try a cookie here, because Moodle
 * answers each login once, so that a window which opens after its answer comes too late.
 */
export async function startLogin(ctx: Context, request: FastifyRequest, form: Form): Promise<RouteResponse> {
  const issuer = fieldOf(form, 'iss');
  if (issuer === '' && fieldOf(form, 'login_hint') === '') return byHandPage(request);
  const clients = await findClients(ctx, {
    issuer,
    clientId: fieldOf(form, 'client_id') || null,
    deploymentId: deploymentOf(form) || null,
  });
  const [client] = clients;
  if (!client) {
    ctx.log.warn({ issuer, client: fieldOf(form, 'client_id') }, 'a login from an unknown LTI platform');
    return problemPage(request, 'unknown_platform');
  }
  if (clients.length > 1) return problemPage(request, 'several_clients');
  const login = new URLSearchParams(
    loginFields.flatMap((name) => {
      const value = fieldOf(form, name);
      return value === '' ? [] : [[name, value] as [string, string]];
    }),
  ).toString();
  const browser = keepBrowser(ctx, request);
  const target = fieldOf(form, 'lti_storage_target');
  const isWindow = fieldOf(form, 'lectern_window') === 'true';
  if (isFramed(request) && target === '' && browserCookie(ctx, request) === null)
    return fieldOf(form, 'lectern_tried') === 'true'
      ? windowPage(ctx, request, login)
      : redirect(`${toolUrls(ctx).login}?${login}&lectern_tried=true`, browser.header);
  const secret = target === '' || isWindow ? null : newSecret('lti');
  const state: State = {
    issuer,
    clientId: client.client_id,
    nonce: newNonce(ctx),
    at: ctx.now().getTime(),
    browser: sha256(browser.value),
    storage: secret === null ? null : { hash: sha256(secret), target: target.slice(0, 255) },
    isWindow,
    login,
  };
  const to = new URL(client.auth_url);
  const parameters = {
    scope: 'openid',
    response_type: 'id_token',
    response_mode: 'form_post',
    prompt: 'none',
    client_id: client.client_id,
    redirect_uri: toolUrls(ctx).launch,
    login_hint: fieldOf(form, 'login_hint'),
    ...(fieldOf(form, 'lti_message_hint') && { lti_message_hint: fieldOf(form, 'lti_message_hint') }),
    nonce: state.nonce,
    state: writeState(ctx, state),
  };
  to.search = new URLSearchParams([...to.searchParams, ...Object.entries(parameters)]).toString();
  if (secret !== null)
    return storePage(request, { state, secret, location: to.href, cookie: browser.header });
  return redirect(to.href, browser.header);
}

const redirect = (location: string, cookie: string): RouteResponse => ({
  status: 303,
  headers: {
    Location: location,
    'Set-Cookie': cookie,
    'Cache-Control': 'no-store',
    'Cross-Origin-Opener-Policy': 'unsafe-none',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors *",
  },
});
