import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { au, block, courseStructure } from '../../../../../../standards/cmi5/test-support.ts';
import { auVerbs, extensions, lmsVerbs } from '../../../../../../standards/cmi5/vocabulary.ts';
import { voidedVerb } from '../../../../../../standards/xapi/statements.ts';
import { ask } from '../../../../../test/support/ask.ts';
import { openAu, openUnit, readResults } from '../../../../../test/support/au.ts';
import { packFiles } from '../../../../../test/support/packages.ts';
import { play, post } from '../../../../../test/support/player.ts';
import { startService } from '../../../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant, unique } from '../../../../../test/support/tenant.ts';
import { forTenant } from '../../../../db/transaction.ts';
import { maxAuBytes } from '../../../enrolments/run-time/au-sessions.ts';

const service = await startService();
after(service.close);
const { api, user, key, TenantID } = await newTenant(service);

const page = '<!doctype html><title>AU</title>';
const exam = 'https://example.com/au/exam';
const reading = 'https://example.com/au/reading';
const experienced = 'http://adlnet.gov/expapi/verbs/experienced';

async function course(children: string): Promise<string> {
  const CourseID = unique('cmi5');
  const zip = await packFiles({ 'cmi5.xml': courseStructure(children), 'index.html': page });
  expectStatus(await service.importPackage(CourseID, zip), 201);
  expectStatus(await service.api('PUT', `/course/${CourseID}/option/open`, {}), 201);
  return CourseID;
}

