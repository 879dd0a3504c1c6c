import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import fc from 'fast-check';
import {
  bodyOf,
  type Document,
  type Entry,
  entriesOf,
  needsSession,
  textTypesOf,
} from '../console/pages/reference/document.ts';
import { exampleRequest, type Request, type RequestBody } from '../console/pages/reference/request.ts';
import { csharpOf } from '../console/pages/reference/samples/csharp.ts';
import { curlOf } from '../console/pages/reference/samples/curl.ts';
import { type LanguageId, languageIds, languages } from '../console/pages/reference/samples/languages.ts';
import { phpOf } from '../console/pages/reference/samples/php.ts';
import { pythonOf } from '../console/pages/reference/samples/python.ts';
import { fetchOf } from '../console/pages/reference/samples/typescript.ts';
import { againAfterCrash, runSamples, skipOf } from './sample-runners.ts';

// Runs the samples of the API reference in each language against a server that records the requests: the examples of
// all operations, and arbitrary texts. examples.test.ts sends the examples to the service.

type Received = { message: IncomingMessage; body: Buffer };
let received: Received[] = [];
let answers: Answer[] = [];
const server = createServer(async (message, response) => {
  received.push({ message, body: await buffer(message) });
  const { status, type, text } = answers[received.length - 1] ?? { status: 200, type: null, text: '{}' };
  response.writeHead(status, type ? { 'content-type': type } : {}).end(text);
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

type Answer = { status: number; type: string | null; text: string };

/** The documented response, with an end of each list, because our client reads lists to their end. */
function answerOf(entry: Entry): Answer {
  const [status, response] = Object.entries(entry.responses).find(([status]) => /^[23]/.test(status)) ?? [
    '200',
  ];
  const { type = null, example = '' } = bodyOf(response?.content) ?? {};
  const value = Object(example);
  const ended = 'NextCursor' in value ? { ...value, NextCursor: null } : example;
  return { status: Number(status), type, text: typeof ended === 'string' ? ended : JSON.stringify(ended) };
}

const document: Document = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'));
/** Every sample that the reference shows. Course files have another origin, which no sample can reach here. */
const shown = entriesOf(document)
  .filter((entry) => entry.method !== 'EVENT' && !needsSession(entry) && !entry.servers)
  .flatMap((entry) => {
    const types = textTypesOf(entry.requestBody?.content);
    return (types.length > 0 ? types : [undefined]).map((type) => ({ entry, type }));
  });

const zip = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 256));
const parsedJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

function sentBody({ body }: Request): unknown {
  if (!body) return '';
  if ('json' in body) return parsedJson(body.json);
  return 'text' in body ? body.text : zip.toString('base64');
}

type Sample = { sent: Request; sample: string; answer?: Answer };

function checkReceived({ sent, sample }: Sample, { message, body }: Received): void {
  const { pathname, searchParams } = new URL(message.url ?? '', origin);
  const type = message.headers['content-type']?.split(';')[0];
  const got = type === 'application/zip' ? body.toString('base64') : body.toString();
  // Our client sends its key with every request, and ends every line of NDJSON.
  const isClient = sample.includes('createLectern');
  assert.equal(message.method, sent.method);
  assert.equal(decodeURIComponent(pathname), decodeURIComponent(new URL(sent.url).pathname));
  assert.deepEqual({ ...Object.fromEntries(searchParams) }, { ...sent.query });
  assert.equal(message.headers.authorization, sent.isAuthorized || isClient ? 'Bearer a-key' : undefined);
  for (const [name, value] of Object.entries(sent.headers))
    assert.equal(message.headers[name.toLowerCase()], value);
  if (sent.body) assert.equal(type, sent.body.type);
  assert.deepEqual(
    type === 'application/json' ? JSON.parse(got) : isClient ? got.trimEnd() : got,
    sentBody(sent),
  );
}

async function checkSamples(language: LanguageId, samples: Sample[]): Promise<void> {
  answers = samples.flatMap(({ answer }) => answer ?? []);
  const files = { 'package.zip': zip };
  await againAfterCrash(() => {
    received = [];
    return runSamples(
      language,
      samples.map(({ sample }) => sample),
      { key: 'a-key', files },
    );
  });
  assert.equal(received.length, samples.length);
  for (const [index, sample] of samples.entries())
    try {
      checkReceived(sample, received[index] as Received);
    } catch (error) {
      throw new Error(`Not what this sample should send:\n${sample.sample}`, { cause: error });
    }
}

for (const language of languageIds) {
  const { name, sampleOf } = languages[language];
  const options = { skip: skipOf(language) };

  test(`${name} samples send any text unchanged`, options, async () => {
    const requests = fc.sample(request, 150);
    await checkSamples(
      language,
      requests.map((sent) => ({ sent, sample: writers[language](sent) })),
    );
  });

  test(`each ${name} sample of the API reference sends the documented request`, options, async () => {
    assert.ok(shown.length > 200);
    const samples = shown.map(({ entry, type }) => ({
      sent: exampleRequest(entry, origin, type),
      sample: sampleOf(entry, origin, type),
      answer: answerOf(entry),
    }));
    await checkSamples(language, samples);
  });
}
