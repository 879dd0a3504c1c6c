import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { observed } from '../../../test/support/nodes.ts';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newCourse, newTenant } from '../../../test/support/tenant.ts';
import { transaction } from '../../db/transaction.ts';
import { agentOf, statementData } from '../lrs/personal-data.ts';
import { findPerson } from '../privacy/all-personal-data.ts';
import { eraseUser } from '../privacy/erase.ts';
import { beginning, eraseBatch, finishErasures } from '../privacy/erase-batches.ts';

const service = await startService();
after(service.close);
const { api, TenantID, user } = await newTenant(service);
const ctx = { ...service.ctx, tenantId: TenantID };
const many = 1_700;

async function crowded() {
  const LoginID = await user({ FirstName: 'Ann' });
  const { EnrollID } = (await api('POST', `/enrol/${LoginID}/${await newCourse(service)}`)).body;
  const person = await findPerson(ctx, LoginID, false);
  const userId = person?.userId ?? '';
  await sql`insert into event (tenant_id, event_id, type, occurred_at, user_id, enroll_id, data)
    select ${TenantID}, overlay(gen_random_uuid()::text placing '01900000' from 1 for 8)::uuid, 'enrolment.updated', now(), ${userId}::uuid,
      case when n % 2 = 0 then ${EnrollID}::uuid end, '{"LoginID":"Ann"}' from generate_series(1, ${many}) n`.execute(
    ctx.db,
  );
  await sql`insert into launch (tenant_id, enroll_id, launch_id, number, started_at, last_seen_at, user_agent)
    select ${TenantID}, ${EnrollID}, gen_random_uuid(), n, now(), now(), 'Ann' from generate_series(1, ${many}) n`.execute(
    ctx.db,
  );
  return { LoginID, userId };
}

type Part = { Data: string; Records: number; More: boolean };
const recordsOf = (parts: Part[], name: string) => parts.find(({ Data }) => Data === name)?.Records;

async function left(userId: string): Promise<number> {
  const { rows } = await sql<{ left: number }>`select (
      select count(*) from event where tenant_id = ${TenantID} and (user_id = ${userId} or data::text like '%Ann%')
    ) + (select count(*) from launch where tenant_id = ${TenantID} and user_agent = 'Ann')
      + (select count(*) from "user" where tenant_id = ${TenantID} and user_id = ${userId}) as left`.execute(
    ctx.db,
  );
  return Number(rows[0]?.left);
}

test('a person with a lot of data is erased in batches, completely before the response', async () => {
  const { LoginID, userId } = await crowded();
  const plan = await api('DELETE', `/user/${LoginID}?Plan=true`);
  const planned: Part[] = plan.body.Erased;
  const launches = planned.find(({ Data }) => Data === 'Launches');
  assert.deepEqual([launches?.Records, launches?.More], [1_000, true]);
  assert.equal(planned.find(({ Data }) => Data === 'User')?.More, false);
  const erased = await api('DELETE', `/user/${LoginID}`);
  expectStatus(erased, 200);
  assert.equal(recordsOf(erased.body.Erased, 'Launches'), many);
  assert.equal(recordsOf(erased.body.Erased, 'Enrolments'), 1);
  assert.ok((recordsOf(erased.body.Erased, 'Events') ?? 0) >= many);
  assert.equal(await left(userId), 0);
  assert.deepEqual((await api('DELETE', `/user/${LoginID}`)).body, erased.body);
});

/** The state left by a node that crashes after a few batches. */
async function interrupted({ LoginID, userId }: { LoginID: string; userId: string }, batches: number) {
  const erasureId = crypto.randomUUID();
  const progress = JSON.stringify(beginning(ctx.now()));
  await ctx.db
    .insertInto('erasure_under_way')
    .values({ tenant_id: TenantID, erasure_id: erasureId, user_id: userId, progress })
    .execute();
  for (let n = 0; n < batches; n++) await transaction(ctx, (ctx) => eraseBatch(ctx, erasureId));
  assert.ok((await left(userId)) > 0, LoginID);
}

for (const batches of [0, 1, 3])
  test(`the job finishes an erasure that was interrupted after ${batches} batches, with the full count`, async () => {
    const person = await crowded();
    await interrupted(person, batches);
    await finishErasures(service.ctx);
    assert.equal(await left(person.userId), 0);
    expectProblem(await api('GET', `/user/${person.LoginID}`), 404, 'user_not_found');
    const { body } = await api('DELETE', `/user/${person.LoginID}`);
    assert.equal(recordsOf(body.Erased, 'Launches'), many);
  });

