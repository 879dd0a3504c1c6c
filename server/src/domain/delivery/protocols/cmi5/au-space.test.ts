import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { sql } from 'kysely';
import { openXapiUnit } from '../../../../../test/support/au.ts';
import { packFiles } from '../../../../../test/support/packages.ts';
import type { Reply } from '../../../../../test/support/send.ts';
import { startService } from '../../../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant, unique } from '../../../../../test/support/tenant.ts';
import { forTenant } from '../../../../db/transaction.ts';
import { maxAuBytes } from '../../../enrolments/run-time/au-sessions.ts';
import { xapiRoutes } from '../../../lrs/routes.ts';
import { findAuSession } from './find-au-session.ts';

const service = await startService();
after(service.close);
const { api, user, TenantID } = await newTenant(service);
const own = forTenant(service.ctx, TenantID);

const activity = 'https://example.com/own';
const verb = { id: 'https://example.com/verbs/answered' };

async function openUnit() {
  const [LoginID, CourseID] = [await user(), unique('xapi')];
  const tincan = `<tincan><activities><activity id="${activity}"><name>A</name><launch>index.html</launch></activity></activities></tincan>`;
  const zip = await packFiles({ 'tincan.xml': tincan, 'index.html': '<!doctype html><title>Unit</title>' });
  expectStatus(await service.importPackage(CourseID, zip), 201);
  expectStatus(await service.api('PUT', `/course/${CourseID}/option/open`, {}), 201);
  const { LaunchURL, EnrollID } = (await api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  const opened = await openXapiUnit(service, LaunchURL, activity);
  const { actor, registration, request } = opened;
  const about = (object: object, context = {}) => ({
    ...{ id: randomUUID(), actor, verb, object },
    context: { registration, ...context },
  });
  const post = (statements: object) => request('POST', '/statements', {}, statements);
  return { EnrollID, ...opened, about, post, agent: JSON.stringify(actor) };
}

type Unit = Awaited<ReturnType<typeof openUnit>>;

const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));
/** Sends requests one after the other, because concurrent requests of a tenant are limited. */
async function inTurn(count: number, send: (at: number) => Promise<Reply>): Promise<Reply[]> {
  const replies: Reply[] = [];
  for (let at = 0; at < count; at++) replies.push(await send(at));
  return replies;
}

const long = () => randomBytes(2_000).toString('hex');
const team = (members: number) => {
  const name = randomUUID();
  return {
    objectType: 'Group',
    member: times(members, (at) => ({ mbox: `mailto:${at}-${name}@example.com` })),
  };
};
const referring = ({ about }: Unit, id: string) => about({ objectType: 'StatementRef', id });
const defined = (below: string) => ({
  id: `${below}/${randomUUID()}`,
  definition: { name: { en: randomBytes(500).toString('hex') } },
});

const ownRow = ({ EnrollID }: Unit) => ({ tenant_id: TenantID, enroll_id: EnrollID });

async function used({ EnrollID }: Unit): Promise<number> {
  const row = own.db.selectFrom('enrolment').select('au_bytes').where('tenant_id', '=', TenantID);
  return (await row.where('enroll_id', '=', EnrollID).executeTakeFirstOrThrow()).au_bytes;
}

async function databaseBytes(): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`/* across tenants: a test measures all tables */
    select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace`.execute(service.ctx.db);
  return rows[0]?.bytes ?? 0;
}

const documents = [
  ['State', '/activities/state'],
  ['ActivityProfile', '/activities/profile'],
  ['AgentProfile', '/agents/profile'],
] as const;

function addressOf(noun: string, { agent, registration }: Unit) {
  if (noun === 'State') return { agent, registration, activityId: `urn:a:${long()}`, stateId: long() };
  return noun === 'AgentProfile'
    ? { agent, profileId: long() }
    : { activityId: `${activity}/${long()}`, profileId: long() };
}

/** Requests that store as much data as possible for their size. */
const attempts: { name: string; routes: string[]; send: (unit: Unit) => Promise<Reply[]> }[] = [
  {
    name: 'statements with many agents',
    routes: ['postStatements'],
    send: async ({ post, about }) => [
      await post(times(5, () => about({ id: activity }, { team: team(1_500) }))),
    ],
  },
  {
    name: 'statements that refer to a statement with many agents',
    routes: ['postStatements'],
    send: async (unit) => {
      const target = unit.about({ id: activity }, { team: team(1_500) });
      const stored = await unit.post(target);
      return [stored, ...(await inTurn(10, () => unit.post(times(5, () => referring(unit, target.id)))))];
    },
  },
  {
    name: 'statements that refer to a later statement with many agents',
    routes: ['postStatements'],
    send: async (unit) => {
      const target = unit.about({ id: activity }, { team: team(1_500) });
      return [await unit.post(times(200, () => referring(unit, target.id))), await unit.post(target)];
    },
  },
  {
    name: 'small statements',
    routes: ['putStatement', 'postStatements'],
    send: async ({ request, post, about }) => {
      const statement = about({ id: activity });
      const stored = await request('PUT', '/statements', { statementId: statement.id }, statement);
      return [stored, await post(times(900, () => about({ id: `${activity}/${randomUUID()}` })))];
    },
  },
  {
    name: "definitions of the unit's own activities",
    routes: ['postStatements'],
    send: ({ post, about }) =>
      inTurn(10, () => {
        const other = times(100, () => defined(activity));
        return post(about({ id: activity }, { contextActivities: { other } }));
      }),
  },
  ...documents.map(([noun, path]) => ({
    name: `${noun} documents with long IDs`,
    routes: [`put${noun}`, `post${noun}`],
    send: (unit: Unit) =>
      inTurn(60, (at) => {
        const create = { 'if-none-match': '*' };
        return unit.request(at % 2 ? 'PUT' : 'POST', path, addressOf(noun, unit), {}, create);
      }),
  })),
];

