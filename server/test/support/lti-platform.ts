import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** The fields of a platform at this origin. */
export const platformAt = (origin: string, deploymentId = '1', clientId = 'lectern') => ({
  Name: 'Moodle',
  Issuer: origin,
  ClientID: clientId,
  DeploymentIDs: [deploymentId],
  AuthURL: `${origin}/auth`,
  TokenURL: `${origin}/token`,
  JWKSURL: `${origin}/certs`,
});

export const claim = (name: string) => `https://purl.imsglobal.org/spec/lti/claim/${name}`;

type Changes = { header?: Record<string, string>; key?: Parameters<SignJWT['sign']>[0] };
export type Score = { address: string; type: string | undefined; body: Record<string, unknown> };

/** A small LTI 1.3 platform of our own, with its own keys, tokens and grade book. */
export async function startPlatform(now: () => Date) {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const kid = 'platform-1';
  const published = { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' };
  const scores: Score[] = [];
  const tokens: URLSearchParams[] = [];
  /** The grade book: `link person` → score of 100. */
  const grades = new Map<string, number>();
  /** Links whose scores are refused. */
  const refusals = new Map<string, { status: number; retryAfter?: string }>();
  /** Links whose scores are kept, but whose responses are lost. */
  const losing = new Set<string>();
  const answers = { token: '', milliseconds: 0 };
  /** The notices that were ordered. */
  const ordered: { authorization: string | undefined; body: Record<string, unknown> }[] = [];
  /** The pages of members of each context, and a status other than 200. */
  const members = new Map<string, { pages: Record<string, unknown>[][]; status?: number }>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const json = (status: number, value: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://unused');
    if (pathname === '/certs') return json(200, { keys: [published] });
    if (pathname === '/.well-known/openid-configuration')
      return json(200, {
        issuer: origin,
        authorization_endpoint: `${origin}/auth`,
        token_endpoint: `${origin}/token`,
        jwks_uri: `${origin}/certs`,
        registration_endpoint: `${origin}/register`,
      });
    if (pathname === '/register') {
      const tool = 'https://purl.imsglobal.org/spec/lti-tool-configuration';
      return json(200, { client_id: 'registered', [tool]: { deployment_id: '1' } });
    }
    if (pathname === '/token') {
      tokens.push(new URLSearchParams(body));
      // As Moodle 4.5, if it cannot read the keyset of the tool.
      if (answers.token === 'page')
        return response.writeHead(404, { 'content-type': 'text/html' }).end('<p>Error');
      if (answers.token) return json(400, { error: answers.token });
      return json(200, { access_token: 'access', token_type: 'Bearer', expires_in: 3600 });
    }
    if (pathname === '/notices' && request.method === 'PUT') {
      ordered.push({ authorization: request.headers.authorization, body: JSON.parse(body) });
      return json(200, JSON.parse(body));
    }
    const link = pathname.split('/')[2] ?? '';
    if (pathname.startsWith('/members/')) {
      const { pages = [], status = 200 } = members.get(link) ?? {};
      const page = Number(searchParams.get('page') ?? 0);
      if (page + 1 < pages.length)
        response.setHeader(
          'link',
          `<${origin}${pathname}?page=0>; rel="first", <${origin}${pathname}?page=${page + 1}>; rel="next"`,
        );
      return json(status, { id: request.url, context: { id: link }, members: pages[page] ?? [] });
    }
    if (pathname.endsWith('/results')) {
      const userId = searchParams.get('user_id') ?? '';
      const resultScore = grades.get(`${link} ${userId}`);
      return json(200, resultScore === undefined ? [] : [{ userId, resultScore, resultMaximum: 100 }]);
    }
    const refusal = refusals.get(link);
    if (refusal) {
      if (refusal.retryAfter) response.setHeader('retry-after', refusal.retryAfter);
      return json(refusal.status, { error: 'refused' });
    }
    if (answers.milliseconds > 0) await pause(answers.milliseconds);
    const score = JSON.parse(body);
    const isOld = scores.some(
      (one) =>
        one.address === request.url &&
        one.body.userId === score.userId &&
        String(one.body.timestamp) >= score.timestamp,
    );
    if (isOld) return json(409, { error: 'not newer' });
    scores.push({ address: request.url ?? '', type: request.headers['content-type'], body: score });
    if (score.scoreGiven === undefined) grades.delete(`${link} ${score.userId}`);
    else grades.set(`${link} ${score.userId}`, score.scoreGiven);
    if (losing.has(link)) return request.socket.destroy();
    return json(200, {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const seconds = () => Math.floor(now().getTime() / 1000);

  /** The claims of a launch by this person. */
  const claims = (nonce: string, more: Record<string, unknown> = {}) => ({
    iss: origin,
    aud: 'lectern',
    sub: 'ada',
    iat: seconds(),
    exp: seconds() + 60,
    nonce,
    given_name: 'Ada',
    family_name: 'Lovelace',
    email: 'ada@example.com',
    [claim('message_type')]: 'LtiResourceLinkRequest',
    [claim('version')]: '1.3.0',
    [claim('deployment_id')]: '1',
    [claim('resource_link')]: { id: 'link-1' },
    [claim('roles')]: ['http://purl.imsglobal.org/vocab/lis/v2/membership#Learner'],
    ...more,
  });
  const sign = (payload: Record<string, unknown>, { header = {}, key = privateKey }: Changes = {}) =>
    new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid, ...header }).sign(key);
  const close = async () => {
    server.close();
    server.closeAllConnections();
  };
  return { origin, claims, sign, scores, tokens, ordered, grades, refusals, losing, members, answers, close };
}

export type TestPlatform = Awaited<ReturnType<typeof startPlatform>>;

/** Goes through the login like a browser. Returns what the platform is asked, and how to answer it. */
export async function login(
  baseUrl: string,
  platform: Pick<TestPlatform, 'origin'>,
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
) {
  const query = new URLSearchParams({
    iss: platform.origin,
    client_id: 'lectern',
    login_hint: '3',
    target_link_uri: `${baseUrl}/lti/launch`,
    ...fields,
  });
  const reply = await fetch(`${baseUrl}/lti/login?${query}`, { headers, redirect: 'manual' });
  const cookie = reply.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const html = await reply.text();
  const location =
    reply.headers.get('location') ?? /<a href="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
  const asked = new URLSearchParams(new URL(location ?? 'http://none/').search);
  const state = asked.get('state') ?? '';
  const post = (fields: Record<string, string>, headers: Record<string, string> = { cookie }) =>
    fetch(`${baseUrl}/lti/launch`, {
      method: 'POST',
      body: new URLSearchParams({ state, ...fields }),
      headers,
      redirect: 'manual',
    });
  return { reply, html, asked, nonce: asked.get('nonce') ?? '', state, cookie, post };
}
