import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { NewPasskey, PasskeyAnswer } from '../../src/domain/sign-in/passkeys/schemas.ts';
import { findUserId } from '../../src/domain/users/users.ts';
import type { Config } from '../../src/infra/context/config.ts';
import { newId } from '../../src/lib/ids.ts';
import type { Reply } from './send.ts';
import type { TestService } from './service.ts';
import { type Browser, browser, ownPage } from './sign-in.ts';
import { expectStatus } from './tenant.ts';

/** Browsers allow passkeys only at a host name. */
export function useHostName(service: TestService): void {
  const config = service.ctx.config as { -readonly [K in keyof Config]: Config[K] };
  config.baseUrl = service.baseUrl.replace('127.0.0.1', 'localhost');
}

const encode = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest();
/** Bytes with a two-byte length in CBOR. */
const cborBytes = (bytes: Uint8Array) =>
  Buffer.concat([Buffer.from([0x59, bytes.length >> 8, bytes.length & 255]), bytes]);
const cborText = (text: string) => Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);

export type Fake = {
  origin?: string;
  rpId?: string;
  /** UP and UV by default. */
  flags?: number;
  count?: number;
  type?: string;
  crossOrigin?: boolean;
  fmt?: string;
};

const counterOf = (count: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(count);
  return bytes;
};

/** An authenticator with one ES256 credential. */
export function newAuthenticator(service: { ctx: { config: Pick<Config, 'baseUrl'> } }) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(32);
  const clientData = (challenge: string, type: string, fake: Fake) =>
    Buffer.from(
      JSON.stringify({
        type: fake.type ?? type,
        challenge,
        origin: fake.origin ?? service.ctx.config.baseUrl,
        crossOrigin: fake.crossOrigin ?? false,
      }),
    );
  const head = (flags: number, fake: Fake) =>
    Buffer.concat([sha256(fake.rpId ?? 'localhost'), Buffer.from([flags]), counterOf(fake.count ?? 0)]);
  const coseKey = Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]),
    Buffer.from(x, 'base64url'),
    Buffer.from([0x22, 0x58, 0x20]),
    Buffer.from(y, 'base64url'),
  ]);
  const create = (challenge: string, fake: Fake = {}, Name = 'Laptop'): NewPasskey => {
    const authData = Buffer.concat([
      head(fake.flags ?? 0x45, fake),
      Buffer.alloc(16),
      Buffer.from([0, id.length]),
      id,
      coseKey,
    ]);
    const attestation = Buffer.concat([
      Buffer.from([0xa3]),
      cborText('fmt'),
      cborText(fake.fmt ?? 'none'),
      cborText('attStmt'),
      Buffer.from([0xa0]),
      cborText('authData'),
      cborBytes(authData),
    ]);
    return {
      Name,
      CredentialID: encode(id),
      ClientData: encode(clientData(challenge, 'webauthn.create', fake)),
      AttestationObject: encode(attestation),
      Transports: ['internal'],
    };
  };
  const get = (challenge: string, fake: Fake = {}): PasskeyAnswer => {
    const data = clientData(challenge, 'webauthn.get', fake);
    const authData = head(fake.flags ?? 0x05, fake);
    const signature = sign('sha256', Buffer.concat([authData, sha256(data)]), privateKey);
    return {
      CredentialID: encode(id),
      ClientData: encode(data),
      AuthenticatorData: encode(authData),
      Signature: encode(signature),
    };
  };
  return { create, get };
}
export type Authenticator = ReturnType<typeof newAuthenticator>;

export const challengeOf = async (page: Browser, Purpose: 'add' | 'use'): Promise<string> => {
  const reply = await page('POST', '/session/passkey/challenge', { Purpose });
  expectStatus(reply, 200);
  return reply.body.Challenge;
};

/** The browser after a response that gave it a cookie. */
export function pageAfter(service: TestService, reply: Reply): Browser {
  const cookie = reply.headers.get('set-cookie')?.split(';')[0];
  assert.ok(cookie, JSON.stringify(reply.body));
  return browser(service, cookie);
}

export const hashOf = (password: string) => createHash('sha256').update(password).digest('hex');

type Names = { TenantID: string; LoginID: string };

export async function signInByPassword(
  service: TestService,
  { TenantID, LoginID }: Names,
  password = 'right',
) {
  const body = { TenantID, LoginID, Password: hashOf(password) };
  const reply = await service.api('POST', '/session', body, '', ownPage);
  expectStatus(reply, 200);
  return { page: pageAfter(service, reply), step: reply.body.NextStep };
}

export async function addWith(
  service: TestService,
  page: Browser,
  key: Authenticator,
  name?: string,
): Promise<{ page: Browser; PasskeyID: string }> {
  const made = await page('POST', '/session/passkey', key.create(await challengeOf(page, 'add'), {}, name));
  expectStatus(made, 201);
  return { page: pageAfter(service, made), PasskeyID: made.body.PasskeyID };
}

export async function useWith(service: TestService, page: Browser, key: Authenticator, fake: Fake = {}) {
  const used = await page('POST', '/session/passkey/use', key.get(await challengeOf(page, 'use'), fake));
  expectStatus(used, 200);
  return pageAfter(service, used);
}

/** Leaves a passkey as if the user had added it when they were an administrator. */
export async function leavePasskey(service: TestService, { TenantID, LoginID }: Names, name: string) {
  const ctx = { ...service.ctx, tenantId: TenantID };
  const now = service.ctx.now();
  const { CredentialID: credential_id } = newAuthenticator(service).create('x');
  const row = { passkey_id: newId(now), name, credential_id, public_key: 'x', sign_count: 0, transports: [] };
  const user_id = (await findUserId(ctx, LoginID)) ?? '';
  const values = { tenant_id: TenantID, user_id, ...row, created_at: now, last_used_at: null };
  await ctx.db.insertInto('passkey').values(values).execute();
  return row.passkey_id;
}
