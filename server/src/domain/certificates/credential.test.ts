import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { get } from 'node:http';
import { json } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { deflateSync, gunzipSync } from 'node:zlib';
import {
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  jwtVerify,
  SignJWT,
} from 'jose';
import { movableClock } from '../../../test/support/clock.ts';
import { startService } from '../../../test/support/service.ts';
import {
  expectProblem,
  expectStatus,
  newCourse,
  newTenant,
  type TestTenant,
} from '../../../test/support/tenant.ts';
import { forTenant } from '../../db/transaction.ts';
import { signingKey } from '../identity/tenant-keys.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);

type Json = Record<string, unknown>;

async function certified(fields: object = {}) {
  const tenant = await newTenant(service, { Name: 'Acme' });
  const CourseID = await newCourse(service, {
    Title: 'Fire safety',
    Certificate: { On: 'passed', ValidFor: 'P1Y' },
  });
  return { tenant, CourseID, ...(await passedBy(tenant, CourseID, fields)) };
}

async function passedBy(tenant: TestTenant, CourseID: string, fields: object = {}) {
  const LoginID = await tenant.user({ FirstName: 'Ada', LastName: 'Lovelace', ...fields });
  const { EnrollID } = (await tenant.api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  const path = `/enrolment/${LoginID}/${EnrollID}`;
  const Override = { Success: 'passed', Score: 90, Reason: 'Exam on paper' };
  expectStatus(await tenant.api('PUT', path, { Override }), 200);
  const { body } = await tenant.api('GET', `${path}/certificate`);
  const as = async (accept: string) => {
    const headers = { authorization: `Bearer ${tenant.key}`, accept };
    const reply = await fetch(`${service.baseUrl}${path}/certificate`, { headers });
    assert.equal(reply.headers.get('content-type'), accept);
    return Buffer.from(await reply.arrayBuffer());
  };
  return { number: body.Number as string, verifyUrl: body.VerifyURL as string, LoginID, as };
}

const didOf = async ({ TenantID }: TestTenant) =>
  (await fetch(`${service.baseUrl}/issuer/${TenantID}/did.json`)).json();

/** As an outsider would: with the published document only. */
async function verifyJwt(tenant: TestTenant, text: string): Promise<Json> {
  const did = await didOf(tenant);
  const { kid = '' } = decodeProtectedHeader(text);
  assert.ok(did.assertionMethod.includes(kid), kid);
  const { publicKeyJwk } = did.verificationMethod.find(({ id }: { id: string }) => id === kid);
  const key = await importJWK(publicKeyJwk);
  return (await jwtVerify(text, key, { currentDate: clock.now() })).payload;
}

async function check(file: Buffer | string): Promise<{ Result: string; Certificate: Json | null }> {
  const headers = { 'content-type': 'application/octet-stream' };
  const body = new Uint8Array(Buffer.from(file));
  const reply = await fetch(`${service.baseUrl}/verify`, { method: 'POST', body, headers });
  assert.equal(reply.status, 200);
  return (await reply.json()) as { Result: string; Certificate: Json | null };
}

test('the credential is signed by the tenant, and its status list tells revoked ones apart', async () => {
  const { tenant, number, verifyUrl, as } = await certified();
  const jwt = (await as('application/vc+jwt')).toString();
  const did = await didOf(tenant);
  const jwks = await (await fetch(`${service.baseUrl}/issuer/${tenant.TenantID}/jwks.json`)).json();
  assert.equal(JSON.stringify([did, jwks]).includes('"d"'), false);
  const credential = await verifyJwt(tenant, jwt);
  assert.deepEqual([credential.iss, credential.jti], [did.id, verifyUrl]);
  assert.ok((await as('image/png')).includes(Buffer.from(`openbadgecredential\0\0\0\0\0${jwt}`)));
  assert.ok((await as('image/svg+xml')).toString().includes(`<openbadges:credential verify="${jwt}">`));
  const { statusListIndex, statusListCredential } = credential.credentialStatus as Record<string, string>;
  const listText = async () => (await fetch(statusListCredential ?? '')).text();
  const isRevoked = async () => {
    const { encodedList } = (await verifyJwt(tenant, await listText())).credentialSubject as Json;
    const bits = gunzipSync(Buffer.from(String(encodedList).slice(1), 'base64url'));
    assert.equal(bits.length, 131_072 / 8);
    const index = Number(statusListIndex);
    return ((bits[index >> 3] ?? 0) & (0x80 >> (index & 7))) !== 0;
  };
  assert.equal(await isRevoked(), false);
  expectStatus(await tenant.api('POST', `/certificate/${number}/revoke`, { Reason: 'x' }), 200);
  assert.equal(await isRevoked(), true);
  const [head = '', body = '', signature = ''] = (await listText()).split('.');
  const emptied = Buffer.from(body, 'base64url')
    .toString()
    .replace(/"encodedList":"u[^"]+"/, '"encodedList":"uH4sI"');
  await assert.rejects(
    verifyJwt(tenant, [head, Buffer.from(emptied).toString('base64url'), signature].join('.')),
  );
});

test('each format of a certificate passes the check of files', async () => {
  const { number, as } = await certified();
  const types = ['application/pdf', 'application/vc+jwt', 'application/vc', 'image/png', 'image/svg+xml'];
  for (const type of [...types, 'application/vc+ld+json']) {
    const file = await as(type);
    assert.ok(file.equals(await as(type)), type);
    const { Result, Certificate } = await check(file);
    assert.deepEqual([type, Result, Certificate?.Number], [type, 'genuine', number]);
  }
  const page = await fetch(`${service.baseUrl}/verify`, { headers: { accept: 'text/html' } });
  assert.match(await page.text(), /type="file"/);
});

test('a proof is an eddsa-rdfc-2022 proof by a published key', async () => {
  const { tenant, as } = await certified();
  const { proof, ...credential } = JSON.parse((await as('application/vc')).toString());
  const did = await didOf(tenant);
  assert.deepEqual(
    [proof.type, proof.cryptosuite, proof.proofPurpose],
    ['DataIntegrityProof', 'eddsa-rdfc-2022', 'assertionMethod'],
  );
  const method = did.verificationMethod.find(({ id }: { id: string }) => id === proof.verificationMethod);
  assert.deepEqual([method.type, method.controller], ['Multikey', credential.issuer.id]);
  assert.match(method.publicKeyMultibase, /^z6Mk/);
});

test('forged and edited files are found', async () => {
  const { tenant, number, as } = await certified();
  const other = await certified({ FirstName: 'Eve' });
  const credential = JSON.parse((await as('application/vc')).toString());
  const edited = (change: object) => JSON.stringify({ ...credential, ...change });
  const subject = credential.credentialSubject;
  const jwt = (await as('application/vc+jwt')).toString();
  const [head = '', body = '', signature = ''] = jwt.split('.');
  const payload = JSON.parse(Buffer.from(body, 'base64url').toString());
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const sign = (header: object) =>
    new SignJWT(payload).setProtectedHeader({ alg: 'RS256', ...header }).sign(privateKey);
  const { kid = '' } = decodeProtectedHeader(jwt);
  const otherKid = decodeProtectedHeader((await other.as('application/vc+jwt')).toString()).kid ?? '';
  const none = Buffer.from(JSON.stringify({ alg: 'none', kid })).toString('base64url');
  const renamed = Buffer.from(JSON.stringify(payload).replace('Ada', 'Eve')).toString('base64url');
  const forged: [string, string][] = [
    ['another name', edited({ name: 'Brain surgery' })],
    ['a later end', edited({ validUntil: '2099-01-01T00:00:00Z' })],
    ['an undefined term', edited({ grade: 'A' })],
    ['another subject', edited({ credentialSubject: { ...subject, id: 'urn:uuid:eve' } })],
    ['no proof', edited({ proof: undefined })],
    ['a proof of nothing', edited({ proof: [] })],
    ['another purpose', edited({ proof: { ...credential.proof, proofPurpose: 'authentication' } })],
    [
      'the proof of another tenant',
      edited({ proof: JSON.parse(String(await other.as('application/vc'))).proof }),
    ],
    [
      'a changed context',
      edited({ '@context': [credential['@context'][0], 'https://evil.example/context'] }),
    ],
    ['a JWT with another name', [head, renamed, signature].join('.')],
    ['a JWT without algorithm', [none, renamed, 'AAAAAAAAAAAA'].join('.')],
    ["a JWT with an attacker's key", await sign({ kid })],
    ["a JWT with the attacker's key inside", await sign({ kid, jwk: await exportJWK(publicKey) })],
    ["a JWT with another tenant's key ID", await sign({ kid: otherKid })],
  ];
  for (const [what, file] of forged)
    assert.deepEqual([what, await check(file)], [what, { Result: 'forged', Certificate: null }]);
  const strange = edited({ issuer: { ...credential.issuer, id: 'did:web:evil.example:issuer:acme' } });
  for (const file of ['', '{}', '[]', '%PDF-1.7 stream\n', strange, Buffer.alloc(1000, 255)])
    assert.equal((await check(file)).Result, 'unknown');
  const pdf = await as('application/pdf');
  const at = pdf.lastIndexOf('%%EOF');
  const stamped = Buffer.concat([pdf.subarray(0, at), Buffer.from('% edited\n'), pdf.subarray(at)]);
  for (const file of [stamped, Buffer.concat([Buffer.from('\n'), stamped])]) {
    const { Result, Certificate } = await check(file);
    assert.deepEqual([Result, Certificate?.Number, Certificate?.Name], ['differs', number, 'Ada Lovelace']);
  }
  const before = createHash('sha256').update(pdf).digest('hex');
  expectStatus(await tenant.api('POST', `/certificate/${number}/revoke`, { Reason: 'x' }), 200);
  assert.equal((await check(pdf)).Certificate?.Status, 'revoked');
  assert.equal(
    createHash('sha256')
      .update(await as('application/pdf'))
      .digest('hex'),
    before,
  );
});

test('what the public validator for Open Badges has to refuse is refused', async () => {
  const { as } = await certified();
  const credential = JSON.parse((await as('application/vc')).toString());
  const { issuer, proof, credentialSubject: subject } = credential;
  const typed = (type: string) => ({ type: [type] });
  const method = (verificationMethod: string) => ({ proof: { ...proof, verificationMethod } });
  const key = proof.verificationMethod.split('#')[1];
  const others: Record<string, object> = {
    'an unknown context': { '@context': ['https://www.w3.org/ns/credentials/unknown'] },
    'an unknown type': { type: ['VerifiableCredential', 'SomeOther'] },
    'an earlier end': { validUntil: '2010-01-01T00:00:00Z' },
    'a later beginning': { validFrom: '2040-01-01T00:00:00Z' },
    'another type of subject': { credentialSubject: { ...subject, ...typed('Other') } },
    'another type of achievement': {
      credentialSubject: { ...subject, achievement: { ...subject.achievement, ...typed('Other') } },
    },
    'another type of result': { credentialSubject: { ...subject, result: [typed('Other')] } },
    'another type of identifier': { credentialSubject: { ...subject, identifier: [typed('Other')] } },
    'another type of evidence': { evidence: [{ id: 'https://example.org/1', ...typed('Other') }] },
    'another type of issuer': { issuer: { ...issuer, ...typed('Other') } },
    'a parent organisation': {
      issuer: { ...issuer, parentOrg: { id: 'https://example.org', ...typed('Other') } },
    },
    'a key without scheme': method(key),
    'a key of an unknown DID method': method(`did:example:${key}`),
    'a key with an unknown scheme': method(`xxx:${key}`),
    'a key on the web': method(`https://example.org/issuers/1#${key}`),
    'another value of the proof': { proof: { ...proof, proofValue: `z${'3'.repeat(87)}` } },
    'no proof': { proof: undefined },
    'an earlier cryptosuite': { proof: { ...proof, cryptosuite: 'eddsa-2022' } },
  };
  for (const [what, change] of Object.entries(others)) {
    const { Result } = await check(JSON.stringify({ ...credential, ...change }));
    assert.equal(Result, 'forged', what);
  }
  const { Result } = await check(JSON.stringify({ ...credential, issuer: undefined }));
  assert.equal(Result, 'unknown');
});

test('a hostile file takes little time, and one file is checked at a time', async () => {
  const { as } = await certified();
  const credential = JSON.parse((await as('application/vc')).toString());
  const [svg, pdf] = [String(await as('image/svg+xml')), await as('application/pdf')];
  const packed = deflateSync(Buffer.alloc(4 * 1024 ** 2));
  const stream = `/EmbeddedFile>>stream\n${packed.toString('latin1')}\n`;
  const evidence = Array.from({ length: 1_000 }, () => ({ type: ['Evidence'] }));
  const hostile: [string, string | Buffer][] = [
    ['beginnings of a JWT', 'eyJ'.repeat(1_300_000)],
    ['beginnings in an SVG', `<svg>${'<openbadges:credential verify="eyJ'.repeat(120_000)}`],
    ['long streams', Buffer.from(`%PDF-1.7\n${stream.repeat(900)}`, 'latin1')],
    ['many nodes', JSON.stringify({ ...credential, evidence })],
    ['deep JSON', '['.repeat(4_000_000)],
    ['a long credential', JSON.stringify({ ...credential, name: 'x'.repeat(64 * 1024) })],
    ['a credential outside of its place', `<svg><!--${svg.match(/eyJ[^"]+/)?.[0]}--></svg>`],
  ];
  for (const [what, file] of hostile) {
    const before = performance.now();
    assert.deepEqual([what, await check(file)], [what, { Result: 'unknown', Certificate: null }]);
    assert.ok(performance.now() - before < 2_000, what);
  }
  service.ctx.load.open.set('file_checks anyone', 1);
  const headers = { 'content-type': 'application/octet-stream' };
  const body = new Uint8Array(pdf);
  const busy = await fetch(`${service.baseUrl}/verify`, { method: 'POST', body, headers });
  service.ctx.load.open.delete('file_checks anyone');
  assert.deepEqual([busy.status, busy.headers.get('retry-after')], [429, '10']);
  assert.equal((await check(pdf)).Result, 'genuine');
});

test('numbers cannot be guessed from others, and scripts in names stay text', async () => {
  const { number, tenant, CourseID } = await certified({
    FirstName: '<script>alert(1)</script>',
    LastName: null,
  });
  const page = await fetch(`${service.baseUrl}/verify/${number}`, { headers: { accept: 'text/html' } });
  const html = await page.text();
  assert.ok(html.includes('&lt;script&gt;alert(1)'));
  assert.equal(html.includes('<script>alert'), false);
  assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'.*script-src 'sha256-/);
  const next = await passedBy(tenant, CourseID);
  assert.equal(next.number.slice(0, 4) === number.slice(0, 4), false);
  for (const text of ['1', 'key', 'zip', `${number.slice(0, -1)}*`, '%00', "' or true --"]) {
    const reply = await fetch(`${service.baseUrl}/verify/${encodeURIComponent(text)}`);
    assert.equal(reply.status, 404);
  }
});

