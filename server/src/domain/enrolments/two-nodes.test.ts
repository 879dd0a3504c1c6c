import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { otherNode, serve } from '../../../test/support/nodes.ts';
import { startService } from '../../../test/support/service.ts';
import { newCourse, newTenant } from '../../../test/support/tenant.ts';

const service = await startService();
const node = await serve(otherNode(service.ctx));
await node.api.listen({ host: '127.0.0.1', port: 0 });
const { port } = node.api.server.address() as AddressInfo;
const bases = [service.baseUrl, `http://127.0.0.1:${port}`];
after(async () => {
  await node.close();
  await service.close();
});

/** Sends a request that may be cut off at any moment, so the client cannot know whether it arrived. */
async function send(
  base: string,
  path: string,
  key: string,
  cutAfter: number | null,
): Promise<{ status: number; body: { EnrollID?: string } } | null> {
  const signal = cutAfter === null ? null : AbortSignal.timeout(cutAfter);
  const headers = { authorization: `Bearer ${key}` };
  try {
    const reply = await fetch(base + path, { method: 'POST', headers, ...(signal && { signal }) });
    const body = (await reply.json()) as { EnrollID?: string };
    // Before reading this request, the server closed the connection, which an aborted request had left idle.
    if (reply.status === 408) return send(base, path, key, cutAfter);
    return { status: reply.status, body };
  } catch (error) {
    if (cutAfter === null) throw error;
    return null;
  }
}

test('64 clients that send each enrolment three times to two nodes and abort connections create one enrolment and one event each', async () => {
  const { user, api, events, key } = await newTenant(service);
  const course = await newCourse(service);
  const logins = await Promise.all(Array.from({ length: 20 }, () => user()));
  const seen = new Map(logins.map((LoginID) => [LoginID, new Set<string>()]));
  let isNew = 0;
  const client = async (number: number) => {
    for (const [n, LoginID] of logins.entries()) {
      for (let time = 0; time < 3; time++) {
        const cut = time < 2 && Math.random() < 0.3 ? Math.ceil(Math.random() * 20) : null;
        const base = bases[(number + n + time) % 2] ?? '';
        const reply = await send(base, `/enrol/${LoginID}/${course}`, key, cut);
        if (!reply) continue;
        assert.ok([200, 201].includes(reply.status), JSON.stringify(reply.body));
        if (reply.status === 201) isNew++;
        seen.get(LoginID)?.add(reply.body.EnrollID ?? '');
      }
    }
  };
  await Promise.all(Array.from({ length: 64 }, (_, number) => client(number)));
  assert.ok(isNew <= logins.length);
  for (const LoginID of logins) {
    const { Items } = (await api('GET', `/enrolment/${LoginID}`)).body;
    assert.equal(Items.length, 1);
    assert.deepEqual([...(seen.get(LoginID) ?? [])], [Items[0].EnrollID]);
    const reported = (await events({ LoginID })).filter(({ type }) => type === 'enrolment.created');
    assert.deepEqual(
      reported.map(({ enroll_id }) => enroll_id),
      [Items[0].EnrollID],
    );
  }
});

test('requests for different courses and users in opposite orders on two nodes do not deadlock', async () => {
  const { user, api, key } = await newTenant(service);
  const courses = await Promise.all(
    Array.from({ length: 4 }, () => newCourse(service, {}, { licence: { Seats: 1000 } })),
  );
  const logins = await Promise.all(Array.from({ length: 10 }, () => user()));
  const pairs = logins.flatMap((LoginID) => courses.map((course) => `/enrol/${LoginID}/${course}`));
  const replies = await Promise.all([
    ...pairs.map((path) => send(bases[0] ?? '', path, key, null)),
    ...pairs.toReversed().map((path) => send(bases[1] ?? '', path, key, null)),
  ]);
  assert.equal(replies.filter((reply) => reply?.status === 201).length, pairs.length);
  assert.equal(replies.filter((reply) => reply?.status === 200).length, pairs.length);
  for (const LoginID of logins)
    assert.equal((await api('GET', `/enrolment/${LoginID}`)).body.Items.length, courses.length);
  for (const course of courses)
    assert.equal((await service.api('GET', `/course/${course}`)).body.EnrolOptions[0].SeatsLeft, 990);
});
