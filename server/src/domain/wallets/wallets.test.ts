import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { verifySDJWT } from '@meeco/sd-jwt';
import { Openid4vciClient, setGlobalConfig } from '@openid4vc/openid4vci';
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc';
import {
  compactVerify,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTHeaderParameters,
  SignJWT,
} from 'jose';
import { movableClock } from '../../../test/support/clock.ts';
import { startService } from '../../../test/support/service.ts';
import { expectStatus, newCourse, newTenant, type TestTenant } from '../../../test/support/tenant.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
before(() => setGlobalConfig({ allowInsecureUrls: true }));
after(service.close);

type Json = Record<string, unknown>;

async function passedBy(tenant: TestTenant, CourseID: string) {
  const LoginID = await tenant.user({ FirstName: 'Ada', LastName: 'Lovelace' });
  const { EnrollID } = (await tenant.api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  const path = `/enrolment/${LoginID}/${EnrollID}`;
  const Override = { Success: 'passed', Score: 90, Reason: 'Exam on paper' };
  expectStatus(await tenant.api('PUT', path, { Override }), 200);
  const { body } = await tenant.api('GET', `${path}/certificate`);
  return { LoginID, path: `${path}/certificate`, number: String(body.Number) };
}

async function certified(Certificate: object = { On: 'passed', ValidFor: 'P1Y' }) {
  const tenant = await newTenant(service, { Name: 'Acme' });
  const CourseID = await newCourse(service, { Title: 'Fire safety', Certificate });
  const issuer = `${service.baseUrl}/issuer/${tenant.TenantID}`;
  const own = await passedBy(tenant, CourseID);
  const offer = async () => {
    const reply = await tenant.api('POST', `${own.path}/offer`);
    expectStatus(reply, 201);
    return String(reply.body.OfferURL);
  };
  return { tenant, CourseID, issuer, offer, ...own };
}

const codeOf = (offerUrl: string): string => {
  const offer = JSON.parse(new URL(offerUrl).searchParams.get('credential_offer') ?? '');
  return offer.grants['urn:ietf:params:oauth:grant-type:pre-authorized_code']['pre-authorized_code'];
};

async function send(url: string, body: string | object, headers: Record<string, string> = {}) {
  const isText = typeof body === 'string';
  const reply = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': isText ? 'application/x-www-form-urlencoded' : 'application/json',
      ...headers,
    },
    body: isText ? body : JSON.stringify(body),
  });
  return { status: reply.status, headers: reply.headers, body: (await reply.json()) as Json };
}

const tokenRequest = (code: string) =>
  new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:pre-authorized_code',
    'pre-authorized_code': code,
  }).toString();

async function accessOf(issuer: string, offerUrl: string): Promise<string> {
  const { status, body } = await send(`${issuer}/token`, tokenRequest(codeOf(offerUrl)));
  assert.equal(status, 200);
  return String(body.access_token);
}

const nonceOf = async (issuer: string) => String((await send(`${issuer}/nonce`, '')).body.c_nonce);

async function newWallet(alg = 'ES256') {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(publicKey);
  const proof = (claims: Json, header: Partial<JWTHeaderParameters> = {}) =>
    new SignJWT({ iat: Math.floor(clock.now().getTime() / 1000), ...claims })
      .setProtectedHeader({ alg, typ: 'openid4vci-proof+jwt', jwk, ...header })
      .sign(privateKey);
  return { jwk, privateKey, proof };
}

const askFor = (issuer: string, access: string, proof: string, change: Json = {}) =>
  send(
    `${issuer}/credential`,
    { credential_configuration_id: 'certificate', proofs: { jwt: [proof] }, ...change },
    { authorization: `Bearer ${access}` },
  );

/** The key with which verifiers check what the issuer signed, found as they do. */
async function issuerKey(issuer: string, kid: string): Promise<JWK> {
  const { origin, pathname } = new URL(issuer);
  const reply = await fetch(`${origin}/.well-known/jwt-vc-issuer${pathname}`);
  const { issuer: name, jwks } = (await reply.json()) as { issuer: string; jwks: { keys: JWK[] } };
  assert.equal(name, issuer);
  const key = jwks.keys.find((one) => one.kid === kid);
  assert.ok(key);
  return key;
}

