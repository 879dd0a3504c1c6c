import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type Configuration } from 'oidc-provider';

/** Claims of an account, without `sub`, which is the account's name. */
export type Accounts = Record<string, Record<string, unknown>>;

export type TestProvider = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  accounts: Accounts;
  close: () => Promise<void>;
};

const read = async (request: IncomingMessage) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return new URLSearchParams(Buffer.concat(chunks).toString());
};

/** An OpenID provider on 127.0.0.1 whose pages refuse to be shown in frames, as those of all large providers do. */
export async function startProvider(redirectUris: string[], accounts: Accounts = {}): Promise<TestProvider> {
  const handler: { handle?: (request: IncomingMessage, response: ServerResponse) => unknown } = {};
  const server = createServer((request, response) => {
    response.setHeader('X-Frame-Options', 'DENY');
    void handler.handle?.(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [clientId, clientSecret] = ['lectern', 'correct horse battery staple'];
  const configuration: Configuration = {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: redirectUris,
        post_logout_redirect_uris: redirectUris.map((uri) => `${new URL(uri).origin}/console/`),
      },
    ],
    claims: {
      openid: ['sub', 'groups'],
      profile: ['given_name', 'family_name', 'preferred_username'],
      email: ['email', 'email_verified'],
    },
    findAccount: (_ctx, id) => ({ accountId: id, claims: async () => ({ sub: id, ...accounts[id] }) }),
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? '',
        accountId: oidc.session?.accountId ?? '',
      });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
    },
  };
  const provider = new Provider(issuer, configuration);
  const callback = provider.callback();
  handler.handle = async (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return callback(request, response);
    if (request.method === 'POST') {
      const accountId = (await read(request)).get('account') ?? '';
      const result =
        accountId === ''
          ? { error: 'access_denied', error_description: 'cancelled' }
          : { login: { accountId } };
      return provider.interactionFinished(request, response, result);
    }
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(
      `<!doctype html><html lang="en"><title>Provider</title><form method="post"><label>Account <input name="account"></label><button>Sign in</button></form></html>`,
    );
  };
  return {
    issuer,
    clientId,
    clientSecret,
    accounts,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A browser without scripts: it keeps cookies by host and port, and follows redirects. */
export function plainBrowser() {
  const jars = new Map<string, Map<string, string>>();
  const visit = async (address: string, init: RequestInit = {}): Promise<Response & { body: unknown }> => {
    const { host } = new URL(address);
    const jar = jars.get(host) ?? new Map<string, string>();
    jars.set(host, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await fetch(address, { redirect: 'manual', ...init, headers: { cookie, ...init.headers } });
    for (const set of reply.headers.getSetCookie()) {
      const [pair = ''] = set.split(';');
      const at = pair.indexOf('=');
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(set)) jar.delete(pair.slice(0, at));
      else jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return reply as never;
  };
  /** Follows redirects until a page, and signs in when the provider asks. Stops before `stopAt`. */
  const signIn = async (address: string, account: string, stopAt?: RegExp) => {
    let reply = await visit(address);
    let at = address;
    for (let hop = 0; hop < 15; hop++) {
      const location = reply.headers.get('location');
      if (location) {
        at = new URL(location, at).href;
        if (stopAt?.test(at)) return { at, reply };
        reply = await visit(at);
      } else if (/\/interaction\//.test(at)) {
        const body = new URLSearchParams({ account });
        reply = await visit(at, { method: 'POST', body });
      } else return { at, reply };
    }
    throw new Error(`too many redirects at ${at}`);
  };
  const cookiesOf = (address: string) => jars.get(new URL(address).host) ?? new Map<string, string>();
  return { visit, signIn, cookiesOf };
}