/** Routes that store nothing. */
const others = documents.map(([noun]) => `delete${noun}`);

describe("an enrolment's storage", () => {
  for (const { name, send } of attempts)
    it(`counts everything added to the database: ${name}`, async () => {
      const unit = await openUnit();
      const before = { charged: await used(unit), database: await databaseBytes() };
      for (const reply of await send(unit)) assert.ok([200, 204].includes(reply.status), `${reply.status}`);
      const charged = (await used(unit)) - before.charged;
      const added = (await databaseBytes()) - before.database;
      // The database may grow by more than the charged bytes, because it allocates whole pages and keeps old
      // versions of the enrolment until a vacuum.
      assert.ok(added <= 1.25 * charged + 300_000, `${added} bytes added, ${charged} charged`);
    });

  it('counts opened sessions and limits them to thirty a minute', async () => {
    const unit = await openUnit();
    const before = { charged: await used(unit), database: await databaseBytes() };
    const replies = await inTurn(40, unit.open);
    const charged = (await used(unit)) - before.charged;
    const added = (await databaseBytes()) - before.database;
    assert.equal(replies.filter(({ status }) => status === 201).length, 29);
    const rejected = replies.at(-1) as Reply;
    expectProblem(rejected, 429, 'too_many_requests');
    assert.match(rejected.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    assert.ok(charged > 0 && added <= 1.25 * charged + 300_000, `${added} bytes added, ${charged} charged`);
  });

  it('counts the requests of all routes that units can call', () => {
    const writing = xapiRoutes.filter(({ method }) => method !== 'GET').map(({ name }) => name);
    const covered = [...attempts.flatMap(({ routes }) => routes), ...others];
    assert.deepEqual([...new Set(covered)].sort(), writing.sort());
  });

  it('does not keep a result from counting', async () => {
    const unit = await openUnit();
    await own.db
      .updateTable('enrolment')
      .set({ au_bytes: maxAuBytes })
      .where('tenant_id', '=', TenantID)
      .where('enroll_id', '=', unit.EnrollID)
      .execute();
    const passed = { ...unit.about({ id: activity }), verb: { id: 'http://adlnet.gov/expapi/verbs/passed' } };
    expectProblem(await unit.post(unit.about({ id: activity })), 409, 'storage_limit');
    expectStatus(await unit.post(passed), 200);
    expectProblem(await unit.post({ ...passed, id: randomUUID() }), 409, 'storage_limit');
    const { success } = await own.db
      .selectFrom('enrolment')
      .select('success')
      .where('tenant_id', '=', TenantID)
      .where('enroll_id', '=', unit.EnrollID)
      .executeTakeFirstOrThrow();
    assert.equal(success, 'passed');
  });

  it('cannot exceed its limit through rows that a statement adds by reference', async () => {
    const unit = await openUnit();
    const target = unit.about({ id: activity }, { team: team(1_500) });
    expectStatus(await unit.post(target), 200);
    const { tenant_id, enroll_id } = ownRow(unit);
    await own.db
      .updateTable('enrolment')
      .set({ au_bytes: maxAuBytes - 6_000 })
      .where('tenant_id', '=', tenant_id)
      .where('enroll_id', '=', enroll_id)
      .execute();
    expectProblem(await unit.post(referring(unit, target.id)), 409, 'storage_limit');
    expectStatus(await unit.post(unit.about({ id: activity })), 200);
  });
});

describe('documents that several learners share', () => {
  it('are counted at their full size, even if they are written and deleted at the same time', async () => {
    const [one, other] = [await openUnit(), await openUnit()];
    const of = { activityId: activity, profileId: 'shared' };
    const before = (await used(one)) + (await used(other));
    for (let round = 0; round < 20; round++) {
      await one.request(
        'PUT',
        '/activities/profile',
        of,
        { text: 'x'.repeat(100_000) },
        { 'if-none-match': '*' },
      );
      await Promise.all([
        one.request('PUT', '/activities/profile', of, { text: 'x'.repeat(100_000) }, { 'if-match': '*' }),
        other.request('DELETE', '/activities/profile', of),
      ]);
    }
    const isStored = (await one.request('GET', '/activities/profile', of)).status === 200;
    // Deleting a document frees storage of the learner who deletes it, even if another learner
    // wrote it.
    const charged = (await used(one)) + (await used(other)) - before;
    assert.ok(charged >= (isStored ? 100_000 : 0), `${charged} bytes charged`);
  });
});

describe("a unit's token", () => {
  it('has an ID in the format of a KeyID, so that nodes can exchange its call counts', async () => {
    const { token } = await openUnit();
    const found = await findAuSession(service.ctx, token);
    assert.match(found?.caller.keyId ?? '', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  it('expires after LATE_RESULTS_DAYS without a statement', async () => {
    const { post, about, EnrollID } = await openUnit();
    expectStatus(await post(about({ id: activity })), 200);
    const days = (count: number) => new Date(Date.now() - count * 86_400_000);
    for (const [count, status] of [
      [6, 200],
      [8, 401],
    ] as const) {
      await own.db
        .updateTable('au_session')
        .set({ opened_at: days(count), last_statement_at: days(count) })
        .where('tenant_id', '=', TenantID)
        .where('enroll_id', '=', EnrollID)
        .execute();
      expectStatus(await post(about({ id: activity })), status);
    }
  });
});

describe("a unit's definitions", () => {
  const definitions = async () =>
    (
      await own.db
        .selectFrom('activity_definition')
        .select('activity')
        .where('tenant_id', '=', TenantID)
        .execute()
    ).map(({ activity }) => activity);
  const withOther = ({ about }: Unit, ...other: object[]) =>
    about({ id: activity }, { contextActivities: { other } });

  it('are not stored with rejected statements', async () => {
    const unit = await openUnit();
    const one = defined(activity);
    const foreign = { ...withOther(unit, one), actor: { mbox: 'mailto:other@example.com' } };
    expectProblem(await unit.post(foreign), 403, 'cmi5_violation');
    const stored = withOther(unit);
    expectStatus(await unit.post(stored), 200);
    expectProblem(await unit.post({ ...withOther(unit, one), id: stored.id }), 409, 'statement_conflict');
    await own.db
      .updateTable('enrolment')
      .set({ au_bytes: maxAuBytes })
      .where('tenant_id', '=', TenantID)
      .where('enroll_id', '=', unit.EnrollID)
      .execute();
    expectProblem(await unit.post(withOther(unit, one)), 409, 'storage_limit');
    assert.ok(!(await definitions()).some((text) => text.includes(one.id)));
    const keyed = { 'x-experience-api-version': '1.0.3' };
    const conflicting = { ...withOther(unit, one), id: stored.id };
    expectProblem(await api('POST', '/xapi/statements', conflicting, keyed), 409, 'statement_conflict');
    assert.ok(!(await definitions()).some((text) => text.includes(one.id)));
  });

  it("are stored only for activities of the unit's course", async () => {
    const unit = await openUnit();
    const [mine, other] = [defined(activity), defined('https://example.com/ownership')];
    expectStatus(await unit.post(withOther(unit, mine, other)), 200);
    const stored = await definitions();
    assert.ok(stored.some((text) => text.includes(mine.id)));
    assert.ok(!stored.some((text) => text.includes(other.id)));
  });
});

describe('an Idempotency-Key', () => {
  const conflict = { 'idempotency-key': 'order-4711' };

  it("used by a unit does not affect the same key used by the tenant's application", async () => {
    const unit = await openUnit();
    const statement = unit.about({ id: activity });
    for (const _ of [1, 2])
      expectStatus(await unit.request('POST', '/statements', {}, statement, conflict), 200);
    const [LoginID, CourseID] = [await user(), unique('course')];
    const course = { Title: 'A course', URL: 'https://example.com' };
    expectStatus(await service.api('PUT', `/course/${CourseID}`, course), 201);
    expectStatus(await service.api('PUT', `/course/${CourseID}/option/open`, {}), 201);
    const reply = await api('POST', `/enrol/${LoginID}/${CourseID}`, undefined, conflict);
    expectStatus(reply, 201);
    assert.equal(reply.headers.get('idempotency-replayed'), null);
  });

  it('for a raw body is stored without serialising the body as JSON', async () => {
    const { stringify } = JSON;
    let longest = 0;
    JSON.stringify = (value: unknown, ...more: []) => {
      const text = stringify(value, ...more);
      longest = Math.max(longest, text?.length ?? 0);
      return text;
    };
    const headers = {
      ...{ 'x-experience-api-version': '1.0.3', 'content-type': 'application/json' },
      'idempotency-key': 'order-4712',
    };
    try {
      expectStatus(await api('POST', '/xapi/statements', 'x'.repeat(2_000_000), headers), 400);
    } finally {
      JSON.stringify = stringify;
    }
    assert.ok(longest < 3_000_000, `${longest} characters`);
  });
});