const headerOf = (jwt: string): Json =>
  JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString());
const hasher = (data: string | ArrayBuffer, alg: string) =>
  new Uint8Array(
    createHash(alg.replace('-', ''))
      .update(typeof data === 'string' ? data : Buffer.from(data))
      .digest(),
  );

/** A verifier of another project, with the status list and the holder's signature. */
async function verifySdJwtVc(credential: string, options?: { nonce: string }) {
  const verifyWith = (key: JWK) => async (data: string, signature: string) =>
    compactVerify(`${data}.${signature}`, await importJWK(key, 'ES256')).then(
      () => true,
      () => false,
    );
  const [jwt = ''] = credential.split('~');
  const payload = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
  const key = await issuerKey(payload.iss, String(headerOf(jwt).kid));
  const verifier = new SDJwtVcInstance({
    verifier: verifyWith(key),
    kbVerifier: (data, signature, { cnf }) => verifyWith((cnf as { jwk: JWK }).jwk)(data, signature),
    hasher,
    hashAlg: 'sha-256',
    saltGenerator: () => randomBytes(16).toString('base64url'),
    statusListFetcher: async (uri) => {
      const reply = await fetch(uri, { headers: { accept: 'application/statuslist+jwt' } });
      assert.equal(reply.headers.get('content-type'), 'application/statuslist+jwt');
      return reply.text();
    },
    statusVerifier: verifyWith(key),
  });
  // The status list is signed when it is fetched, which may be in the next second.
  const currentDate = Math.floor(clock.now().getTime() / 1000) + 2;
  return verifier.verify(credential, {
    currentDate,
    ...(options && { keyBindingNonce: options.nonce, requiredClaimKeys: [] }),
  });
}

test('a wallet of another project gets a certificate from an offer, which other projects verify', async () => {
  const { tenant, issuer, offer, number } = await certified();
  const wallet = await newWallet();
  const client = new Openid4vciClient({
    callbacks: {
      hash: (data: Uint8Array, alg: string) => hasher(new Uint8Array(data).buffer, alg),
      generateRandom: (bytes: number) => randomBytes(bytes),
      signJwt: async (_: unknown, { header, payload }: { header: object; payload: Json }) => ({
        jwt: await new SignJWT(payload)
          .setProtectedHeader(header as JWTHeaderParameters)
          .sign(wallet.privateKey),
        signerJwk: wallet.jwk as { kty: string },
      }),
      clientAuthentication: () => {},
    },
  });
  const credentialOffer = await client.resolveCredentialOffer(await offer());
  const issuerMetadata = await client.resolveIssuerMetadata(credentialOffer.credential_issuer);
  const { accessTokenResponse } = await client.retrievePreAuthorizedCodeAccessTokenFromOffer({
    credentialOffer,
    issuerMetadata,
  });
  const { c_nonce: nonce } = await client.requestNonce({ issuerMetadata });
  const signer = { method: 'jwk', alg: 'ES256', publicJwk: wallet.jwk } as never;
  const { jwt } = await client.createCredentialRequestJwtProof({
    ...{ issuerMetadata, signer, nonce, credentialConfigurationId: 'certificate' },
    issuedAt: clock.now(),
  });
  const { credentialResponse } = await client.retrieveCredentials({
    ...{ issuerMetadata, credentialConfigurationId: 'certificate' },
    accessToken: accessTokenResponse.access_token,
    proofs: { jwt: [jwt] },
  });
  const [{ credential = '' } = {}] = (credentialResponse?.credentials ?? []) as { credential?: string }[];

  const { payload } = await verifySdJwtVc(credential);
  const { name, result, score, course_title, issuer_name, certificate_number, vct } = payload as Json;
  assert.deepEqual([name, result, score], ['Ada Lovelace', 'passed', 90]);
  assert.deepEqual([course_title, issuer_name, certificate_number], ['Fire safety', 'Acme', number]);
  assert.deepEqual([vct, (payload as Json).iss], ['urn:lectern:certificate:1', issuer]);
  const { kty, crv, x, y } = wallet.jwk;
  assert.deepEqual((payload as Json).cnf, { jwk: { kty, crv, x, y } });

  const [issued = '', ...disclosures] = credential.split('~');
  const key = await issuerKey(issuer, String(headerOf(issued).kid));
  const unpacked = await verifySDJWT(
    credential,
    async (text) => {
      await compactVerify(text, await importJWK(key, 'ES256'));
      return true;
    },
    async (alg) => (data) => createHash(alg.replace('-', '')).update(data).digest('base64url'),
  );
  assert.deepEqual([unpacked.name, unpacked.certificate_number], ['Ada Lovelace', number]);

  const kept = disclosures.filter((one) => Buffer.from(one, 'base64url').toString().includes('"result"'));
  const shown = await verifySdJwtVc(`${[issued, ...kept].join('~')}~`);
  assert.equal((shown.payload as Json).result, 'passed');
  assert.equal('name' in shown.payload, false);

  expectStatus(await tenant.api('POST', `/certificate/${number}/revoke`, { Reason: 'A mistake' }), 200);
  await assert.rejects(verifySdJwtVc(credential), /[Ss]tatus/);
});

