import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { au, courseStructure } from '../../../../standards/cmi5/test-support.ts';
import { packCourse } from '../../../../test/journeys/course-packages.ts';
import { openAu } from '../../../test/support/au.ts';
import { withAttachment } from '../../../test/support/lrs.ts';
import { packFiles } from '../../../test/support/packages.ts';
import { play, scorm12 } from '../../../test/support/player.ts';
import type { Reply } from '../../../test/support/send.ts';
import { startService } from '../../../test/support/service.ts';
import { expectStatus, newTenant, type TestTenant, unique } from '../../../test/support/tenant.ts';
import { until } from '../../../test/support/until.ts';
import { webhookSources } from '../../app/webhook-sources.ts';
import { startDispatcher } from '../events/webhooks/dispatcher.ts';

const service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1', ANONYMOUS_RATE_LIMIT: '0' } });
const dispatcher = startDispatcher(service.ctx, webhookSources);
after(async () => {
  await dispatcher.stop(1_000);
  await service.close();
});

const v1 = { 'x-experience-api-version': '1.0.3' };
const statement = (id: string = randomUUID()) => ({
  id,
  actor: { mbox: 'mailto:ann@example.com' },
  verb: { id: 'https://example.com/verbs/answered' },
  object: { id: 'https://example.com/questions/1' },
});

/** Repeats a request as clients do while the database is too busy. */
async function patiently(request: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    const reply = await request();
    if (reply.status !== 503) return reply;
  }
}

/** Stored by one call of the database function. */
const plain = (tenant: TestTenant, id?: string) => {
  const body = [statement(id)];
  return patiently(() => tenant.api('POST', '/xapi/statements', body, v1));
};
/** Stored in a transaction of several statements. */
const attached = (tenant: TestTenant, id?: string) => {
  const { body, contentType } = withAttachment(statement(id), 'a text');
  const headers = { ...v1, 'content-type': contentType };
  return patiently(() => tenant.api('POST', '/xapi/statements', body, headers));
};

/** Reads as clients do: each time what was stored after the last statement seen. */
async function follow(tenant: TestTenant, isOver: () => boolean): Promise<Map<string, string>> {
  const seen = new Map<string, string>();
  let since = '2020-01-01T00:00:00.000Z';
  for (let isLast = false; !isLast; ) {
    isLast = isOver();
    let path = `/xapi/statements?ascending=true&since=${since}`;
    while (path !== '') {
      const address = path;
      const reply = await patiently(() => tenant.api('GET', address, undefined, v1));
      expectStatus(reply, 200);
      for (const { id, stored } of reply.body.statements) {
        seen.set(id, stored);
        since = stored;
      }
      path = reply.body.more;
    }
  }
  return seen;
}

async function imported(zip: string): Promise<string> {
  const CourseID = unique('course');
  expectStatus(await service.importPackage(CourseID, zip), 201);
  expectStatus(await service.api('PUT', `/course/${CourseID}/option/open`, {}), 201);
  return CourseID;
}

function packedUnit(): Promise<string> {
  const structure = courseStructure(au({ id: 'https://example.com/au' }));
  return packFiles({ 'cmi5.xml': structure, 'index.html': '<!doctype html>' });
}

async function playUnit(tenant: TestTenant, CourseID: string): Promise<void> {
  const { LaunchURL } = (await tenant.api('POST', `/enrol/${await tenant.user()}/${CourseID}`)).body;
  const opened = await openAu(service, LaunchURL);
  await opened.preferences();
  for (const verb of ['initialized', 'completed', 'terminated'] as const)
    expectStatus(await patiently(() => opened.send(opened.defined(verb))), 204);
}

/** Stores no statements, but changes the same tenant's rows. */
async function playScorm(tenant: TestTenant, CourseID: string): Promise<void> {
  const { LaunchURL } = (await tenant.api('POST', `/enrol/${await tenant.user()}/${CourseID}`)).body;
  const { commit } = await play(service, LaunchURL);
  for (const score of [10, 40, 70])
    expectStatus(await patiently(() => commit({ Data: scorm12('incomplete', score) })), 200);
}

/** A longer load can be set for a run on a cluster. */
const seconds = Number(process.env.TEST_LOAD_SECONDS ?? 2);

test('followers and forwarding miss no statement, whichever way statements are stored', async (context) => {
  const [tenant, other] = [await newTenant(service), await newTenant(service)];
  const [unit, course] = [await imported(await packedUnit()), await imported(await packCourse('phishing'))];
  const hook = { Kind: 'xapi', URL: `${service.baseUrl}/xapi`, Username: other.keyId, Password: other.key };
  expectStatus(await tenant.api('POST', '/webhook', hook), 201);
  let isOver = false;
  const end = performance.now() + seconds * 1_000;
  const repeated = async (write: () => Promise<unknown>) => {
    do
      await write().catch((error: Error) => {
        // The helpers that play a unit expect an idle machine.
        if (!/\b503\b/.test(error.message)) throw error;
      });
    while (performance.now() < end);
  };
  const send = async (store: typeof plain) => expectStatus(await store(tenant), 200);
  const following = follow(tenant, () => isOver);
  await Promise.all([
    ...[1, 2, 3].map(() => repeated(() => send(plain))),
    ...[1, 2, 3].map(() => repeated(() => send(attached))),
    ...[1, 2].map(() => repeated(() => playUnit(tenant, unit))),
    ...[1, 2].map(() => repeated(() => playScorm(tenant, course))),
  ]);
  isOver = true;
  const seen = await following;
  let stored = await follow(tenant, () => true);
  context.diagnostic(`${stored.size} statements in ${seconds} s`);
  // Statements are derived from SCORM results in the background, also after the follower has ended.
  const last = [...seen.values()].at(-1) ?? '';
  const missed = [...stored].filter(([id, time]) => time <= last && !seen.has(id));
  assert.deepEqual(missed, [], `of ${stored.size} missed by a follower`);
  assert.ok(seen.size > stored.size / 2);
  let forwarded = new Map<string, string>();
  const missing = () => [...stored.keys()].filter((id) => !forwarded.has(id));
  const allForwarded = async () => {
    stored = await follow(tenant, () => true);
    forwarded = await follow(other, () => true);
    return missing().length === 0;
  };
  await until(() => `${missing().length} of ${stored.size} statements are not forwarded`, allForwarded, 120);
});

test('a statement that is sent twice at the same time is stored once, whichever way', async () => {
  const tenant = await newTenant(service);
  const ids = Array.from({ length: 20 }, () => randomUUID());
  const replies = await Promise.all(
    ids.flatMap((id, n) => [
      n % 2 === 0 ? plain(tenant, id) : attached(tenant, id),
      n % 3 === 0 ? plain(tenant, id) : attached(tenant, id),
    ]),
  );
  // A copy with an attachment differs from one without.
  const wrong = replies.filter(({ status }) => status !== 200 && status !== 409);
  assert.deepEqual(wrong, []);
  const stored = await follow(tenant, () => true);
  assert.deepEqual([...stored.keys()].sort(), [...ids].sort());
});
