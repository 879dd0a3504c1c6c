import assert from 'node:assert/strict';
import { createHash, createPrivateKey, randomUUID, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { CompactSign, compactVerify, decodeProtectedHeader } from 'jose';
import { writeCertificate } from '../../../test/support/certificate.ts';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant } from '../../../test/support/tenant.ts';
import { signatureUsage } from './signatures.ts';

const service = await startService();
after(service.close);
const tenant = await newTenant(service);

const versions = ['1.0.3', '2.0.0'] as const;
const versionHeader = (version: string) => ({ 'x-experience-api-version': version });
const v1 = versionHeader('1.0.3');

/** A key pair with a certificate, as activity providers use to sign statements. */
function signer(kind: 'rsa' | 'ec') {
  const { certFile, keyFile } = writeCertificate(mkdtempSync(join(tmpdir(), 'lectern-')), undefined, kind);
  const certificate = new X509Certificate(readFileSync(certFile));
  return { key: createPrivateKey(readFileSync(keyFile)), certificate };
}

const [own, foreign, elliptic] = [signer('rsa'), signer('rsa'), signer('ec')];
const x5cOf = ({ certificate }: typeof own) => [certificate.raw.toString('base64')];

const unsigned = (more: object = {}) => ({
  id: randomUUID() as string,
  actor: { mbox: 'mailto:ann@example.com' },
  verb: { id: 'https://example.com/verbs/agreed' },
  object: { id: 'https://example.com/activities/contract' },
  timestamp: '2026-01-31T09:00:00.000Z',
  ...more,
});

type Header = { alg: string; x5c?: string[] };

const sign = (statement: object, header: Header = { alg: 'RS256', x5c: x5cOf(own) }, key = own.key) =>
  new CompactSign(Buffer.from(JSON.stringify(statement))).setProtectedHeader(header).sign(key);

/** Sends a statement together with its signature, as a multipart request. */
function sendSigned(
  statement: object,
  jws: string,
  { version = '1.0.3', contentType = 'application/octet-stream' } = {},
) {
  const sha2 = createHash('sha256').update(jws).digest('hex');
  const attachment = {
    ...{ usageType: signatureUsage, display: { en: 'Signature' }, contentType, sha2 },
    length: Buffer.byteLength(jws),
  };
  const body = [
    ...['--part', 'Content-Type: application/json', ''],
    JSON.stringify({ ...statement, attachments: [attachment] }),
    ...['--part', `Content-Type: ${contentType}`, 'Content-Transfer-Encoding: binary'],
    ...[`X-Experience-API-Hash: ${sha2}`, '', jws, '--part--', ''],
  ].join('\r\n');
  const headers = { ...versionHeader(version), 'content-type': 'multipart/mixed; boundary=part' };
  return tenant.api('POST', '/xapi/statements', body, headers);
}

const read = (id: string, more = '') =>
  tenant.api('GET', `/xapi/statements?statementId=${id}${more}`, undefined, v1);

for (const version of versions)
  for (const alg of ['RS256', 'RS384', 'RS512'])
    test(`a statement signed with ${alg} is stored by xAPI ${version} and returned with its signature`, async () => {
      const statement = unsigned();
      const jws = await sign(statement, { alg, x5c: x5cOf(own) });
      expectStatus(await sendSigned(statement, jws, { version }), 200);
      const reply = await read(statement.id, '&attachments=true');
      const returned = /\r\n\r\n([\w-]+\.[\w-]+\.[\w-]+)\r\n--/.exec(String(reply.body))?.[1] ?? '';
      assert.equal(returned, jws);
      const [certificate = ''] = decodeProtectedHeader(returned).x5c ?? [];
      const { publicKey } = new X509Certificate(Buffer.from(certificate, 'base64'));
      const { payload } = await compactVerify(returned, publicKey);
      assert.deepEqual(JSON.parse(Buffer.from(payload).toString()), statement);
      const { attachments, ...stored } = (await read(statement.id)).body;
      assert.equal(attachments[0].usageType, signatureUsage);
      for (const [name, value] of Object.entries(statement)) assert.deepEqual(stored[name], value, name);
    });

test('a signature may omit the certificate, and values that the LRS sets', async () => {
  const { id, timestamp: _, ...bare } = unsigned();
  expectStatus(await sendSigned({ id, ...bare }, await sign(bare, { alg: 'RS256' })), 200);
  expectStatus(await read(id), 200);
});

test('a signature may be written with other equivalent values than the statement', async () => {
  const statement = unsigned({ result: { duration: 'PT60S' } });
  const signed = { ...statement, timestamp: '2026-01-31T10:00:00.000+01:00', result: { duration: 'PT1M' } };
  expectStatus(await sendSigned(statement, await sign(signed)), 200);
});

const rejected: Record<string, () => Promise<[object, string, { contentType?: string }?]>> = {
  'of another statement': async () => {
    const statement = unsigned();
    return [statement, await sign({ ...statement, verb: { id: 'https://example.com/verbs/refused' } })];
  },
  "that another certificate's key made": async () => {
    const statement = unsigned();
    return [statement, await sign(statement, { alg: 'RS256', x5c: x5cOf(foreign) })];
  },
  'whose payload was changed afterwards': async () => {
    const statement = unsigned();
    const [header, , mark] = (await sign(unsigned())).split('.');
    const payload = Buffer.from(JSON.stringify(statement)).toString('base64url');
    return [statement, [header, payload, mark].join('.')];
  },
  'with an algorithm that xAPI does not allow': async () => {
    const statement = unsigned();
    return [statement, await sign(statement, { alg: 'ES256', x5c: x5cOf(elliptic) }, elliptic.key)];
  },
  'with the algorithm "none"': async () => {
    const statement = unsigned();
    const [header, payload] = [{ alg: 'none' }, statement].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    );
    return [statement, `${header}.${payload}.`];
  },
  'with a certificate that cannot be read': async () => {
    const statement = unsigned();
    return [statement, await sign(statement, { alg: 'RS256', x5c: ['AAAA'] })];
  },
  'that is not a statement': async () => [unsigned(), await sign({ a: 1 })],
  'that is not a JSON web signature': async () => [unsigned(), 'signed by Ann'],
  'with another media type': async () => {
    const statement = unsigned();
    return [statement, await sign(statement), { contentType: 'text/plain' }];
  },
};

for (const [name, make] of Object.entries(rejected))
  test(`a signature ${name} is rejected, and its statement is not stored`, async () => {
    const [statement, jws, options] = await make();
    expectProblem(await sendSigned(statement, jws, options), 400, 'xapi_invalid');
    expectProblem(await read((statement as { id: string }).id), 404, 'statement_not_found');
  });

test('a signature must be sent with its statement', async () => {
  const statement = unsigned();
  const jws = await sign(statement);
  const attachment = {
    ...{ usageType: signatureUsage, display: { en: 'Signature' }, contentType: 'application/octet-stream' },
    ...{ sha2: createHash('sha256').update(jws).digest('hex'), length: jws.length },
    fileUrl: 'https://example.com/signature',
  };
  const sent = { ...statement, attachments: [attachment] };
  expectProblem(await tenant.api('POST', '/xapi/statements', sent, v1), 400, 'xapi_invalid');
});