test('a code can be used once, for five minutes, at its tenant, and not after a newer offer', async () => {
  const own = await certified();
  const other = await certified();
  const redeem = (issuer: string, code: string) => send(`${issuer}/token`, tokenRequest(code));
  const rejects = async (issuer: string, code: string) => {
    const { status, body } = await redeem(issuer, code);
    assert.deepEqual([status, body.error], [400, 'invalid_grant']);
  };
  const code = codeOf(await own.offer());
  await rejects(other.issuer, code);
  const replies = await Promise.all(Array.from({ length: 5 }, () => redeem(own.issuer, code)));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 400, 400, 400, 400]);
  const [won] = replies.filter(({ status }) => status === 200);
  assert.equal(won?.headers.get('cache-control'), 'no-store');

  const older = codeOf(await own.offer());
  const newer = codeOf(await own.offer());
  await rejects(own.issuer, older);
  clock.advance({ seconds: 301 });
  await rejects(own.issuer, newer);
  await rejects(own.issuer, '');
  await rejects(own.issuer, "' or true --");
  const { status, body } = await send(`${own.issuer}/token`, 'grant_type=client_credentials');
  assert.deepEqual([status, body.error], [400, 'unsupported_grant_type']);
  assert.equal((await send(`${service.baseUrl}/issuer/nobody/token`, tokenRequest(newer))).status, 404);
});

test('a credential is only for a key that its wallet has, and a proof only for this issuer and moment', async () => {
  const { issuer, offer } = await certified();
  const other = await certified();
  const access = await accessOf(issuer, await offer());
  const wallet = await newWallet();
  const thief = await newWallet();
  const nonce = await nonceOf(issuer);
  const aud = issuer;
  const good = await wallet.proof({ aud, nonce });
  const [head = '', body = '', signature = ''] = good.split('.');
  const text = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const secret = new SignJWT({ aud, nonce, iat: Math.floor(clock.now().getTime() / 1000) })
    .setProtectedHeader({ alg: 'HS256', typ: 'openid4vci-proof+jwt', jwk: wallet.jwk })
    .sign(Buffer.from(JSON.stringify(wallet.jwk)));
  const wrong: [string, string][] = [
    [await wallet.proof({ aud: other.issuer, nonce }), 'invalid_proof'],
    [await wallet.proof({ nonce }), 'invalid_proof'],
    [await wallet.proof({ aud }), 'invalid_nonce'],
    [await wallet.proof({ aud, nonce: 'guessed' }), 'invalid_nonce'],
    [await wallet.proof({ aud, nonce: await nonceOf(other.issuer) }), 'invalid_nonce'],
    [await wallet.proof({ aud, nonce: access }), 'invalid_nonce'],
    [await wallet.proof({ aud, nonce, iat: 0 }), 'invalid_proof'],
    [await wallet.proof({ aud, nonce }, { typ: 'JWT' }), 'invalid_proof'],
    [await wallet.proof({ aud, nonce }, { jwk: thief.jwk }), 'invalid_proof'],
    [`${text({ alg: 'none', typ: 'openid4vci-proof+jwt', jwk: wallet.jwk })}.${body}.`, 'invalid_proof'],
    [`${head}.${text({ aud, nonce, iat: 1 })}.${signature}`, 'invalid_proof'],
    [await secret, 'invalid_proof'],
    ['x', 'invalid_proof'],
  ];
  for (const [proof, error] of wrong) {
    const { status, body } = await askFor(issuer, access, proof);
    assert.deepEqual([status, body.error], [400, error], proof);
  }
  const unknown = await askFor(issuer, access, good, { credential_configuration_id: 'diploma' });
  assert.deepEqual([unknown.status, unknown.body.error], [400, 'unknown_credential_configuration']);
  const none = await askFor(issuer, access, good, { proofs: { jwt: [good, good] } });
  assert.deepEqual([none.status, none.body.error], [400, 'invalid_proof']);
  for (const [at, token] of [
    [other.issuer, access],
    [issuer, nonce],
    [issuer, `${access.slice(0, -1)}${access.endsWith('A') ? 'B' : 'A'}`],
    [issuer, own(access)],
  ] as const) {
    const { status, headers } = await askFor(at, token, good);
    assert.deepEqual([status, headers.get('www-authenticate')], [401, 'Bearer error="invalid_token"']);
  }
  assert.equal((await askFor(issuer, access, good)).status, 200);
  clock.advance({ seconds: 301 });
  assert.equal(
    (await askFor(issuer, access, await wallet.proof({ aud, nonce: await nonceOf(issuer) }))).status,
    401,
  );
  const late = await accessOf(issuer, await offer());
  const old = await askFor(issuer, late, await wallet.proof({ aud, nonce }));
  assert.deepEqual([old.status, old.body.error], [400, 'invalid_nonce']);
});

