import assert from 'node:assert/strict';
import { createOperatorLink } from '../../src/domain/sign-in/operator-links.ts';
import type { Reply } from './send.ts';
import type { TestService } from './service.ts';
import type { TestTenant } from './tenant.ts';

export const tokenOf = (url: string) => new URL(url).searchParams.get('token') ?? '';

/** Presses the button on the link's page. */
export const press = (service: TestService, url: string, headers: Record<string, string> = {}) =>
  fetch(`${service.baseUrl}/session/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams({ token: tokenOf(url) }),
  });

/** The cookie of a new session. */
export async function useLink(service: TestService, url: string): Promise<string> {
  const reply = await press(service, url);
  assert.equal(reply.status, 303);
  return reply.headers.get('set-cookie')?.split(';')[0] ?? '';
}

export async function signInUser(service: TestService, tenant: TestTenant, loginId: string): Promise<string> {
  const { body } = await tenant.api('POST', `/user/session/${encodeURIComponent(loginId)}`);
  return useLink(service, body.SignInURL);
}

export async function signInOperator(service: TestService): Promise<string> {
  return useLink(service, (await createOperatorLink(service.ctx)).SignInURL);
}

export const ownPage = { 'sec-fetch-site': 'same-origin' };

/** Sends requests as our own pages would with this cookie. Other `headers` imitate a page of another site. */
export type Browser = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Reply>;

export const browser =
  (service: TestService, cookie: string): Browser =>
  (method, path, body, headers = ownPage) =>
    service.api(method, path, body, '', { cookie, ...headers });
