import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { Request, RequestBody } from '../console/pages/reference/request.ts';
import { csharpOf } from '../console/pages/reference/samples/csharp.ts';
import { curlOf } from '../console/pages/reference/samples/curl.ts';
import { type LanguageId, languageIds, languages } from '../console/pages/reference/samples/languages.ts';
import { phpOf } from '../console/pages/reference/samples/php.ts';
import { pythonOf } from '../console/pages/reference/samples/python.ts';
import { fetchOf } from '../console/pages/reference/samples/typescript.ts';
import { againAfterCrash, runSamples, skipOf } from './sample-runners.ts';

// Sends requests with arbitrary texts to a server that records them, in each language of the API reference.

type Received = { message: IncomingMessage; body: Buffer };
let received: Received[] = [];
const server = createServer(async (message, response) => {
  received.push({ message, body: await buffer(message) });
  response.end('{}');
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
after(() => server.close());
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const writers: Record<LanguageId, (request: Request) => string> = {
  curl: curlOf,
  typescript: fetchOf,
  python: (request) => pythonOf(request, 'text/plain'),
  php: phpOf,
  csharp: csharpOf,
};

/** Quotes, escapes and interpolations of all five languages. */
const traps = [
  `'`,
  '"',
  '"""',
  "'''",
  '\\',
  '\\\\',
  '\\n',
  '\n',
  '\r\n',
  '$KEY',
  '$' + '{KEY}',
  '{$x}',
  '`id`',
  '$(id)',
].concat([
  '%s',
  '@',
  '?>',
  '<?php',
  '*/',
  '//',
  '#',
  '\u2028',
  '\u0085',
  '\ufeff',
  '\u{1F600}',
  'é',
  '\t',
  '{0}',
  '__proto__',
]);
/** Well-formed text without NUL, which a command line cannot contain. */
const text = fc
  .array(fc.oneof(fc.constantFrom(...traps), fc.string({ unit: 'binary' })), { maxLength: 6 })
  .map((parts) => parts.join('').replaceAll('\0', ''));
const visible = fc.string({ unit: 'grapheme-ascii', minLength: 1 }).map((value) => `x${value}x`);

const name = fc.oneof(text, fc.constantFrom('0', '1', '__proto__'));
const { record: jsonRecord } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.constantFrom(true, false, null),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('record'),
  ),
  record: fc.dictionary(name, tie('value'), { maxKeys: 4 }),
}));

const body: fc.Arbitrary<RequestBody | null> = fc.oneof(
  fc.constant(null),
  fc.record({
    type: fc.constant('application/json'),
    json: fc.oneof(jsonRecord, fc.array(jsonRecord, { maxLength: 3 })),
  }),
  fc.record({ type: fc.constantFrom('text/csv', 'application/x-ndjson'), text: text.filter(Boolean) }),
  fc.constant({ type: 'application/zip', file: 'package.zip' }),
);

const request: fc.Arbitrary<Request> = fc.record({
  method: fc.constantFrom('POST', 'PUT', 'DELETE'),
  url: text.map((segment) => `${origin}/path/x${encodeURIComponent(segment)}`),
  query: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), text, { maxKeys: 3 }),
  isAuthorized: fc.boolean(),
  headers: fc.dictionary(fc.stringMatching(/^X-[a-z]{1,5}$/), visible, { maxKeys: 2 }),
  body,
});

const zip = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 256));
const parsedJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

function bodyOf({ body }: Request): unknown {
  if (!body) return '';
  if ('json' in body) return parsedJson(body.json);
  return 'text' in body ? body.text : zip.toString('base64');
}

function checkReceived(sent: Request, { message, body }: Received): void {
  const { pathname, searchParams } = new URL(message.url ?? '', origin);
  const type = message.headers['content-type']?.split(';')[0];
  const got = type === 'application/zip' ? body.toString('base64') : body.toString();
  assert.equal(message.method, sent.method);
  assert.equal(decodeURIComponent(pathname), decodeURIComponent(new URL(sent.url).pathname));
  assert.deepEqual({ ...Object.fromEntries(searchParams) }, { ...sent.query });
  assert.equal(message.headers.authorization, sent.isAuthorized ? 'Bearer a-key' : undefined);
  for (const [name, value] of Object.entries(sent.headers))
    assert.equal(message.headers[name.toLowerCase()], value);
  if (sent.body) assert.equal(type, sent.body.type);
  assert.deepEqual(type === 'application/json' ? JSON.parse(got) : got, bodyOf(sent));
}

for (const language of languageIds)
  test(`${languages[language].name} samples send any text unchanged`, {
    skip: skipOf(language),
  }, async (t) => {
    const requests = fc.sample(request, 150);
    const samples = requests.map(writers[language]);
    await againAfterCrash(() => {
      received = [];
      return runSamples(language, samples, { key: 'a-key', files: { 'package.zip': zip } });
    });
    assert.equal(received.length, requests.length);
    for (const [index, sent] of requests.entries())
      try {
        checkReceived(sent, received[index] as Received);
      } catch (error) {
        t.diagnostic(samples[index] ?? '');
        throw error;
      }
  });