test('scripts in names and titles stay text in badges and PDFs', async () => {
  const tenant = await newTenant(service, { Name: 'Acme' });
  const Title = '</title><script>alert(1)</script><title>';
  const CourseID = await newCourse(service, {
    Title,
    Certificate: { On: 'passed', Title: 'Proof: {Course}' },
  });
  const name = ') >> /OpenAction << /S /JavaScript /JS (app.alert(1)) >> (';
  const { as } = await passedBy(tenant, CourseID, { FirstName: name, LastName: null });
  const svg = String(await as('image/svg+xml'));
  assert.ok(svg.includes('<title>&lt;/title&gt;&lt;script&gt;alert(1)'));
  assert.equal(/<script|\son\w+=|href|<style|<!ENTITY/i.test(svg), false);
  const pdf = (await as('application/pdf')).toString('latin1');
  // A name in the file's properties has two bytes a character, and its brackets are escaped.
  assert.ok(pdf.includes('\\)\0 \0>\0>\0 \0/\0O'));
  assert.equal(/[^\\]\)\0 \0>\0>/.test(pdf), false);
  const metadata = /<x:xmpmeta.*<\/x:xmpmeta>/s.exec(pdf)?.[0] ?? '';
  assert.ok(metadata.includes('Proof: &lt;/title&gt;&lt;script&gt;alert(1)'));
  assert.equal(metadata.includes('<script'), false);
});

