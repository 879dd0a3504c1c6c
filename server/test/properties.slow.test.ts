import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { type Described, type Message, messageTo, operationsOf } from './support/fuzz-requests.ts';
import { checkResponse, closeAgent, send } from './support/fuzz-responses.ts';
import { fuzzFixture } from './support/fuzz-world.ts';
import { readDocuments } from './support/openapi.ts';
import { startService } from './support/service.ts';

// Requests are generated from the service's own description. Every response must be declared or be a valid
// problem document, and must arrive in time. `npm run fuzz` sends 100,000 requests and measures the heap.

const requests = Number(process.env.FUZZ_REQUESTS ?? 5_000);
/**
 * The suite sends the same requests each time, so that only a change can cause a failure. `npm run fuzz`
 * looks for new failures.
 */
const seed = Number(process.env.FUZZ_SEED ?? 20_261_121);
const together = 8;

const service = await startService({
  env: { PACKAGE_BYTES: '1000000', RATE_LIMIT: '0', WEBHOOK_ALLOW: '127.0.0.1' },
});
after(async () => {
  closeAgent();
  await service.close();
});
const document = await readDocuments(service);
const operations = operationsOf(document).filter(({ path }) => path.startsWith(process.env.FUZZ_PATH ?? '/'));
const world = await fuzzFixture(service);

const statuses = new Map<number, number>();

async function sendAll(sent: { described: Described; message: Message }[]): Promise<void> {
  await Promise.all(
    sent.map(async ({ described, message }) => {
      const response = await send(service.baseUrl, message);
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      checkResponse(described, response);
    }),
  );
}

const arbitraries = operations.map((described) =>
  messageTo(described, world.names, world.keys).map((message) => ({
    described,
    message,
    // fast-check prints a counterexample in this form.
    toString: () =>
      `${described.operation.operationId} ${JSON.stringify({ ...message, body: message.body?.toString('latin1') })}`,
  })),
);
const firstRound = Math.ceil(requests / 5 / operations.length);

for (const [index, { operation }] of operations.entries())
  test(`${operation.operationId} always responds as declared, and never with 500`, async () => {
    await world.renew();
    const messages = fc.array(arbitraries[index] as NonNullable<(typeof arbitraries)[0]>, {
      minLength: 1,
      maxLength: together,
    });
    const property = fc.asyncProperty(messages, sendAll);
    await fc.assert(property, { seed, numRuns: Math.ceil((firstRound * 2) / (1 + together)) });
  });

test(`${requests} concurrent requests to all operations get responses and leak no memory`, async (t) => {
  const windows = 8;
  const batches = Math.ceil((requests * 0.8) / windows / together);
  const heaps: number[] = [];
  // Once another request has suspended the tenant, deleteTenant could delete the data that all other requests
  // need.
  const lasting = arbitraries.filter((_, at) => operations[at]?.operation.operationId !== 'deleteTenant');
  const whole = fc.array(fc.oneof(...lasting), { minLength: together, maxLength: together });
  for (let window = 0; window < windows; window++) {
    await world.renew();
    await fc.assert(fc.asyncProperty(whole, sendAll), { seed: seed + window, numRuns: batches });
    globalThis.gc?.();
    heaps.push(process.memoryUsage().heapUsed / 1_048_576);
  }
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`);
  t.diagnostic(`statuses: ${counts.join(', ')}`);
  const succeeded = [...statuses].reduce((sum, [status, count]) => sum + (status < 400 ? count : 0), 0);
  const all = [...statuses.values()].reduce((sum, count) => sum + count, 0);
  assert.ok(
    succeeded > all / 10,
    `only ${succeeded} of ${all} requests succeeded, too few to test the operations`,
  );
  const again = statuses.get(503) ?? 0;
  assert.ok(again <= all / 200, `${again} of ${all} requests had to be sent again`);
  if (!globalThis.gc) return t.diagnostic('the heap is measured by npm run fuzz');
  t.diagnostic(`heap after gc, MiB: ${heaps.map((heap) => heap.toFixed(1)).join(' ')}`);
  const [, settled = 0] = heaps;
  const last = Math.min(...heaps.slice(-2));
  assert.ok(last < settled + 8, `the heap grew from ${settled.toFixed(1)} to ${last.toFixed(1)} MiB`);
});
