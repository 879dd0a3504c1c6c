// Checks a file of GET /evidence without Lectern: node check-evidence.mjs evidence.ndjson jwks.json
// Get jwks.json from /issuer/{TenantID}/jwks.json, and keep it apart from the file.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';

const fail = (reason) => {
  console.error(`NOT GENUINE: ${reason}`);
  process.exit(1);
};
const [file, keys] = process.argv.slice(2);
if (!file || !keys) fail('name the file and the keys');

/** The last line is kept back; all bytes before it are hashed. */
const digest = createHash('sha256');
let rest = Buffer.alloc(0);
let lines = 0;
for await (const chunk of createReadStream(file)) {
  rest = Buffer.concat([rest, chunk]);
  const end = rest.lastIndexOf(10, rest.length - 2) + 1;
  for (let at = rest.indexOf(10); at >= 0 && at < end; at = rest.indexOf(10, at + 1)) lines++;
  digest.update(rest.subarray(0, end));
  rest = rest.subarray(end);
}
const decode = (text) => JSON.parse(Buffer.from(text, 'base64url').toString());
try {
  const text = rest.toString();
  const seal = JSON.parse(text);
  if (text !== `${JSON.stringify(seal)}\n`) fail('the last line was changed');
  const [header, payload, signature] = seal.Signature.split('.');
  const { kid, alg } = decode(header);
  const jwk = JSON.parse(readFileSync(keys, 'utf8')).keys.find((key) => kid.endsWith(`#${key.kid}`));
  if (!jwk || alg !== 'RS256') fail(`the key ${kid} is not in ${keys}`);
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const signed = Buffer.from(`${header}.${payload}`);
  if (Buffer.from(signature, 'base64url').toString('base64url') !== signature)
    fail('the signature was changed');
  if (!verify('sha256', signed, key, Buffer.from(signature, 'base64url'))) fail('the signature is wrong');
  const { SHA256, Rows, AsOf, iss } = decode(payload);
  if (SHA256 !== digest.digest('hex') || seal.SHA256 !== SHA256) fail('a byte was changed');
  if (Rows !== lines - 1 || seal.Rows !== Rows) fail('a row is missing');
  console.log(`GENUINE: ${Rows} rows as of ${AsOf}, signed by ${iss}`);
} catch (error) {
  fail(`the file is incomplete or was changed (${error.message})`);
}
