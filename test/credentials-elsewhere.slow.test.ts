import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { loaderFor, signCredential, verifyCredential } from '../certificates/src/proof.ts';
import { multibase } from '../server/src/domain/certificates/credential/did.ts';
import { findDocument } from './conformance/credentials/adapter.ts';

const python = (code: string, input: string) =>
  execFileSync('/usr/bin/python3', code.endsWith('.py') ? [code] : ['-c', code], { input, encoding: 'utf8' });

function whyNot(): string | false {
  try {
    python('import pyld, cryptography', '');
    return false;
  } catch {
    return 'PyLD is not installed (python3-pyld, python3-cryptography)';
  }
}
/** `.ci/run full` installs it and sets ALL_LANGUAGES. */
const skip = !process.env.ALL_LANGUAGES && whyNot();

const load = (url: string) => findDocument({}, url);
const ask = async (request: { credential: object; verify?: string }) => {
  const urls = [
    'https://www.w3.org/ns/credentials/v2',
    'https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json',
  ];
  const loader = loaderFor(async () => null);
  const found = await Promise.all(urls.map(async (url) => [url, (await loader(url)).document]));
  const input = JSON.stringify({ ...request, contexts: Object.fromEntries(found) });
  return JSON.parse(python(join(import.meta.dirname, 'conformance/credentials/proofs.py'), input));
};

const unsigned = {
  '@context': [
    'https://www.w3.org/ns/credentials/v2',
    'https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json',
  ],
  id: 'https://lectern.example/verify/1',
  type: ['VerifiableCredential', 'OpenBadgeCredential'],
  name: 'Brandschutz für Ł',
  validFrom: '2026-01-01T00:00:00Z',
  credentialSubject: {
    id: 'urn:uuid:0194cafe-0000-7000-8000-000000000000',
    type: ['AchievementSubject'],
    achievement: {
      id: 'https://lectern.example/course/1',
      type: ['Achievement'],
      name: 'Fire safety',
      description: 'Fire safety',
      criteria: { narrative: 'Passed' },
    },
  },
};

async function signHere() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = multibase(publicKey.export({ format: 'jwk' }));
  const credential = await signCredential({
    credential: { ...unsigned, issuer: { id: `did:key:${key}`, type: ['Profile'] } },
    created: '2026-01-01T00:00:00Z',
    keyId: `did:key:${key}#${key}`,
    sign: async (data) => new Uint8Array(sign(null, data, privateKey)),
    load,
  });
  return { key, credential };
}

test('PyLD verifies our credentials, and rejects changed ones', { skip }, async () => {
  const { key, credential } = await signHere();
  assert.deepEqual(await ask({ credential, verify: key }), { verified: true });
  assert.deepEqual(await ask({ credential: { ...credential, name: 'Other' }, verify: key }), {
    verified: false,
  });
  assert.deepEqual(await ask({ credential, verify: (await signHere()).key }), { verified: false });
});

test('we verify credentials of PyLD, and reject changed ones', { skip }, async () => {
  const { credential } = await ask({ credential: unsigned });
  assert.deepEqual(await verifyCredential({ credential, load }), { isVerified: true, reason: null });
  const changed = await verifyCredential({ credential: { ...credential, name: 'Other' }, load });
  assert.deepEqual(changed, { isVerified: false, reason: 'Invalid signature.' });
});

test('a related resource has the digest that W3C publishes, or is rejected', async () => {
  const { key, credential } = await signHere();
  const id = 'https://www.w3.org/ns/credentials/v2';
  const reasonFor = async (relatedResource: object) =>
    (await verifyCredential({ credential: { ...credential, relatedResource }, load })).reason;
  const rejected = 'The digest of a relatedResource is missing, wrong or not known.';
  const digestMultibase = 'uJKGMkOmFbVJhEfKTduMC2XCyvRAYLjOVmZWwIH1wQ7k';
  // Its digest is right, and then the signature is not.
  assert.equal(await reasonFor({ id, digestMultibase }), 'Invalid signature.');
  assert.equal(await reasonFor({ id, digestMultibase: 'uJKGM' }), rejected);
  assert.equal(await reasonFor({ id, digestMultibase, digestSRI: 'sha384-x' }), rejected);
  assert.equal(await reasonFor({ id: `https://${key}.example`, digestMultibase }), rejected);
});

test('a proof that refers to an earlier one needs it, and proofs that refer to each other end', async () => {
  const { credential } = await signHere();
  const { proof, ...content } = credential as { proof: object };
  const reasonFor = async (proofs: object[]) =>
    (await verifyCredential({ credential: { ...content, proof: proofs }, load })).isVerified;
  assert.equal(await reasonFor([{ ...proof, previousProof: 'urn:x' }]), false);
  const round = [
    { ...proof, id: 'urn:a', previousProof: 'urn:b' },
    { ...proof, id: 'urn:b', previousProof: 'urn:a' },
  ];
  assert.equal(await reasonFor(round), false);
  assert.equal(await reasonFor([proof]), true);
});