test('new keys sign after an overlap, and what former keys signed stays the same', async () => {
  const { tenant, CourseID, as } = await certified();
  const [jwt, proof] = [String(await as('application/vc+jwt')), String(await as('application/vc'))];
  const reply = await tenant.api('POST', '/certificate/key');
  expectStatus(reply, 201);
  assert.equal(reply.body.Keys.length, 6);
  assert.equal((await didOf(tenant)).verificationMethod.length, 6);
  const kidOf = (text: string) => decodeProtectedHeader(text).kid;
  const during = await passedBy(tenant, CourseID);
  assert.equal(kidOf(String(await during.as('application/vc+jwt'))), kidOf(jwt));
  clock.advance({ days: 2 });
  const later = await passedBy(tenant, CourseID);
  const text = String(await later.as('application/vc+jwt'));
  assert.notEqual(kidOf(text), kidOf(jwt));
  await verifyJwt(tenant, text);
  assert.deepEqual(
    [String(await as('application/vc+jwt')), String(await as('application/vc'))],
    [jwt, proof],
  );
  for (const file of [jwt, proof, text]) assert.equal((await check(file)).Result, 'genuine');
});

test('selected certificates are streamed as a zip of PDFs', async () => {
  const { tenant, CourseID, number } = await certified();
  await passedBy(tenant, CourseID, { FirstName: 'Grace/../..', LastName: 'Hopper' });
  const zip = async (query: string) => {
    const headers = { authorization: `Bearer ${tenant.key}` };
    const reply = await fetch(`${service.baseUrl}/certificate/zip?${query}`, { headers });
    assert.equal(reply.status, 200);
    return Buffer.from(await reply.arrayBuffer()).toString('latin1');
  };
  const namesIn = (text: string) =>
    text
      .split('PK\u0001\u0002')
      .slice(1)
      .map((entry) => Buffer.from(entry.slice(42, entry.indexOf('.pdf') + 4), 'latin1').toString());
  const all = namesIn(await zip(`CourseID=${CourseID}`));
  assert.deepEqual([all.length, all[0]], [2, `Ada Lovelace – Fire safety – ${number}.pdf`]);
  assert.match(all[1] ?? '', /^Grace_\.\._\.\. Hopper – /);
  expectStatus(await tenant.api('POST', `/certificate/${number}/revoke`, { Reason: 'Wrong person' }), 200);
  assert.deepEqual(namesIn(await zip(`Numbers=${number}`)), [
    `revoked/Ada Lovelace – Fire safety – ${number}.pdf`,
  ]);
  assert.equal(namesIn(await zip('IssuedBefore=2000-01-01T00:00:00Z')).length, 0);
});