/** The token of another certificate, with the signature of this one. */
function own(access: string): string {
  const [body = '', ...signature] = access.split('.');
  const token = JSON.parse(Buffer.from(body, 'base64url').toString());
  const changed = { ...token, certificateId: '00000000-0000-7000-8000-000000000000' };
  return [Buffer.from(JSON.stringify(changed)).toString('base64url'), ...signature].join('.');
}

test('what a wallet puts into its key does not get into the credential', async () => {
  const { issuer, offer } = await certified();
  for (const alg of ['ES256', 'ES384', 'Ed25519', 'RS256'].map((one) =>
    one === 'Ed25519' ? 'EdDSA' : one,
  )) {
    const wallet = await newWallet(alg);
    const access = await accessOf(issuer, await offer());
    const jwk = { ...wallet.jwk, kid: '<script>', x5c: ['AAAA'] };
    const proof = await wallet.proof({ aud: issuer, nonce: await nonceOf(issuer) }, { jwk });
    const { status, body } = await askFor(issuer, access, proof);
    assert.equal(status, 200, `${alg}: ${JSON.stringify(body)}`);
    const [{ credential = '' } = {}] = body.credentials as { credential: string }[];
    const { payload } = await verifySdJwtVc(credential);
    assert.deepEqual((payload as Json).cnf, { jwk: wallet.jwk });
  }
});

test('nothing is offered or given once a certificate is revoked, has ended, or its person is erased', async () => {
  const { tenant, issuer, offer, number, path, CourseID } = await certified();
  const wallet = await newWallet();
  const access = await accessOf(issuer, await offer());
  const open = codeOf(await offer());
  const ask = async (token: string) =>
    askFor(issuer, token, await wallet.proof({ aud: issuer, nonce: await nonceOf(issuer) }));
  expectStatus(await tenant.api('POST', `/certificate/${number}/revoke`, { Reason: 'A mistake' }), 200);
  assert.equal((await ask(access)).status, 401);
  const late = await send(`${issuer}/token`, tokenRequest(open));
  assert.equal((await ask(String(late.body.access_token))).status, 401);
  const refused = await tenant.api('POST', `${path}/offer`);
  assert.deepEqual([refused.status, refused.body.code], [409, 'certificate_not_valid']);

  const second = await passedBy(tenant, CourseID);
  const offered = await tenant.api('POST', `${second.path}/offer`);
  const token = await accessOf(issuer, offered.body.OfferURL);
  expectStatus(await tenant.api('DELETE', `/user/${second.LoginID}`), 200);
  assert.equal((await ask(token)).status, 401);

  const ending = await certified({ On: 'passed', ValidFor: 'P1D' });
  clock.advance({ days: 3 });
  assert.equal((await ending.tenant.api('POST', `${ending.path}/offer`)).status, 409);
});