test('an erasure that fails does not stop the others', async () => {
  const [failing, other] = [await crowded(), await crowded()];
  for (const person of [failing, other]) await interrupted(person, 1);
  const withProgress = (progress: string) =>
    ctx.db
      .updateTable('erasure_under_way')
      .set({ progress })
      .where('tenant_id', '=', TenantID)
      .where('user_id', '=', failing.userId)
      .execute();
  await withProgress('null');
  await assert.rejects(finishErasures(service.ctx), AggregateError);
  expectProblem(await api('GET', `/user/${other.LoginID}`), 404, 'user_not_found');
  expectStatus(await api('GET', `/user/${failing.LoginID}`), 200);
  await withProgress(JSON.stringify(beginning(ctx.now())));
  await finishErasures(service.ctx);
  expectProblem(await api('GET', `/user/${failing.LoginID}`), 404, 'user_not_found');
});

test('the job erases one batch per tenant in each round, so no tenant waits for the erasures of another', async () => {
  const large = await crowded();
  await interrupted(large, 1);
  const other = await newTenant(service);
  const LoginID = await other.user();
  const otherCtx = { ...service.ctx, tenantId: other.TenantID };
  const person = await findPerson(otherCtx, LoginID, false);
  await ctx.db
    .insertInto('erasure_under_way')
    .values({
      tenant_id: other.TenantID,
      erasure_id: 'ffffffff-ffff-4fff-bfff-ffffffffffff',
      user_id: person?.userId ?? '',
      progress: JSON.stringify(beginning(ctx.now())),
    })
    .execute();
  const turns: unknown[] = [];
  await finishErasures(
    observed(service.ctx, ({ text, values }) => {
      if (text.includes('for update of erasure_under_way')) turns.push(values[0]);
    }),
  );
  const [last, others] = [turns.lastIndexOf(other.TenantID), turns.lastIndexOf(TenantID)];
  assert.ok(last >= 0 && last < others, `the turns: ${turns.join(', ')}`);
});

test('a repeated call continues an erasure, including data added in the meantime', async () => {
  const person = await crowded();
  await interrupted(person, 3);
  await sql`insert into event (tenant_id, event_id, type, occurred_at, user_id, data)
    select ${TenantID}, gen_random_uuid(), 'user.updated', now(), ${person.userId}::uuid, '{"LoginID":"Ann"}'
    from generate_series(1, 1200)`.execute(ctx.db);
  expectStatus(await api('PUT', `/user/${person.LoginID}`, { Enabled: true }), 200);
  expectStatus(await api('POST', `/enrol/${person.LoginID}/${await newCourse(service)}`), 201);
  const { body } = await api('DELETE', `/user/${person.LoginID}`);
  assert.equal(recordsOf(body.Erased, 'Enrolments'), 2);
  assert.equal(await left(person.userId), 0);
});

test('statements with many keys are erased a few at a time', async () => {
  const LoginID = await user();
  const member = Array.from({ length: 1_900 }, (_, at) => ({ mbox: `mailto:member-${at}@example.com` }));
  const statement = {
    actor: agentOf(service.ctx, LoginID),
    verb: { id: 'https://example.com/verb' },
    object: { id: 'https://example.com/activity' },
    context: { team: { objectType: 'Group', member } },
  };
  const version = { 'x-experience-api-version': '1.0.3' };
  expectStatus(await api('POST', '/xapi/statements', Array(5).fill(statement), version), 200);
  const person = await findPerson(ctx, LoginID, false);
  assert.ok(person);
  const erase = () =>
    transaction(ctx, async (ctx) =>
      statementData.eraseForUser?.(ctx, { ...person, enrollId: '', until: ctx.now() }, null),
    );
  const records: (number | undefined)[] = [];
  for (let batch = await erase(); batch; batch = batch.next === null ? undefined : await erase())
    records.push(batch.records);
  assert.deepEqual(records, [2, 2, 1]);
});

test('a large erasure takes several turns, and other tenants get turns in between', async () => {
  const { LoginID, userId } = await crowded();
  const erase = (isContinued: boolean) => eraseUser(ctx, { loginId: LoginID, plan: false, isContinued });
  assert.equal(await erase(false), null);
  let turns = 1;
  let receipt = null;
  for (; receipt === null; turns++) receipt = await erase(true);
  assert.ok(turns > 2, `${turns} turns`);
  assert.equal(await left(userId), 0);
  // The receipt is the same for a repeated call.
  assert.deepEqual(await erase(false), receipt);
});

test('between turns, another user who has received the LoginID is not erased', async () => {
  const LoginID = await user();
  const erase = (isContinued: boolean) => eraseUser(ctx, { loginId: LoginID, plan: false, isContinued });
  const receipt = await erase(false);
  expectStatus(await api('POST', '/user', { LoginID }), 201);
  assert.deepEqual(await erase(true), receipt);
  expectStatus(await api('GET', `/user/${LoginID}`), 200);
});
