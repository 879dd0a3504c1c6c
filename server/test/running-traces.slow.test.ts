import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import {
  bootstrapKey,
  cleanUp,
  databaseSettings,
  lectern,
  startProcess,
  stopProcess,
} from './support/process.ts';

after(cleanUp);

type Attribute = { key: string; value: { stringValue?: string; intValue?: number } };
type Span = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: Attribute[];
};

/** A collector that keeps what it receives. */
async function startCollector() {
  const spans: Span[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    assert.equal(request.url, '/v1/traces');
    const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString());
    for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  return { spans, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const attributesOf = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]));

test('a trace shows a request with its route and tenant, and the statements that it waited for', async () => {
  const { spans, url } = await startCollector();
  const service = await startProcess({
    ...(await databaseSettings()),
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
  });
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const call = async (path: string, body: object, headers: object = {}) => {
    const response = await fetch(service.baseUrl + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${bootstrapKey}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    assert.equal(response.status, 201);
    return response.headers.get('x-request-id');
  };
  await call('/tenant', { TenantID: 'acme' });
  const requestId = await call(
    '/user',
    { LoginID: 'ada', FirstName: 'Secret name' },
    { tenant: 'acme', traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
  );
  // Stopping the service sends what is left.
  assert.deepEqual(await stopProcess(service), { code: 0, signal: null });
  const request = spans.find(({ name, traceId: id }) => name === 'POST /user' && id === traceId);
  assert.ok(request, JSON.stringify(spans.map(({ name }) => name)));
  assert.equal(request.parentSpanId, '00f067aa0ba902b7');
  assert.deepEqual(attributesOf(request), {
    'http.request.method': 'POST',
    'http.route': '/user',
    'http.response.status_code': 201,
    'lectern.request_id': requestId,
    'lectern.tenant': 'acme',
  });
  const statements = spans.filter(({ parentSpanId }) => parentSpanId === request.spanId);
  assert.ok(statements.length > 0);
  for (const statement of statements) {
    assert.match(
      statement.name,
      /^(?:select|insert|update|delete|with|statement|transaction)(?: [a-z]\w+)?$/,
    );
    assert.equal(attributesOf(statement)['db.system.name'], 'postgresql');
  }
  assert.doesNotMatch(JSON.stringify(spans), /Secret name/);
});

test('without a collector, no code for traces is loaded', () => {
  const files = globSync('*.js', { cwd: dirname(lectern) });
  const isTracing = (file: string) =>
    /AsyncLocalStorageContextManager/.test(readFileSync(join(dirname(lectern), file), 'utf8'));
  const [chunk = '', ...others] = files.filter(isTracing);
  assert.match(chunk, /^chunk-/);
  assert.deepEqual(others, []);
  const importing = files.filter((file) =>
    new RegExp(`(^|[^(])['"]\\./${RegExp.escape(chunk)}['"]`, 'm').test(
      readFileSync(join(dirname(lectern), file), 'utf8'),
    ),
  );
  assert.deepEqual(importing, []);
});