/** fetch does not send another Host. */
const documentAt = (host: string) =>
  new Promise<Json>((resolve, reject) => {
    const { hostname, port } = new URL(service.baseUrl);
    const sent = { hostname, port, path: '/.well-known/did.json', headers: { host } };
    get(sent, (reply) => void json(reply).then((body) => resolve(body as Json), reject)).on('error', reject);
  });

test("certificates of a tenant with its own domain are issued by that domain's did:web", async () => {
  const { tenant, CourseID, as: asBefore } = await certified();
  const domain = `${tenant.TenantID.toLowerCase()}.example`;
  const change = (IssuerDomains: string[], path = `/tenant/${tenant.TenantID}`) =>
    service.api('PUT', path, { IssuerDomains });
  expectStatus(await change([domain]), 200);
  const { as, number } = await passedBy(tenant, CourseID, { FirstName: 'Grace' });
  const jwt = (await as('application/vc+jwt')).toString();
  const { kid = '' } = decodeProtectedHeader(jwt);
  const document = await documentAt(`${domain}:8443`);
  assert.equal(document.id, `did:web:${domain}`);
  const methods = document.verificationMethod as { id: string; publicKeyJwk: JWK }[];
  const key = await importJWK(methods.find(({ id }) => id === kid)?.publicKeyJwk ?? {});
  const verify = async (text: string) =>
    (await jwtVerify(text, key, { issuer: document.id as string, currentDate: clock.now() })).payload;
  const credential = await verify(jwt);
  assert.equal((credential.issuer as Json).id, document.id);
  const { statusListCredential } = credential.credentialStatus as Record<string, string>;
  const list = await fetch(statusListCredential ?? '');
  assert.equal((await verify(await list.text())).issuer, document.id);
  const files = ['application/pdf', 'application/vc+jwt', 'application/vc'];
  const results = async () => {
    const all = [];
    for (const file of files) all.push((await check(await as(file))).Result);
    return all;
  };
  assert.deepEqual(await results(), ['genuine', 'genuine', 'genuine']);

  const other = await newTenant(service);
  expectProblem(await change([domain], `/tenant/${other.TenantID}`), 422, 'validation_failed');
  expectProblem(await change(['https://a.example']), 422, 'validation_failed');
  const foreign = `${service.baseUrl}/issuer/${other.TenantID}/status/0?Domain=${domain}`;
  assert.equal((await fetch(foreign)).status, 404);
  assert.equal((await documentAt('127.0.0.1')).code, 'tenant_not_found');

  // Certificates keep the issuer that they had.
  assert.match(
    String(decodeProtectedHeader((await asBefore('application/vc+jwt')).toString()).kid),
    /issuer:/,
  );
  expectStatus(await change([`new.${domain}`, domain]), 200);
  assert.ok((await as('application/vc+jwt')).equals(Buffer.from(jwt)));
  assert.deepEqual(await results(), ['genuine', 'genuine', 'genuine']);
  assert.equal((await documentAt(domain)).id, document.id);
  expectStatus(await tenant.api('POST', `/certificate/${number}/revoke`, { Reason: 'x' }), 200);
});

