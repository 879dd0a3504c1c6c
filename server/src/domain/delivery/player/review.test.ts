import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { packCourse } from '../../../../../test/journeys/course-packages.ts';
import { importAicc, openAicc } from '../../../../test/support/aicc.ts';
import { ask } from '../../../../test/support/ask.ts';
import { movableClock } from '../../../../test/support/clock.ts';
import { click, play, post, scorm12 } from '../../../../test/support/player.ts';
import { startService } from '../../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant, unique } from '../../../../test/support/tenant.ts';
import type { AttemptRules } from '../../catalogue/attempt-rules.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
const { api, user } = await newTenant(service);
const file = await packCourse('phishing');

/** Enrols a learner who fails the only attempt. */
async function failed(rules: Partial<AttemptRules> = { Limit: 1, Review: true }) {
  const CourseID = unique('reviewed');
  expectStatus(await service.importPackage(CourseID, file), 201);
  expectStatus(await service.api('PUT', `/course/${CourseID}/option/open`, { Attempts: rules }), 201);
  const LoginID = await user();
  const { EnrollID, LaunchURL } = (await api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  const first = await play(service, LaunchURL);
  const data = { ...scorm12('failed', 30), 'cmi.suspend_data': 'page 7', 'cmi.core.lesson_location': '7' };
  expectStatus(await first.commit({ Data: data, Exit: true }), 200);
  const path = `/enrolment/${LoginID}/${EnrollID}`;
  const read = async () => (await api('GET', path)).body;
  return { CourseID, LoginID, LaunchURL, path, read };
}

/** Returns the review link on the page that explains why the course cannot be opened. */
async function reviewLink(LaunchURL: string): Promise<string | null> {
  const { status, text } = await click(LaunchURL);
  assert.equal(status, 403, text);
  const [, link] = /href="(\?[^"]*review=true[^"]*)"/.exec(text) ?? [];
  return link === undefined ? null : new URL(link.replaceAll('&amp;', '&'), LaunchURL).href;
}

/**
 * Requests a review although the course can be started. Returns the link to the course on the rejection page.
 */
async function startLink(address: string): Promise<string> {
  const { status, text } = await click(address);
  assert.equal(status, 403, text);
  const [, link] = /href="(\?[^"]*)"/.exec(text) ?? [];
  assert.ok(link && !link.includes('review='), text);
  return new URL(link.replaceAll('&amp;', '&'), address).href;
}

async function review(LaunchURL: string) {
  const link = await reviewLink(LaunchURL);
  assert.ok(link, 'the page has a link to a review');
  return play(service, link);
}

test('content in a review gets its mode and the data of the latest attempt', async () => {
  const { LaunchURL, read } = await failed();
  const { session, file, alive } = await review(LaunchURL);
  const [data = {}] = Object.values(session.Data);
  assert.deepEqual(
    {
      mode: data['cmi.core.lesson_mode'],
      credit: data['cmi.core.credit'],
      status: data['cmi.core.lesson_status'],
      bookmark: [data['cmi.suspend_data'], data['cmi.core.lesson_location']],
      session: session.Mode,
      result: [session.Receipt.Success, session.Receipt.Score],
    },
    {
      ...{ mode: 'review', credit: 'no-credit', status: 'failed', bookmark: ['page 7', '7'] },
      ...{ session: 'review', result: ['failed', 30] },
    },
  );
  assert.equal((await file('index.html')).status, 200);
  assert.equal(await alive(), 204);
  assert.deepEqual([(await read()).Launches, (await read()).Attempt], [1, 1]);
});

