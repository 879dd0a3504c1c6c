import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { calls, observed, serve } from '../../../test/support/nodes.ts';
import { startService } from '../../../test/support/service.ts';
import { newCourse, newTenant, unique } from '../../../test/support/tenant.ts';
import type { Statement } from '../../db/engine/engine.ts';

const service = await startService();
const statements: Statement[] = [];
const node = await serve(observed(service.ctx, (statement) => void statements.push(statement)));
after(async () => {
  await node.close();
  await service.close();
});
const tenant = await newTenant(service);
const course = await newCourse(service);

async function post(url: string, payload: object = {}) {
  const headers = { authorization: `Bearer ${tenant.key}`, 'idempotency-key': unique('key') };
  return node.api.inject({ method: 'POST', url, payload, headers });
}

async function positions(): Promise<number[]> {
  const { rows } = await sql<{ position: number }>`
    select position from event where tenant_id = ${tenant.TenantID} order by position`.execute(
    service.ctx.db,
  );
  return rows.map(({ position }) => position);
}

test('a call with an Idempotency-Key writes its event with its position', async () => {
  const LoginID = await tenant.user();
  for (const [url, payload, name] of [
    ['/user', { LoginID: unique('new') }, 'create_user'],
    [`/enrol/${LoginID}/${course}`, {}, 'enrol'],
  ] as const) {
    statements.length = 0;
    assert.equal((await post(url, payload)).statusCode, 201);
    const [, stored, ...more] = statements.slice(statements.findIndex((one) => calls(one, name)));
    assert.match(stored?.text ?? '', /insert into stored_answer/);
    assert.deepEqual(more, []);
  }
});

test('concurrent calls with keys leave no gap, even if some of them fail, repeat or change users', async () => {
  const LoginID = await tenant.user();
  const statuses = await Promise.all([
    ...[course, course, 'missing'].map((CourseID) => post(`/enrol/${LoginID}/${CourseID}`)),
    ...[course, course].map((CourseID) => post(`/enrol/${LoginID}/${CourseID}`, { IfEnrolled: 'renew' })),
    ...Array.from({ length: 8 }, (_, n) =>
      post('/user', {
        LoginID: `many-${n % 4}`,
        IfExists: n % 3 === 0 ? 'update' : 'fail',
        FirstName: `${n % 2}`,
      }),
    ),
    ...Array.from({ length: 8 }, (_, n) => post('/user', { LoginID: `same-${n % 4}` })),
  ]).then((replies) => replies.map(({ statusCode }) => statusCode));
  assert.deepEqual(
    statuses.filter((status) => status >= 500),
    [],
  );
  const found = await positions();
  assert.deepEqual(
    found,
    found.map((_, at) => at + 1),
  );
});
