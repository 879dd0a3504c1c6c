import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, describe, it } from 'node:test';
import { au, courseStructure } from '../../../../../../standards/cmi5/test-support.ts';
import { openAu, openUnit, readResults } from '../../../../../test/support/au.ts';
import { packFiles } from '../../../../../test/support/packages.ts';
import { play } from '../../../../../test/support/player.ts';
import { startService } from '../../../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant, unique } from '../../../../../test/support/tenant.ts';

// The libraries that courses are built with, as published, against the running service.

const require = createRequire(import.meta.url);
const service = await startService();
after(service.close);
const { api, user } = await newTenant(service);

const page = '<!doctype html><title>Unit</title>';
const unitId = 'https://example.com/activity';
const tincanXml = (launch: string) =>
  `<tincan><activities><activity id="${unitId}"><name>A course</name><launch>${launch}</launch></activity></activities></tincan>`;

async function enrolled(files: Record<string, string>) {
  const [LoginID, CourseID] = [await user(), unique('library')];
  expectStatus(await service.importPackage(CourseID, await packFiles(files)), 201);
  expectStatus(await service.api('PUT', `/course/${CourseID}/option/open`, {}), 201);
  const { EnrollID, LaunchURL } = (await api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  const address = `/enrolment/${LoginID}/${EnrollID}`;
  const read = async (path = '') => (await api('GET', `${address}${path}`)).body;
  return { LoginID, CourseID, EnrollID, LaunchURL, read };
}

async function opened(files: Record<string, string>, UnitID: string) {
  const enrolment = await enrolled(files);
  const playing = await play(service, enrolment.LaunchURL);
  const unit = await openUnit(playing, service.contentUrl, { UnitID });
  expectStatus(unit, 201);
  return { ...enrolment, playing, url: new URL(unit.body.URL) };
}

type Entry = { Kind: string; Refused: string | null; Warnings: string[]; Data: { Verbs: string[] } };
const refusedIn = (timeline: { Items: Entry[] }) =>
  timeline.Items.filter(({ Refused }) => Refused !== null).map(({ Refused, Data, Warnings }) => [
    Refused,
    Data.Verbs.join(),
    Warnings[0],
  ]);

type Cmi5 = Record<string, (...values: unknown[]) => Promise<unknown>>;
type Cmi5Class = new (launch: Record<string, unknown>) => Cmi5;

const globals = globalThis as unknown as Record<string, unknown>;
after(() => {
  delete globals.window;
  delete globals.XMLHttpRequest;
});

/** The library is made for browsers. TinCanJS brings the XMLHttpRequest that it needs in Node.js. */
function cmi5Of(url: URL): Cmi5 {
  Object.assign(globals, { window: globalThis, XMLHttpRequest: require('xhr2') });
  const Library: Cmi5Class = require('@xapi/cmi5/dist/Cmi5.umd.js');
  const launch = Object.fromEntries(url.searchParams);
  return new Library({ ...launch, actor: JSON.parse(launch.actor ?? '') });
}

describe('@xapi/cmi5', () => {
  const auId = 'https://example.com/au';
  const files = {
    'cmi5.xml': courseStructure(au({ id: auId, attributes: 'moveOn="Completed"' })),
    'index.html': page,
  };

  it('records the answers to all ten types of questions as SCORM does', async () => {
    const { CourseID, LoginID, url, read } = await opened(files, auId);
    const cmi5 = cmi5Of(url);
    const call = (name: string, ...values: unknown[]) => cmi5[name]?.(...values);
    await call('initialize');
    const choices = ['a', 'b'].map((id) => ({ id, description: { en: id } }));
    const named = [{ en: 'Name' }, { en: 'Which?' }, true, { start: new Date(0), end: new Date(12_500) }];
    await call('interactionTrueFalse', 't', 'q0', true, true, ...named);
    await call(
      'interactionChoice',
      't',
      'q1',
      ['a'],
      ['b'],
      choices,
      { en: 'Name' },
      { en: 'Which?' },
      false,
    );
    await call('interactionFillIn', 't', 'q2', ['Bob'], ['Bob'], ...named);
    await call('interactionLongFillIn', 't', 'q3', ['An essay'], [], { en: 'Name' }, { en: 'Which?' });
    await call('interactionLikert', 't', 'q4', 'a', undefined, choices, { en: 'Name' }, { en: 'Which?' });
    await call(
      'interactionMatching',
      't',
      'q5',
      { a: 'x', b: 'y' },
      { a: 'x', b: 'y' },
      choices,
      choices,
      ...named,
    );
    await call(
      'interactionPerformance',
      't',
      'q6',
      { pong: 1 },
      [{ id: 'pong', exact: 1 }],
      choices,
      ...named,
    );
    await call('interactionSequencing', 't', 'q7', ['b', 'a'], ['b', 'a'], choices, ...named);
    await call('interactionNumeric', 't', 'q8', 4, { exact: 4 }, ...named);
    await call('interactionOther', 't', 'q9', '(1,2)', '(1,2)', ...named);
    const { Items } = await read('/activity');
    const interactions = Items[0].Interactions as Record<string, unknown>[];
    assert.deepEqual(
      interactions.map(({ Type, Response, CorrectResponses, Result }) => [
        Type,
        Response,
        CorrectResponses,
        Result,
      ]),
      [
        ['true-false', 'true', ['true'], 'correct'],
        ['choice', 'a', ['b'], 'incorrect'],
        ['fill-in', 'Bob', ['Bob'], 'correct'],
        ['long-fill-in', 'An essay', [''], null],
        ['likert', 'a', [], null],
        ['matching', 'a[.]x[,]b[.]y', ['a[.]x[,]b[.]y'], 'correct'],
        ['performance', 'pong[.]1', ['0[.]1'], 'correct'],
        ['sequencing', 'b[,]a', ['b[,]a'], 'correct'],
        ['numeric', '4', ['4'], 'correct'],
        ['other', '(1,2)', ['(1,2)'], 'correct'],
      ],
    );
    const [first] = interactions;
    assert.match(String(first?.InteractionID), /\/test\/t\/question\/q0$/);
    assert.deepEqual([first?.Number, first?.Description, first?.LatencySeconds], [0, 'Which?', 12.5]);
    assert.ok(Date.parse(String(first?.Time)) > 0);

    await call('interactionChoice', 't', 'q1', ['b'], ['b'], choices, { en: 'Name' }, { en: 'Which?' }, true);
    const course = `/enrolment/course/${CourseID}`;
    const all = (await api('GET', `${course}/interaction`)).body.Items;
    assert.equal(all.length, 10);
    assert.deepEqual([all[1].LoginID, all[1].Response, all[1].Result], [LoginID, 'b', 'correct']);
    const { Questions } = (await api('GET', `${course}/question`)).body;
    assert.deepEqual(
      Questions.map(({ Type, Answers, Correct }: Record<string, unknown>) => [Type, Answers, Correct]).slice(
        0,
        2,
      ),
      [
        ['true-false', 1, 1],
        ['choice', 1, 1],
      ],
    );
  });

  it('leaves a trace of everything that is refused', async () => {
    const { url, read, playing } = await opened(files, auId);
    const cmi5 = cmi5Of(url);
    await cmi5.initialize?.();
    const refusal = async () => (await readResults(playing, service.contentUrl)).body.Refused;
    assert.equal(await refusal(), null);
    await assert.rejects(Promise.resolve(cmi5.fail?.({ scaled: 2 })));
    assert.deepEqual(await refusal(), { UnitID: auId, Code: 'xapi_invalid' });
    await cmi5.terminate?.();
    await assert.rejects(Promise.resolve(cmi5.complete?.()));
    const refused = refusedIn(await read('/timeline'));
    assert.deepEqual(
      refused.map(([code, verbs]) => [code, verbs]),
      [
        ['xapi_invalid', 'failed'],
        ['unauthorized', ''],
      ],
    );
    assert.deepEqual(await refusal(), { UnitID: auId, Code: 'unauthorized' });
    const { Refused } = await read('/explain');
    assert.deepEqual(
      Refused.map(({ Code, Commit, UnitID }: Record<string, unknown>) => [Code, Commit, UnitID]),
      [
        ['unauthorized', null, auId],
        ['xapi_invalid', null, auId],
      ],
    );
  });
});

describe('refused reports of a cmi5 unit', () => {
  const auId = 'https://example.com/au';
  const files = {
    'cmi5.xml': courseStructure(au({ id: auId, attributes: 'moveOn="Completed"' })),
    'index.html': page,
  };

  it('are recorded once each, with their verbs and reasons', async () => {
    const { LaunchURL, read } = await enrolled(files);
    const { send, defined, allowed, preferences, playing, request, actor } = await openAu(service, LaunchURL);
    const initialized = defined('initialized');
    expectProblem(await send(initialized), 403, 'cmi5_violation');
    expectStatus(await preferences(), 404);
    expectStatus(await send(initialized), 204);
    const invented = { ...allowed('https://example.com/verbs/read'), context: {} };
    for (let n = 0; n < 3; n++) expectProblem(await send(invented), 403, 'cmi5_violation');
    const late = defined('completed', { completion: true, duration: '-PT5S' });
    expectProblem(await send(late), 400, 'xapi_invalid');
    const of = { agent: JSON.stringify(actor), activityId: 'https://example.com/x', stateId: 'a' };
    expectProblem(await request('GET', '/activities/state', of), 403, 'cmi5_violation');
    const refused = refusedIn(await read('/timeline'));
    assert.deepEqual(
      refused.map(([code, verbs]) => [code, verbs]),
      [
        ['cmi5_violation', 'initialized'],
        ['cmi5_violation', 'read'],
        ['xapi_invalid', 'completed'],
        ['cmi5_violation', ''],
      ],
    );
    assert.match(refused[0]?.[2] ?? '', /cmi5LearnerPreferences/);
    assert.match(refused[1]?.[2] ?? '', /session ID/);
    assert.match(refused[2]?.[2] ?? '', /duration/);
    const { Refused } = (await readResults(playing, service.contentUrl)).body;
    assert.equal(Refused.Code, 'xapi_invalid', 'a refused read is not shown to the learner');
    expectStatus(await send(defined('completed')), 204);
    assert.equal((await read()).Completion, 'completed');
  });
});

describe('TinCanJS', () => {
  it('may repeat the parameters of its launch URL in every call', async () => {
    const files = { 'tincan.xml': tincanXml('index.html?theme=dark&amp;content=1'), 'index.html': page };
    const { url, read } = await opened(files, unitId);
    const TinCan = require('tincanjs');
    const tincan = new TinCan({ url: url.href });
    type Sent = { err: unknown; xhr?: { status: number; responseText: string } };
    const sent = await new Promise<Sent[]>((resolve) =>
      tincan.sendStatement(
        {
          verb: { id: 'http://adlnet.gov/expapi/verbs/passed' },
          object: { id: unitId },
          result: { score: { scaled: 0.8 } },
        },
        (results: Sent[]) => resolve(results),
      ),
    );
    assert.deepEqual(
      sent.map(({ err }) => err),
      [null],
    );
    const saved = await new Promise((resolve) =>
      tincan.setState('bookmark', 'page 3', { callback: (err: unknown) => resolve(err) }),
    );
    assert.equal(saved, null);
    const { Status, Success, Score } = await read();
    assert.deepEqual([Status, Success, Score], ['completed', 'passed', 80]);
    const other = new URL(url);
    other.searchParams.append('unknown', 'x');
    const refused = await new Promise<Sent[]>((resolve) =>
      new TinCan({ url: other.href }).sendStatement(
        { verb: { id: 'http://adlnet.gov/expapi/verbs/passed' }, object: { id: unitId } },
        (results: Sent[]) => resolve(results),
      ),
    );
    assert.equal(refused[0]?.err, 400);
  });
});

describe('Lectora', () => {
  it('is recognised, and its launch names the learner in the form that it reads', async () => {
    const files = { 'tincan.xml': tincanXml('index.html'), 'index.html': page, 'trivantis.js': '' };
    const { url, CourseID, LoginID } = await opened(files, unitId);
    assert.deepEqual(JSON.parse(url.searchParams.get('actor') ?? ''), {
      objectType: 'Agent',
      name: [LoginID],
      account: [{ accountServiceHomePage: service.baseUrl, accountName: LoginID }],
    });
    const release = (await service.api('GET', `/course/${CourseID}/release/1`)).body;
    assert.equal(release.AuthoringTool, 'Lectora');
    assert.match(release.Warnings[0].Message, /Lectora/);
    const plain = await opened({ 'tincan.xml': tincanXml('index.html'), 'index.html': page }, unitId);
    assert.equal((await service.api('GET', `/course/${plain.CourseID}/release/1`)).body.AuthoringTool, null);
    assert.deepEqual(JSON.parse(plain.url.searchParams.get('actor') ?? ''), {
      objectType: 'Agent',
      account: { homePage: service.baseUrl, name: plain.LoginID },
    });
  });
});
