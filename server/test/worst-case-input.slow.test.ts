import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { operationsOf } from './support/fuzz-requests.ts';
import { slowdown } from './support/honest-client.ts';
import { readDocuments } from './support/openapi.ts';
import { play } from './support/player.ts';
import { startService } from './support/service.ts';
import { newCourse, newTenant } from './support/tenant.ts';

// Tests texts that take quadratic time if code normalises, matches or splits them carelessly, at the maximum
// length that each operation allows. All other requests wait while such a request is processed.

const service = await startService({ env: { RATE_LIMIT: '0' } });
after(service.close);
const { api, user } = await newTenant(service);
const document = await readDocuments(service);
const operations = operationsOf(document);

/**
 * In milliseconds. With quadratic code, 1 MiB took 9 minutes, and a body of 16 kB or a URL of 15 kB took 10
 * ms or more.
 */
const maxPerKey = 400;
const maxPerAnonymous = 15;
const maxPerAddress = 6;
/** With quadratic code, 65 kB took 50 s. */
const maxPerCommit = 100;

const bytesOf = (text: string) => Buffer.byteLength(JSON.stringify(text));
const fit = (text: string, bytes: number) => text.repeat(Math.floor(bytes / bytesOf(text)));
/** Each function returns a text that fills the given number of bytes of JSON. */
const worst: Record<string, (bytes: number) => string> = {
  'combining marks in the wrong order': (bytes) =>
    `a${fit('\u0315', bytes / 2 - 8)}${fit('\u0344', bytes / 2 - 8)}`,
  'digits that are not a number': (bytes) => `${fit('1', bytes - 8)}x`,
  'spaces before another character': (bytes) => `x${fit(' ', bytes - 8)}x`,
  'dots and dashes': (bytes) => `${fit('.-', bytes - 8)}/`,
};

/**
 * Checks that a call takes at most `limit` ms of CPU time, corrected for other load on the machine. Uses the
 * fastest of up to six calls, because the others may compile code or collect garbage.
 */
async function assertWork(limit: number, what: string, call: () => Promise<unknown>): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 6 && least > limit; attempt++) {
    const used = process.threadCpuUsage();
    await call();
    const { user, system } = process.threadCpuUsage(used);
    const slow = attempt === 0 ? 1 : slowdown();
    least = Math.min(least, (user + system) / 1_000 / slow);
  }
  assert.ok(least <= limit, `${what} took ${least} ms`);
}

function namesIn(schema: { properties?: Record<string, unknown> } | undefined): string[] {
  return Object.keys(schema?.properties ?? {});
}

/** The service may close the connection while it receives a body that is too long for the operation. */
async function orReset(sent: Promise<unknown>): Promise<void> {
  await sent.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') throw error;
  });
}

const called = operations.filter(({ path }) => !path.startsWith('/health') && path !== '/metrics');

test('the worst text in any field of any body causes no noticeable delay for others', async () => {
  for (const { path, method, operation } of called) {
    const isOpen = (operation as { 'x-access'?: string })['x-access'] === 'anyone';
    const schema = operation.requestBody?.content['application/json']?.schema;
    if (!schema) continue;
    const address = path.replaceAll(/\{(\w+)\}/g, '$1');
    const size = isOpen ? 16 * 1024 : 1024 * 1024;
    for (const name of [...namesIn(schema), 'UnknownID'])
      for (const [kind, make] of Object.entries(worst)) {
        const body = `{${JSON.stringify(name)}:${JSON.stringify(make(size - bytesOf(name) - 8))}}`;
        const send = isOpen
          ? () => orReset(service.api(method.toUpperCase(), address, body, ''))
          : () => orReset(api(method.toUpperCase(), address, body));
        const limit = isOpen ? maxPerAnonymous : maxPerKey;
        await assertWork(limit, `${method} ${path} with ${kind} in ${name}`, send);
      }
  }
});

test('the worst text in any part of any URL causes no noticeable delay for others', async () => {
  for (const { path, method, operation } of called) {
    const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
    const send = (address: string) => () => api(method.toUpperCase(), address);
    for (const [kind, make] of Object.entries(worst)) {
      const text = encodeURIComponent(make(5_000));
      const plain = path.replaceAll(/\{(\w+)\}/g, '$1');
      const addresses = [
        path.replaceAll(/\{(\w+)\}/g, text.slice(0, 7_999)),
        ...['UnknownID', ...declared.map(({ name }) => name)].map((name) => `${plain}?${name}=${text}`),
      ];
      for (const address of addresses.filter(({ length }) => length < 16_000))
        await assertWork(maxPerAddress, `${method} ${address.slice(0, 80)} with ${kind}`, send(address));
    }
  }
});

test('the worst text in a return URL causes no noticeable delay for others', async () => {
  const host = `a${'\u0315'.repeat(1_250)}${'\u0344'.repeat(1_250)}`;
  const LoginID = await user();
  const CourseID = await newCourse(service);
  const { LaunchURL } = (await api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  const { PreviewURL } = (await api('POST', `/catalogue/course/${CourseID}/preview`)).body;
  for (const link of [LaunchURL, PreviewURL, `${service.baseUrl}/launch?enrolment=x`])
    for (const text of [`https://${encodeURIComponent(host)}/`, encodeURIComponent(`https://${host}/`)])
      await assertWork(maxPerAddress, link, () => fetch(`${link}&returnURL=${text}`, { redirect: 'manual' }));
});

test('a commit with the worst texts causes no noticeable delay for others', async () => {
  const LoginID = await user();
  const { LaunchURL } = (await api('POST', `/enrol/${LoginID}/${await newCourse(service)}`)).body;
  const { commit } = await play(service, LaunchURL);
  for (const [kind, make] of Object.entries(worst))
    for (const element of ['lectern.seconds', 'lectern.completion', 'cmi.suspend_data']) {
      const Data = { [element]: make(65_000) };
      await assertWork(maxPerCommit, `${kind} in ${element}`, () => commit({ Data, Tree: make(500_000) }));
    }
});