test("another tenant's key, a key without the scope, and another tenant's signature reach nothing", async () => {
  const { tenant, number, LoginID, as } = await certified();
  const other = await certified();
  const domain = `${tenant.TenantID.toLowerCase()}.example`;
  expectStatus(await service.api('PUT', `/tenant/${tenant.TenantID}`, { IssuerDomains: [domain] }), 200);
  const Scopes = ['users:read', 'enrolments:read'];
  const { Secret } = (await service.api('POST', `/tenant/${tenant.TenantID}/key`, { Name: 'x', Scopes }))
    .body;
  const statusOf = async (path: string) =>
    (await fetch(service.baseUrl + path, { headers: { authorization: `Bearer ${Secret}` } })).status;
  for (const path of [`/certificate/${number}`, '/certificate', '/certificate/zip', '/evidence'])
    assert.deepEqual([path, await statusOf(path)], [path, 403]);

  const foreign = (path: string, method = 'GET', body?: object) => other.tenant.api(method, path, body);
  const Reason = 'x';
  expectProblem(await foreign(`/certificate/${number}`), 404, 'certificate_not_found');
  for (const verb of ['revoke', 'reissue'])
    expectProblem(
      await foreign(`/certificate/${number}/${verb}`, 'POST', { Reason }),
      404,
      'certificate_not_found',
    );
  const headers = { authorization: `Bearer ${other.tenant.key}` };
  const read = async (path: string) => (await fetch(service.baseUrl + path, { headers })).text();
  const zip = await read(`/certificate/zip?Numbers=${number}`);
  assert.equal(zip.includes('%PDF-'), false);
  assert.equal((await read('/evidence')).includes(LoginID), false);

  // Signed with the other tenant's key, in the names of this one.
  const genuine = decodeJwt((await as('application/vc+jwt')).toString());
  const own = decodeProtectedHeader((await other.as('application/vc+jwt')).toString());
  const { privateKey } = await signingKey(
    forTenant(service.ctx, other.tenant.TenantID),
    'RS256',
    clock.now(),
  );
  for (const issuer of [String(genuine.iss), `did:web:${domain}`])
    for (const kid of [String(own.kid), `${issuer}#${String(own.kid).split('#')[1]}`]) {
      const forged = await new SignJWT({ ...genuine, iss: issuer, issuer })
        .setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT' })
        .sign(privateKey);
      assert.deepEqual(await check(forged), { Result: 'forged', Certificate: null });
    }
  // In its own name, about this tenant's certificate.
  const issuer = String(own.kid).split('#')[0] ?? '';
  const taken = await new SignJWT({ ...genuine, iss: issuer, issuer })
    .setProtectedHeader({ alg: 'RS256', kid: String(own.kid), typ: 'JWT' })
    .sign(privateKey);
  assert.deepEqual(await check(taken), { Result: 'unknown', Certificate: null });
});
