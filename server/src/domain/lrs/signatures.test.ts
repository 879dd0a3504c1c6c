import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { test } from 'node:test';
import { checkSignatures, isQuickToVerify, maxSignaturesOfRequest, signatureUsage } from './signatures.ts';

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const base64 = (byte: number, length: number) => Buffer.alloc(length, byte).toString('base64url');

/** An RSA key with the given modulus and exponent, in bytes. */
const keyOf = (modulus: number, exponent: number) =>
  createPublicKey({ key: { kty: 'RSA', n: base64(255, modulus), e: base64(255, exponent) }, format: 'jwk' });

test('keys are accepted only if verifying with them is quick', () => {
  for (const [modulus, exponent, isQuick] of [
    [256, 3, true],
    [512, 4, true],
    [513, 3, false],
    [2_048, 3, false],
    [256, 5, false],
    [384, 384, false],
  ] as const)
    assert.equal(isQuickToVerify(keyOf(modulus, exponent)), isQuick, `${modulus} ${exponent}`);
});

test('the number of signatures in a request is limited', async () => {
  const statements = Array.from({ length: maxSignaturesOfRequest + 1 }, (_, at) => {
    const bare = {
      actor: { mbox: 'mailto:ann@example.com' },
      verb: { id: 'https://example.com/verbs/answered' },
      object: { id: `https://example.com/activities/${at}` },
    };
    const sha2 = at.toString(16).padStart(64, '0');
    const content = Buffer.from(`${encode({ alg: 'RS256' })}.${encode(bare)}.AAAA`);
    const signature = {
      ...{ usageType: signatureUsage, display: { en: 'A signature' }, length: content.length, sha2 },
      contentType: 'application/octet-stream',
    };
    return {
      statement: { ...bare, attachments: [signature] },
      part: [sha2, { headers: {}, content }] as const,
    };
  });
  const check = (count: number) =>
    checkSignatures(
      statements.slice(0, count).map(({ statement }) => statement),
      new Map(statements.map(({ part }) => part)),
      '1.0.3',
    );
  await check(maxSignaturesOfRequest);
  await assert.rejects(check(maxSignaturesOfRequest + 1), /more than 50 signatures/);
});
