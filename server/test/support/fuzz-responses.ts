import assert from 'node:assert/strict';
import { Agent, request as open } from 'node:http';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formatsPackage from 'ajv-formats';
import { errorCodes } from '../../src/lib/errors.ts';
import type { Described, Message } from './fuzz-requests.ts';

export type Answer = {
  status: number;
  type: string;
  headers: Record<string, unknown>;
  text: string;
  milliseconds: number;
};

export const maxMilliseconds = 20_000;
const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/** Sends requests over a socket, because `fetch` would correct them. */
export function send(baseUrl: string, message: Message): Promise<Answer> {
  const { method, target, headers, body } = message;
  const { hostname, port } = new URL(baseUrl);
  const begun = performance.now();
  return new Promise((resolve, fail) => {
    const reject = (cause: Error) => fail(new Error(`${method} ${target}: ${cause.message}`, { cause }));
    const sent = open({ agent, hostname, port, method, path: target, setHost: true }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        clearTimeout(timer);
        resolve({
          status: response.statusCode ?? 0,
          type: response.headers['content-type'] ?? '',
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
          milliseconds: performance.now() - begun,
        });
      });
    });
    const timer = setTimeout(() => sent.destroy(new Error('no response in time')), 2 * maxMilliseconds);
    sent.on('error', (error) => {
      clearTimeout(timer);
      // The service closed the connection after an earlier response, so it never received this request.
      if (sent.reusedSocket) send(baseUrl, message).then(resolve, fail);
      else reject(error);
    });
    for (const [name, value] of headers) if (value !== '') sent.setHeader(name, value);
    if (body && !sent.hasHeader('transfer-encoding')) sent.setHeader('content-length', body.length);
    sent.end(body ?? undefined);
  });
}

export function closeAgent(): void {
  agent.destroy();
}

const ajv = new Ajv2020({ strict: false, allErrors: false });
formatsPackage.default(ajv as never);
const compiled = new Map<object, ReturnType<typeof ajv.compile>>();

function matches(schema: object, value: unknown): string {
  let validate = compiled.get(schema);
  if (!validate) {
    validate = ajv.compile(schema);
    compiled.set(schema, validate);
  }
  return validate(value) ? '' : ajv.errorsText(validate.errors);
}

/** Checks that the response is a valid problem document with a known code. */
export function checkProblem({ status, type, headers, text }: Answer): void {
  assert.match(type, /^application\/problem\+json/, `${status} ${text.slice(0, 200)}`);
  const body = JSON.parse(text);
  const [declared, title] = errorCodes[body.code as keyof typeof errorCodes] ?? [];
  assert.equal(declared, status, text);
  assert.equal(body.status, status, text);
  assert.equal(body.title, title, text);
  assert.equal(body.type, `/docs/errors#${body.code}`);
  assert.equal(body.request_id, headers['x-request-id']);
  assert.ok(typeof body.detail === 'string' && body.detail.length > 0, text);
}

/**
 * Checks that the response came in time, is not a 5xx from the service, and is declared for this operation and
 * status.
 */
export function checkResponse({ operation }: Pick<Described, 'operation'>, answer: Answer): void {
  const { status, type, text } = answer;
  assert.ok(answer.milliseconds < maxMilliseconds, `the response took ${Math.round(answer.milliseconds)} ms`);
  // The service may ask for a retry if requests change the same records concurrently.
  if (status === 503 && answer.headers['retry-after'] === '2') {
    checkProblem(answer);
    return;
  }
  assert.ok(status < 500, `${status} ${text.slice(0, 300)}`);
  const declared = operation.responses[status];
  const media = type.split(';')[0] ?? '';
  const content = declared?.content;
  // Documents have the media type with which they were stored.
  const isAny = content !== undefined && 'application/octet-stream' in content;
  if (!declared || (content && !isAny && !(media in content))) checkProblem(answer);
  else if (!content) assert.equal(text, '', `${status} has a body that is not declared`);
  const schema = content?.[media]?.schema;
  if (schema && media === 'application/json')
    assert.equal(matches(schema, JSON.parse(text)), '', text.slice(0, 500));
}
