import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { packChoice } from '../../../../test/journeys/course-packages.ts';
import { packUnits } from '../../../test/support/packages.ts';
import { click, play, post } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant } from '../../../test/support/tenant.ts';
import { until } from '../../../test/support/until.ts';
import { inTurn, waitingIn } from '../../platform/load/fair-queue.ts';

const service = await startService();
after(service.close);
const tenant = await newTenant(service);
expectStatus(await service.importPackage('units', await packUnits(4)), 201);
await service.api('PUT', '/course/units/option/open', {});
const { openings, unreadSessions } = service.ctx.admission;

async function enrol({ api, user } = tenant): Promise<string> {
  return (await api('POST', `/enrol/${await user()}/units`)).body.LaunchURL;
}

/** Creates an enrolment with 960 kB of run-time data in each of its units. */
async function enrolLarge(): Promise<string> {
  const link = await enrol();
  const { session, commit } = await play(service, link);
  const Data = Object.fromEntries(
    Array.from({ length: 15 }, (_, n) => [`cmi.interactions.${n}.id`, 'x'.repeat(64_000)]),
  );
  for (const UnitID of Object.keys(session.Data)) expectStatus(await commit({ UnitID, Data }), 200);
  return link;
}

const sessionPath = async (link: string) => `${(await click(link)).location}/session`;

/** Takes all of a tenant's slots for opening large sessions. Returns a function that releases them. */
function occupy(tenantId: string): () => void {
  const ends: (() => void)[] = [];
  for (let place = 0; place < openings.maxPerCaller; place++)
    void inTurn(openings, tenantId, () => new Promise<void>((resolve) => ends.push(resolve)));
  return () => {
    for (const end of ends) end();
  };
}

test("a tenant's large sessions are opened in its queue; small sessions and other tenants' sessions do not wait", async () => {
  const [large, small, other] = [await enrolLarge(), await enrol(), await enrol(await newTenant(service))];
  const end = occupy(tenant.TenantID);
  const waiting = [post(await sessionPath(large)), post(await sessionPath(large))];
  await until('both wait', () => waitingIn(openings) === 2);
  await play(service, small);
  await play(service, other);
  assert.equal(waitingIn(openings), 2);
  end();
  const opened = await Promise.all(waiting);
  for (const response of opened) {
    expectStatus(response, 201);
    assert.match(String(response.headers.get('content-type')), /^application\/json/);
    const data = Object.values<Record<string, string>>(response.body.Data);
    assert.deepEqual(
      data.map((unit) => unit['cmi.interactions.14.id']?.length),
      [64_000, 64_000, 64_000, 64_000],
    );
  }
  assert.deepEqual(opened.map(({ body }) => body.Launch).sort(), [2, 3]);
  assert.equal(openings.callers.size, 0);
});

test('a large session counts against its tenant until it is sent; beyond the limit, only other tenants can open more', async () => {
  const { bytes, max } = unreadSessions;
  const link = await enrolLarge();
  const counted: number[] = [];
  const set = bytes.set.bind(bytes);
  bytes.set = (line, amount) => {
    counted.push(amount);
    return set(line, amount);
  };
  const { session } = await play(service, link);
  assert.deepEqual(counted, [Buffer.byteLength(JSON.stringify(session))]);
  await until('the session has been sent', () => !bytes.has(tenant.TenantID));
  set(tenant.TenantID, max);
  const refused = await post(await sessionPath(link));
  expectProblem(refused, 429, 'too_many_requests');
  assert.equal(refused.headers.get('retry-after'), '1');
  await play(service, await enrol(await newTenant(service)));
  bytes.delete(tenant.TenantID);
  const again = await play(service, link);
  assert.equal(again.session.Launch, session.Launch + 1, 'the rejected attempt does not count as a launch');
});

test('a session is compressed only if it is small', async () => {
  const headers = { 'accept-encoding': 'gzip' };
  for (const [link, encoding] of [
    [await enrol(), 'gzip'],
    [await enrolLarge(), null],
  ] as const) {
    const response = await fetch(new URL(await sessionPath(link), service.contentUrl), {
      method: 'POST',
      headers,
    });
    assert.equal(response.status, 201);
    assert.equal(response.headers.get('content-encoding'), encoding);
    await response.arrayBuffer();
  }
});

test('a session with large data from another course counts as large', async () => {
  const [LoginID, file, note] = [await tenant.user(), await packChoice(), 'x'.repeat(64_000)];
  const links: string[] = [];
  for (const course of ['choice', 'another-choice']) {
    expectStatus(await service.importPackage(course, file), 201);
    await service.api('PUT', `/course/${course}/option/open`, {});
    links.push((await tenant.api('POST', `/enrol/${LoginID}/${course}`)).body.LaunchURL);
  }
  const [writer = '', reader = ''] = links;
  const { commit } = await play(service, writer);
  const Tree = `{"Version":2,"Shared":{"globals":[],"buckets":[["note","${note}"]]}}`;
  expectStatus(await commit({ Tree }), 200);
  const end = occupy(tenant.TenantID);
  const opening = post(await sessionPath(reader));
  await until('it waits', () => waitingIn(openings) === 1);
  end();
  assert.deepEqual((await opening).body.Shared.buckets, [['note', note]]);
});