async function enrolled(children: string) {
  const [LoginID, CourseID] = [await user(), await course(children)];
  const { EnrollID, LaunchURL } = (await api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  const address = `/enrolment/${LoginID}/${EnrollID}`;
  return {
    LoginID,
    CourseID,
    EnrollID,
    LaunchURL,
    address,
    read: async () => (await api('GET', address)).body,
  };
}

type Statement = {
  verb: { id: string };
  object: { id: string; definition?: { type?: string } };
  context: { extensions: Record<string, unknown>; contextActivities: { grouping: { id: string }[] } };
  result?: { duration?: string; extensions?: Record<string, unknown> };
};

/** Returns all statements of a registration, oldest first, read with the tenant's key. */
async function statementsOf(registration: string): Promise<Statement[]> {
  const response = await ask(
    `${service.baseUrl}/xapi/statements?registration=${registration}&ascending=true`,
    {
      headers: { authorization: `Bearer ${key}`, 'x-experience-api-version': '1.0.3' },
    },
  );
  assert.equal(response.status, 200, await response.clone().text());
  return ((await response.json()) as { statements: Statement[] }).statements;
}

const verbsOf = (statements: Statement[]) => statements.map(({ verb }) => verb.id.split('/').at(-1));
const sessionOf = ({ context }: Statement) => context.extensions[extensions.sessionId];

async function begun(
  ...[launchUrl, unit]: Parameters<typeof openAu> extends [unknown, ...infer Rest] ? Rest : never
) {
  const opened = await openAu(service, launchUrl, unit);
  expectStatus(await opened.preferences(), 404);
  expectStatus(await opened.send(opened.defined('initialized')), 204);
  return opened;
}

const examPart = au({ id: exam, attributes: 'moveOn="CompletedAndPassed" masteryScore="0.8"' });
const readingPart = au({ id: reading, attributes: 'moveOn="Completed"' });

describe('a cmi5 course', () => {
  it('can be played, and its statements become the result', async () => {
    const { LaunchURL, EnrollID, read, CourseID } = await enrolled(
      block('https://example.com/block', examPart),
    );
    const opened = await begun(LaunchURL, { UnitID: exam });
    assert.equal(opened.registration, EnrollID);
    assert.deepEqual((opened.actor.account as { homePage: string }).homePage, service.baseUrl);
    assert.notEqual(opened.activityId, exam);
    assert.equal((await read()).Status, 'in_progress');
    expectStatus(await opened.send(opened.defined('completed')), 204);
    assert.equal((await read()).Completion, 'incomplete');
    const score = { scaled: 0.9, raw: 9, min: 0, max: 10 };
    expectStatus(await opened.send(opened.defined('passed', { score }), opened.defined('terminated')), 204);
    const { Status, Completion, Success, Score, Progress, TotalSeconds } = await read();
    assert.deepEqual(
      [Status, Completion, Success, Score, Progress, TotalSeconds],
      [...['completed', 'completed', 'passed', 90, 100, 20]],
    );
    const statements = await statementsOf(EnrollID);
    assert.deepEqual(verbsOf(statements), [
      ...['launched', 'initialized', 'completed', 'passed', 'satisfied', 'satisfied', 'terminated'],
    ]);
    assert.ok(statements.every((statement) => sessionOf(statement) === opened.sessionId));
    const [ofBlock, ofCourse] = statements.slice(4);
    assert.equal(ofBlock?.context.contextActivities.grouping[0]?.id, 'https://example.com/block');
    assert.equal(ofCourse?.context.contextActivities.grouping[0]?.id, 'https://example.com/course');
    assert.ok(ofCourse?.object.id.startsWith(`${service.baseUrl}/course/${CourseID}/activity/`));
  });

  it('can append to the endpoint with a slash and without', async () => {
    const { LaunchURL } = await enrolled(readingPart);
    const { url, token } = await openAu(service, LaunchURL);
    const endpoint = url.searchParams.get('endpoint') ?? '';
    const headers = { authorization: `Basic ${token}`, 'x-experience-api-version': '1.0.3' };
    for (const path of ['statements', '/statements', '//statements']) {
      assert.equal((await ask(`${endpoint}${path}`, { headers })).status, 200, path);
      assert.equal((await ask(`${endpoint}${path}`, { method: 'OPTIONS' })).status, 204, path);
    }
    const form = {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(headers).toString(),
    };
    assert.equal((await ask(`${endpoint}/statements?method=GET`, form)).status, 200);
  });

  it('provides the AU with its launch data', async () => {
    const more = '<launchParameters>a=1</launchParameters><entitlementKey>key</entitlementKey>';
    const { LaunchURL } = await enrolled(
      au({ attributes: 'moveOn="Passed" masteryScore="0.5"', more, url: 'index.html?x=1' }),
    );
    const { launchData, url, sessionId } = await openAu(service, LaunchURL);
    const { contextTemplate, returnURL, ...rest } = launchData;
    assert.deepEqual(rest, {
      ...{ launchMode: 'Normal', moveOn: 'Passed', launchParameters: 'a=1', masteryScore: 0.5 },
      entitlementKey: { courseStructure: 'key' },
    });
    assert.equal(contextTemplate.extensions[extensions.sessionId], sessionId);
    assert.equal(url.searchParams.get('x'), '1');
    assert.equal(await (await ask(url.href)).text(), page);
    const returned = await ask(returnURL);
    assert.equal(returned.status, 200);
    const farewell = await returned.text();
    assert.match(farewell, /Your results are saved\..*You can close this page/s);
    assert.doesNotMatch(farewell, /href|key=/);
  });

  it('can store a limited amount of data in statements and documents', async () => {
    const { LaunchURL, EnrollID } = await enrolled(examPart);
    const one = await openAu(service, LaunchURL);
    const { request, actor, activityId, registration, defined, allowed, send } = one;
    await one.preferences();
    expectStatus(await send(defined('initialized')), 204);
    const store = (size: number) => {
      const of = { agent: JSON.stringify(actor), activityId, registration, stateId: 'notes' };
      return request('PUT', '/activities/state', of, { notes: 'a'.repeat(size) });
    };
    expectStatus(await store(1_000_000), 204);
    const own = forTenant(service.ctx, TenantID);
    await own.db
      .updateTable('enrolment')
      .set({ au_bytes: maxAuBytes - 500_000 })
      .where('tenant_id', '=', TenantID)
      .where('enroll_id', '=', EnrollID)
      .execute();
    expectStatus(await store(1_000_000), 204);
    expectProblem(await store(1_600_000), 409, 'storage_limit');
    const long = { ...allowed(experienced), result: { response: 'a'.repeat(600_000) } };
    expectProblem(await send(long), 409, 'storage_limit');
    expectStatus(await store(10), 204);
    expectStatus(await send(long), 204);
  });

  it('can reuse the space of a deleted document', async () => {
    const { LaunchURL, EnrollID } = await enrolled(examPart);
    const { request, actor, activityId, registration } = await openAu(service, LaunchURL);
    const of = { agent: JSON.stringify(actor), activityId, registration, stateId: 'notes' };
    const used = async () => {
      const own = forTenant(service.ctx, TenantID);
      const row = own.db.selectFrom('enrolment').select('au_bytes').where('tenant_id', '=', TenantID);
      return (await row.where('enroll_id', '=', EnrollID).executeTakeFirstOrThrow()).au_bytes;
    };
    const before = await used();
    expectStatus(await request('PUT', '/activities/state', of, { notes: 'a'.repeat(1_000) }), 204);
    assert.ok((await used()) > before + 1_000);
    expectStatus(await request('DELETE', '/activities/state', of), 204);
    assert.equal(await used(), before);
  });

  it("cannot use other courses' profiles and definitions, or look up other people", async () => {
    const [mine, other] = [await enrolled(examPart), await enrolled(examPart)];
    const [one, two] = [await openAu(service, mine.LaunchURL), await openAu(service, other.LaunchURL)];
    const of = { activityId: one.activityId, profileId: 'notes' };
    const create = { 'if-none-match': '*' };
    expectStatus(await one.request('PUT', '/activities/profile', of, { of: 'mine' }, create), 204);
    for (const method of ['GET', 'PUT', 'DELETE'])
      expectProblem(
        await two.request(method, '/activities/profile', of, method === 'PUT' ? {} : undefined, create),
        403,
        'cmi5_violation',
      );
    // Units of xAPI packages keep their publishers' activity IDs.
    const foreign = { ...of, activityId: 'https://publisher.example/course' };
    for (const method of ['GET', 'PUT', 'DELETE'])
      expectProblem(
        await two.request(method, '/activities/profile', foreign, method === 'PUT' ? {} : undefined),
        403,
        'cmi5_violation',
      );
    const agent = JSON.stringify(two.actor);
    const state = { activityId: foreign.activityId, agent, stateId: 'notes' };
    expectProblem(await two.request('PUT', '/activities/state', state, {}), 403, 'cmi5_violation');
    const own = { ...state, registration: two.registration };
    expectStatus(await two.request('PUT', '/activities/state', own, {}), 204);
    const lookUp = (agent: object) => two.request('GET', '/agents', { agent: JSON.stringify(agent) });
    expectProblem(await lookUp(one.actor), 403, 'cmi5_violation');
    expectStatus(await lookUp(two.actor), 200);
    const renamed = async (id: string) => {
      await two.preferences();
      const about = two.allowed(experienced);
      const object = { id, definition: { name: { en: 'Renamed' } } };
      const context = about.context as { contextActivities: object };
      const contextActivities = { ...context.contextActivities, other: [object] };
      expectStatus(await two.send({ ...about, context: { ...context, contextActivities } }), 204);
      const found = await two.request('GET', '/activities', { activityId: id });
      return found.body.definition?.name?.en === 'Renamed';
    };
    expectStatus(await two.send(two.defined('initialized')), 403);
    await two.preferences();
    expectStatus(await two.send(two.defined('initialized')), 204);
    assert.deepEqual(
      [
        await renamed(one.activityId),
        await renamed(`${two.activityId}/question`),
        await renamed('urn:example:1'),
      ],
      [false, true, false],
    );
  });

  it("issues a session's token once, to any origin", async () => {
    const { LaunchURL } = await enrolled(examPart);
    const { url } = await openAu(service, LaunchURL);
    const again = await ask(url.searchParams.get('fetch') ?? '', { method: 'POST' });
    assert.equal(again.status, 200);
    assert.equal(again.headers.get('access-control-allow-origin'), '*');
    const body = (await again.json()) as Record<string, string>;
    assert.deepEqual([body['error-code'], body['auth-token']], ['1', undefined]);
    const preflight = await ask(url.searchParams.get('fetch') ?? '', { method: 'OPTIONS' });
    assert.equal(preflight.headers.get('access-control-allow-methods'), 'POST');
  });

  it('rejects statements that break the rules, and stores none of them', async () => {
    const { LaunchURL, EnrollID, read } = await enrolled(examPart);
    const opened = await openAu(service, LaunchURL);
    expectProblem(await opened.send(opened.defined('initialized')), 403, 'cmi5_violation');
    await opened.preferences();
    expectProblem(await opened.send(opened.defined('completed')), 403, 'cmi5_violation');
    expectStatus(await opened.send(opened.defined('initialized'), opened.allowed(experienced)), 204);
    const low = opened.defined('passed', { score: { scaled: 0.1 } });
    expectProblem(await opened.send(low), 403, 'cmi5_violation');
    const { id: _, ...unnamed } = opened.allowed(experienced);
    expectProblem(await opened.request('POST', '/statements', {}, unnamed), 403, 'cmi5_violation');
    const other = {
      ...opened.allowed(experienced),
      actor: { account: { homePage: service.baseUrl, name: 'other' } },
    };
    expectProblem(await opened.send(other), 403, 'cmi5_violation');
    assert.deepEqual(verbsOf(await statementsOf(EnrollID)), ['launched', 'initialized', 'experienced']);
    assert.equal((await read()).Success, 'unknown');
  });

  it('stores a repeated statement only once', async () => {
    const { LaunchURL, EnrollID } = await enrolled(examPart);
    const opened = await begun(LaunchURL);
    const completed = opened.defined('completed');
    for (const _ of [1, 2]) expectStatus(await opened.send(completed), 204);
    expectProblem(await opened.send(opened.defined('completed')), 403, 'cmi5_violation');
    assert.deepEqual(verbsOf(await statementsOf(EnrollID)), ['launched', 'initialized', 'completed']);
  });

  it('ends a session when its AU sends a `terminated` statement', async () => {
    const { LaunchURL } = await enrolled(examPart);
    const opened = await begun(LaunchURL);
    expectStatus(await opened.send(opened.defined('terminated')), 204);
    expectStatus(await opened.send(opened.allowed(experienced)), 401);
    expectStatus(await opened.preferences(), 401);
  });

  it('abandons the open session when the learner opens another', async () => {
    const { LaunchURL, EnrollID } = await enrolled(examPart + readingPart);
    const first = await begun(LaunchURL, { UnitID: exam });
    const second = await begun(LaunchURL, { UnitID: reading });
    expectStatus(await first.send(first.defined('completed')), 401);
    expectStatus(await second.send(second.defined('completed')), 204);
    const statements = await statementsOf(EnrollID);
    assert.deepEqual(verbsOf(statements), [
      'launched',
      'initialized',
      'abandoned',
      'launched',
      'initialized',
      'completed',
    ]);
    const abandoned = statements[2];
    assert.deepEqual(
      [abandoned && sessionOf(abandoned), abandoned?.object.id],
      [first.sessionId, first.activityId],
    );
    assert.match(abandoned?.result?.duration ?? '', /^PT/);
  });

  it('shows its sessions in the timeline, and how each of them ended', async () => {
    const { LaunchURL, address } = await enrolled(examPart + readingPart);
    const first = await begun(LaunchURL, { UnitID: exam });
    expectStatus(await first.send(first.defined('terminated')), 204);
    await begun(LaunchURL, { UnitID: reading, LaunchMode: 'Browse' });
    await openAu(service, LaunchURL, { UnitID: exam });
    const { Items } = (await api('GET', `${address}/timeline`)).body;
    const sessions = Items.filter(({ Kind }: { Kind: string }) => Kind === 'unit');
    assert.deepEqual(
      sessions.map(({ UnitID, Data }: { UnitID: string; Data: Record<string, unknown> }) => [
        ...[UnitID, Data.LaunchMode, Data.EndedBy],
      ]),
      [
        [exam, 'Normal', 'terminated'],
        [reading, 'Browse', 'abandoned'],
        [exam, 'Normal', null],
      ],
    );
  });

  it('applies the rules for a registration across sessions', async () => {
    const { LaunchURL } = await enrolled(examPart);
    const first = await begun(LaunchURL);
    expectStatus(await first.send(first.defined('passed'), first.defined('terminated')), 204);
    const second = await begun(LaunchURL);
    assert.equal(second.activityId, first.activityId);
    expectProblem(await second.send(second.defined('passed')), 403, 'cmi5_violation');
    expectProblem(await second.send(second.defined('failed')), 403, 'cmi5_violation');
    expectStatus(await second.send(second.defined('completed'), second.defined('terminated')), 204);
    const third = await begun(LaunchURL);
    assert.equal(third.launchData.launchMode, 'Review');
    expectProblem(await third.send(third.defined('completed')), 403, 'cmi5_violation');
  });

  it('records no results in Browse', async () => {
    const { LaunchURL, read } = await enrolled(examPart);
    const opened = await begun(LaunchURL, { LaunchMode: 'Browse' });
    assert.equal(opened.launchData.launchMode, 'Browse');
    expectProblem(await opened.send(opened.defined('completed')), 403, 'cmi5_violation');
    expectStatus(await opened.send(opened.defined('terminated')), 204);
    assert.equal((await read()).Completion, 'unknown');
  });

  it('is satisfied before the launch if nothing is required', async () => {
    const { LaunchURL, EnrollID, read } = await enrolled(block('https://example.com/block', au({})));
    const opened = await openAu(service, LaunchURL, { UnitID: 'https://example.com/au' });
    const statements = await statementsOf(EnrollID);
    assert.deepEqual(verbsOf(statements), ['satisfied', 'satisfied', 'launched']);
    assert.notEqual(statements[0] && sessionOf(statements[0]), opened.sessionId);
    assert.equal((await read()).Status, 'in_progress');
  });

  it("protects LMS.LaunchData, and validates the learner's preferences", async () => {
    const { LaunchURL } = await enrolled(examPart);
    const { request, preferences, activityId, actor, registration } = await openAu(service, LaunchURL);
    const agent = JSON.stringify(actor);
    const state = { agent, activityId, registration };
    for (const method of ['PUT', 'POST', 'DELETE'])
      expectProblem(
        await request(
          method,
          '/activities/state',
          { ...state, stateId: 'LMS.LaunchData' },
          method === 'DELETE' ? undefined : {},
        ),
        403,
        'cmi5_violation',
      );
    expectProblem(await request('DELETE', '/activities/state', state), 403, 'cmi5_violation');
    const query = new URLSearchParams({ ...state, stateId: 'LMS.LaunchData' });
    for (const method of ['PUT', 'POST', 'DELETE']) {
      const body = method === 'DELETE' ? undefined : {};
      const version = { 'x-experience-api-version': '1.0.3' };
      expectProblem(
        await api(method, `/xapi/activities/state?${query}`, body, version),
        403,
        'cmi5_violation',
      );
    }
    const all = `/xapi/activities/state?${new URLSearchParams(state)}`;
    expectStatus(await api('DELETE', all, undefined, { 'x-experience-api-version': '1.0.3' }), 204);
    expectStatus(await request('GET', '/activities/state', { ...state, stateId: 'LMS.LaunchData' }), 200);
    expectStatus(
      await request('PUT', '/activities/state', { ...state, stateId: 'bookmark' }, { page: 2 }),
      204,
    );
    const other = JSON.stringify({ mbox: 'mailto:other@example.com' });
    const ofOther = { profileId: 'cmi5LearnerPreferences', agent: other };
    expectProblem(await request('GET', '/agents/profile', ofOther), 403, 'cmi5_violation');
    expectProblem(await preferences('PUT', { audioPreference: 'on' }), 403, 'cmi5_violation');
    expectStatus(await preferences('PUT', { audioPreference: 'on', languagePreference: 'en-GB,fr' }), 204);
    expectStatus(await preferences(), 200);
  });

  it('shows its results on the player page', async () => {
    const { LaunchURL } = await enrolled(examPart);
    const opened = await begun(LaunchURL);
    expectStatus(await opened.send(opened.defined('completed')), 204);
    const { Receipt, Evidence } = (await readResults(opened.playing, service.contentUrl)).body;
    assert.deepEqual([Receipt.Completion, Evidence[exam].Completion], ['incomplete', 'incomplete']);
    expectProblem(await opened.playing.commit({ UnitID: exam, Number: 9 }), 422, 'validation_failed');
  });
});

describe('access to a session', () => {
  const ways: Record<string, (at: { address: string; LoginID: string }) => Promise<unknown>> = {
    withdrawn: ({ address }) => api('PUT', address, { Withdrawn: true }),
    expired: ({ address }) => api('PUT', address, { ExpiresAt: '2020-01-01T00:00:00Z' }),
    disabled: ({ LoginID }) => api('PUT', `/user/${LoginID}`, { Enabled: false }),
    erased: ({ LoginID }) => api('DELETE', `/user/${LoginID}`),
  };
  for (const [name, end] of Object.entries(ways))
    it(`ends when the enrolment is ${name}`, async () => {
      const enrolment = await enrolled(examPart);
      const opened = await begun(enrolment.LaunchURL);
      await end(enrolment);
      expectStatus(await opened.send(opened.defined('completed')), 401);
    });

  it('ends when the tenant is suspended', async () => {
    const tenant = await newTenant(service);
    const [LoginID, CourseID] = [await tenant.user(), await course(examPart)];
    const { LaunchURL } = (await tenant.api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
    const opened = await begun(LaunchURL);
    expectStatus(await service.api('PUT', `/tenant/${tenant.TenantID}`, { Status: 'suspended' }), 200);
    assert.ok([401, 403].includes((await opened.send(opened.defined('completed'))).status));
  });

  it("requires the session's token", async () => {
    const { LaunchURL } = await enrolled(examPart);
    const opened = await begun(LaunchURL);
    const wrong = Buffer.from(`${Buffer.from(opened.token, 'base64').toString()}x`).toString('base64');
    const response = await ask(`${service.baseUrl}/xapi/statements`, {
      headers: { authorization: `Basic ${wrong}`, 'x-experience-api-version': '1.0.3' },
    });
    assert.equal(response.status, 401);
    const { url } = opened;
    const [, token] = /\/play\/([^/]+)\/content/.exec(url.pathname) ?? [];
    for (const path of ['au', 'fetch', 'commit', 'session'])
      assert.notEqual((await post(`${url.origin}/play/${token}/${path}`, {})).status, 200, path);
  });

  it('is possible only for units that report through xAPI', async () => {
    const { LaunchURL } = await enrolled(examPart);
    const playing = await play(service, LaunchURL);
    expectProblem(
      await openUnit(playing, service.contentUrl, { UnitID: 'missing' }),
      422,
      'validation_failed',
    );
  });
});

describe('a waiver', () => {
  const waive = (address: string, UnitID: string) =>
    api('POST', `${address}/waive`, { UnitID, Reason: 'Tested Out' });

  it('satisfies the AU, with a statement and an audit entry', async () => {
    const { LaunchURL, EnrollID, address } = await enrolled(examPart);
    await openAu(service, LaunchURL);
    const reply = await waive(address, exam);
    expectStatus(reply, 200);
    assert.deepEqual([reply.body.Status, reply.body.Completion], ['completed', 'completed']);
    expectStatus(await waive(address, exam), 200);
    const statements = await statementsOf(EnrollID);
    assert.deepEqual(verbsOf(statements), ['launched', 'waived', 'satisfied']);
    assert.equal(statements[1]?.result?.extensions?.[extensions.reason], 'Tested Out');
    assert.deepEqual(statements[1] && sessionOf(statements[1]), statements[2] && sessionOf(statements[2]));
    const { Items } = (await api('GET', '/audit?Action=enrolment.unit_waived')).body;
    assert.equal(Items.filter((item: { TargetID: string }) => item.TargetID === EnrollID).length, 1);
  });

  it("is allowed only for this tenant's AUs, after the first launch", async () => {
    const { LaunchURL, address } = await enrolled(examPart);
    expectProblem(await waive(address, exam), 409, 'not_waivable');
    await play(service, LaunchURL);
    expectProblem(await waive(address, 'missing'), 422, 'validation_failed');
    const other = await newTenant(service);
    expectProblem(
      await other.api('POST', `${address}/waive`, { UnitID: exam, Reason: 'x' }),
      404,
      'enrolment_not_found',
    );
  });
});

describe('an xAPI package', () => {
  const tincan =
    '<tincan><activities><activity id="urn:lectern:course"><name>A course</name><launch>index.html</launch></activity></activities></tincan>';

  it('reports in statements about its activity', async () => {
    const [LoginID, CourseID] = [await user(), unique('xapi')];
    const zip = await packFiles({ 'tincan.xml': tincan, 'index.html': page });
    expectStatus(await service.importPackage(CourseID, zip), 201);
    await service.api('PUT', `/course/${CourseID}/option/open`, {});
    const { LaunchURL, EnrollID } = (await api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
    const playing = await play(service, LaunchURL);
    const { URL: address } = (await openUnit(playing, service.contentUrl, { UnitID: 'urn:lectern:course' }))
      .body;
    const launch = Object.fromEntries(new URL(address).searchParams);
    assert.deepEqual([launch.registration, launch.activity_id], [EnrollID, 'urn:lectern:course']);
    const send = (statement: object) =>
      ask(`${launch.endpoint}statements`, {
        method: 'POST',
        headers: {
          authorization: launch.auth ?? '',
          'x-experience-api-version': '1.0.3',
          'content-type': 'application/json',
        },
        body: JSON.stringify(statement),
      });
    const statement = {
      actor: JSON.parse(launch.actor ?? ''),
      verb: { id: auVerbs.passed },
      object: { id: launch.activity_id },
      result: { score: { raw: 75, max: 100, min: 0 } },
      context: { registration: EnrollID },
    };
    assert.equal((await send({ ...statement, actor: { mbox: 'mailto:a@example.com' } })).status, 403);
    assert.equal((await send({ ...statement, context: { registration: randomUUID() } })).status, 403);
    const reference = { objectType: 'StatementRef', id: randomUUID() };
    assert.equal((await send({ ...statement, verb: { id: voidedVerb }, object: reference })).status, 403);
    assert.equal((await send(statement)).status, 200);
    const { Status, Success, Score } = (await api('GET', `/enrolment/${LoginID}/${EnrollID}`)).body;
    assert.deepEqual([Status, Success, Score], ['completed', 'passed', 75]);
    assert.ok(!verbsOf(await statementsOf(EnrollID)).includes(lmsVerbs.launched.split('/').at(-1)));
  });
});