test('a review can be opened as often as a course can be launched', async () => {
  const { LaunchURL } = await failed();
  const link = await reviewLink(LaunchURL);
  const { location } = await click(link ?? '');
  const replies = await Promise.all(Array.from({ length: 30 }, () => post(`${location}/session`)));
  // The launch of the failed attempt counts too.
  assert.equal(replies.filter(({ status }) => status === 201).length, 9);
  const rejected = replies.find(({ status }) => status !== 201);
  assert.equal(rejected?.status, 429);
  assert.match(rejected.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
});

test('a parameter of the return URL does not open a review', async () => {
  const { LaunchURL } = await failed();
  const { status } = await click(`${LaunchURL}&returnURL=https://example.com/?page=1&review=true`);
  assert.equal(status, 403);
});

test('nothing that content reports in a review is recorded', async () => {
  const { LaunchURL, path, read } = await failed();
  const before = [await read(), (await api('GET', `${path}/timeline`)).body];
  const { commit } = await review(LaunchURL);
  const reply = await commit({
    Data: { ...scorm12('passed', 100), 'cmi.suspend_data': 'page 1' },
    Exit: true,
  });
  expectStatus(reply, 200);
  assert.deepEqual([reply.body.Success, reply.body.Score, reply.body.Ended], ['failed', 30, null]);
  assert.deepEqual([await read(), (await api('GET', `${path}/timeline`)).body], before);
  const again = await review(LaunchURL);
  assert.equal(Object.values(again.session.Data)[0]?.['cmi.suspend_data'], 'page 7');
});

test('a review keeps the return URL', async () => {
  const { LaunchURL } = await failed();
  const { session } = await review(`${LaunchURL}&returnURL=https://shop.example/done?order=1`);
  assert.equal(session.ReturnURL, 'https://shop.example/done?order=1');
});

test('a review is not offered if the rules do not permit it or an attempt is open', async () => {
  const closed = await failed({ Limit: 1 });
  assert.equal(await reviewLink(closed.LaunchURL), null);
  assert.equal((await click(`${closed.LaunchURL}&review=true`)).status, 403);
  const open = await failed({ Limit: 2, Review: true });
  assert.equal((await click(open.LaunchURL)).status, 303);
  assert.deepEqual(await startLink(`${open.LaunchURL}&review=true`), open.LaunchURL);
  assert.equal((await open.read()).Attempt, 1);
});

test('during a cool-down the latest attempt can be reviewed, and afterwards another attempt starts', async () => {
  const { LaunchURL, read } = await failed({ CoolDown: 'PT2H', Review: true });
  const link = (await reviewLink(LaunchURL)) ?? '';
  const { location } = await click(link);
  assert.equal((await play(service, link)).session.Mode, 'review');
  clock.advance({ hours: 3 });
  expectProblem(await post(`${location}/session`), 410, 'session_ended');
  const start = await startLink(link);
  assert.equal((await read()).Attempt, 1, 'a review link does not start an attempt');
  assert.equal((await play(service, start)).session.Mode, 'normal');
  assert.equal((await read()).Attempt, 2);
});

test('a review that has not been opened yet is rejected once an attempt can start', async () => {
  const { CourseID, LaunchURL, path } = await failed();
  const { location } = await click((await reviewLink(LaunchURL)) ?? '');
  expectStatus(await api('PUT', path, { Attempts: { Limit: 2, Review: true } }), 200);
  const refused = await post(`${location}/session`);
  expectProblem(refused, 403, 'launch_refused');
  const { Title, Link } = refused.body.Page;
  assert.deepEqual([Title, Link.Text], [`You can take “${CourseID}” now`, 'Start the course']);
  const started = await post(new URL(`${Link.URL}/session`, location ?? '').href);
  assert.deepEqual([started.status, started.body.Mode], [201, 'normal']);
});

test('a page reloaded after the last attempt says why it cannot continue, and offers a review', async () => {
  const { CourseID, LaunchURL, path } = await failed({ Limit: 2, Review: true });
  const { location } = await click(LaunchURL);
  expectStatus(await api('PUT', path, { Attempts: { Limit: 1, Review: true } }), 200);
  const refused = await ask(`${location}/session`, { method: 'POST', headers: { 'accept-language': 'de' } });
  assert.equal(refused.status, 403);
  const { Page } = (await refused.json()) as {
    Page: { Title: string; Reason: string; Link: { URL: string } };
  };
  assert.equal(Page.Title, `„${CourseID}“ kann nicht geöffnet werden`);
  assert.match(Page.Reason, /^Der einzige Versuch/);
  const opened = await post(new URL(`${Page.Link.URL}/session`, location ?? '').href);
  assert.deepEqual([opened.status, opened.body.Mode], [201, 'review']);
});

test('the links on a rejection page are valid for no longer than the click', async () => {
  const { LaunchURL, path } = await failed({ Limit: 2, Review: true });
  const { location } = await click(LaunchURL);
  expectStatus(await api('PUT', path, { Attempts: { Limit: 1, Review: true } }), 200);
  clock.advance({ minutes: 90 });
  const { Link } = (await post(`${location}/session`)).body.Page;
  const reviewAddress = new URL(`${Link.URL}/session`, location ?? '').href;
  clock.advance({ minutes: 31 });
  expectProblem(await post(reviewAddress), 410, 'session_ended');
  assert.equal((await post(`${location}/session`)).body.Page.Link, null);
});

test('the page for learners who have completed the course says so', async () => {
  const { CourseID, LaunchURL, path } = await failed({ Limit: 1, After: 'finished' });
  expectStatus(
    await api('PUT', path, {
      Override: { Completion: 'completed', Success: 'passed', Reason: 'Shown on site' },
    }),
    200,
  );
  const { status, text } = await click(LaunchURL);
  assert.equal(status, 403);
  assert.ok(text.includes(`<h1>You have completed “${CourseID}”</h1>`), text);
});

test('a review ends when access ends, when the enrolment is reset, and after two hours', async () => {
  const end: Record<string, (of: { path: string; LoginID: string }) => Promise<unknown>> = {
    withdrawn: ({ path }) => api('PUT', path, { Withdrawn: true }),
    disabled: ({ LoginID }) => api('PUT', `/user/${LoginID}`, { Enabled: false }),
    expired: ({ path }) => api('PUT', path, { ExpiresAt: clock.now().toISOString() }),
    reset: ({ path }) => api('POST', `${path}/reset`, { Reason: 'Again' }),
    'two hours later': async () => clock.advance({ hours: 2, seconds: 1 }),
  };
  for (const [why, act] of Object.entries(end)) {
    const learner = await failed();
    const { alive, commit, file } = await review(learner.LaunchURL);
    await act(learner);
    assert.notEqual(await alive(), 204, why);
    assert.ok((await commit({ Data: scorm12('passed', 100) })).status >= 400, why);
    clock.advance({ seconds: 61 });
    assert.ok((await file('index.html')).status >= 400, why);
  }
});

test('an AICC unit cannot be opened for review, because it reports to the service', async () => {
  const CourseID = await importAicc({ api: service.api, importPackage: service.importPackage });
  const option = { Attempts: { Limit: 1, Review: true } };
  expectStatus(await service.api('PUT', `/course/${CourseID}/option/open`, option), 200);
  const { LaunchURL } = (await api('POST', `/enrol/${await user()}/${CourseID}`)).body;
  const { command } = await openAicc(service, LaunchURL);
  const { error } = await command('PutParam', '[core]\r\nlesson_status=failed\r\nscore=30\r\ntime=00:01:00');
  assert.equal(error, '0');
  assert.equal(await reviewLink(LaunchURL), null);
});

test('review tokens do not work for a launch', async () => {
  const { LaunchURL } = await failed();
  const { location } = await click((await reviewLink(LaunchURL)) ?? '');
  const token = (location ?? '').split('/play/')[1] ?? '';
  const { session } = await review(LaunchURL);
  const origin = new URL(location ?? '').origin;
  expectProblem(await post(`${origin}/play/${session.Session}/session`), 410, 'session_ended');
  expectProblem(
    await post(`${origin}/play/${token}/commit`, { Number: 1, UnitID: 'x', Data: {} }),
    410,
    'session_ended',
  );
  assert.equal((await ask(`${origin}/play/${session.Session}x/alive`)).status, 410);
});
