import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { movableClock } from '../../../test/support/clock.ts';
import { observed } from '../../../test/support/nodes.ts';
import { packUnits } from '../../../test/support/packages.ts';
import { play, scorm12 } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import {
  expectProblem,
  expectStatus,
  newCourse,
  newTenant,
  type TestTenant,
  unique,
} from '../../../test/support/tenant.ts';
import { expireEnrolments } from '../enrolments/expire.ts';
import { followPaths } from './follow.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);

const follow = () => followPaths(service.ctx);
type Enrolment = { EnrollID: string; LaunchURL: string; [name: string]: unknown };
type Part = {
  CourseID: string;
  Status: string;
  Rule: string | null;
  EnrollID: string | null;
  Needed: boolean;
};

/** A path of the operator, with an enrolment option. */
async function newPath(Steps: object[], fields: object = {}, option: object = {}): Promise<string> {
  const CourseID = unique('path');
  expectStatus(await service.api('PUT', `/course/${CourseID}`, { Title: 'Safety at work' }), 201);
  expectStatus(await service.api('PUT', `/course/${CourseID}/option/standard`, option), 201);
  expectStatus(await service.api('PUT', `/course/${CourseID}/path`, { Steps, ...fields }), 200);
  return CourseID;
}

const enrol = async ({ api }: TestTenant, LoginID: string, CourseID: string, body: object = {}) => {
  const reply = await api('POST', `/enrol/${LoginID}/${CourseID}`, body);
  assert.ok(reply.status < 300, JSON.stringify(reply.body));
  return reply.body as Enrolment;
};

const read = async ({ api }: TestTenant, LoginID: string, EnrollID: string) =>
  (await api('GET', `/enrolment/${LoginID}/${EnrollID}`)).body as Enrolment;

const partsOf = async ({ api }: TestTenant, LoginID: string, EnrollID: string) => {
  const reply = await api('GET', `/enrolment/${LoginID}/${EnrollID}/explain`);
  expectStatus(reply, 200);
  return reply.body.Parts as Part[];
};

const click = async (url: string, part?: string, language = 'en') => {
  const address = part === undefined ? url : url.replace('?', `?part=${part}&`);
  const response = await fetch(address, {
    redirect: 'manual',
    headers: { 'accept-language': language },
  });
  return { status: response.status, location: response.headers.get('location'), page: await response.text() };
};

/** Opens a course of the path as its learner does, and returns its enrolment. */
async function open(tenant: TestTenant, path: Enrolment, LoginID: string, CourseID: string) {
  assert.equal((await click(path.LaunchURL, CourseID)).status, 303);
  const own = await tenant.api(
    'GET',
    `/enrolment?PathEnrollID=${path.EnrollID}&CourseID=${CourseID}&Include=LaunchURL`,
  );
  expectStatus(own, 200);
  const part = own.body.Items.at(-1) as Enrolment;
  assert.equal(part.LoginID, LoginID);
  return part;
}

async function finish({ api }: TestTenant, LoginID: string, EnrollID: string, result: object = {}) {
  const Override = { Completion: 'completed', Success: 'passed', Reason: 'test', ...result };
  expectStatus(await api('PUT', `/enrolment/${LoginID}/${EnrollID}`, { Override }), 200);
}

test('a learner takes an ordered path, course by course, and completes it', async () => {
  const tenant = await newTenant(service);
  const [first, a, b, c] = await Promise.all([1, 2, 3, 4].map(() => newCourse(service)));
  const CourseID = await newPath(
    [{ CourseIDs: [first] }, { CourseIDs: [a, b, c], Need: 2 }],
    { Ordered: true },
    { Duration: 'P30D', StartsOn: 'launch' },
  );
  const LoginID = await tenant.user();
  const course = await tenant.api('GET', `/catalogue/course/${CourseID}/${LoginID}`);
  assert.equal(course.body.Standard, 'path');
  assert.equal(course.body.AvailableEnrolOptions.length, 1);
  const path = await enrol(tenant, LoginID, CourseID);
  assert.equal(path.PathEnrollID, null);
  const shown = await click(path.LaunchURL);
  assert.equal(shown.status, 200);
  assert.match(shown.page, new RegExp(`Start: ${first}`));
  assert.match(shown.page, /Opens when step 1 is done/);
  assert.match(
    (await click(path.LaunchURL, undefined, 'de')).page,
    /Öffnet sich, sobald Schritt 1 erledigt ist/,
  );
  assert.match((await click(path.LaunchURL, undefined, 'fr')).page, /S’ouvre lorsque l’étape 1/);
  assert.equal((await tenant.api('GET', `/enrolment/${LoginID}`)).body.Items.length, 1, 'no part yet');
  assert.equal((await click(path.LaunchURL, a)).status, 403, 'a later step is closed');
  assert.deepEqual(
    (await partsOf(tenant, LoginID, path.EnrollID)).map(({ Status, Rule }) => [Status, Rule]),
    [['open', null], ...[a, b, c].map(() => ['closed', 'earlier_step'])],
  );

  const part = await open(tenant, path, LoginID, first ?? '');
  const again = await open(tenant, path, LoginID, first ?? '');
  assert.equal(again.EnrollID, part.EnrollID);
  assert.equal(part.PathEnrollID, path.EnrollID);
  const begun = await read(tenant, LoginID, path.EnrollID);
  assert.equal(begun.Status, 'in_progress');
  assert.equal(begun.Launches, 2);
  assert.ok(begun.ExpiresAt, 'the access period has begun');
  assert.equal(part.ExpiresAt, begun.ExpiresAt);
  await finish(tenant, LoginID, part.EnrollID, { Score: 80 });
  const third = await read(tenant, LoginID, path.EnrollID);
  assert.equal(third.Progress, 33.33);
  assert.equal(third.Outcome, 'in_progress');

  for (const [id, Score] of [
    [b, 90],
    [c, null],
  ] as const) {
    const { EnrollID } = await open(tenant, path, LoginID, id ?? '');
    await finish(tenant, LoginID, EnrollID, { Score });
  }
  await follow();
  const { Items } = (await tenant.api('GET', `/enrolment?CourseID=${CourseID}`)).body;
  assert.deepEqual(
    [Items[0].Outcome, Items[0].Status, Items[0].Score, Items[0].Progress],
    ['passed', 'completed', 85, 100],
  );
  const types = (await tenant.events({ EnrollID: path.EnrollID })).map(({ type }) => type);
  assert.equal(types.filter((type) => type === 'enrolment.completed').length, 1);
  assert.equal(types.filter((type) => type === 'enrolment.passed').length, 1);
  const rest = (await partsOf(tenant, LoginID, path.EnrollID)).find(({ CourseID }) => CourseID === a);
  assert.deepEqual([rest?.Status, rest?.Needed], ['open', false]);
  assert.match((await click(path.LaunchURL)).page, /You have completed this path/);
});

test('parts end, are withdrawn, reinstated and extended with the path', async () => {
  const tenant = await newTenant(service);
  const [one, two] = [await newCourse(service, {}, { week: { Duration: 'P7D' } }), await newCourse(service)];
  const CourseID = await newPath([{ CourseIDs: [one, two] }], {}, { Duration: 'P30D' });
  const LoginID = await tenant.user();
  const path = await enrol(tenant, LoginID, CourseID);
  const part = await open(tenant, path, LoginID, one);
  assert.equal(part.ExpiresAt, path.ExpiresAt);
  const put = async (body: object) =>
    expectStatus(await tenant.api('PUT', `/enrolment/${LoginID}/${path.EnrollID}`, body), 200);

  const ExpiresAt = new Date(clock.now().getTime() + 60 * 86_400_000).toISOString();
  await put({ ExpiresAt });
  await follow();
  assert.equal((await read(tenant, LoginID, part.EnrollID)).ExpiresAt, ExpiresAt);

  await put({ Withdrawn: true });
  assert.equal((await click(part.LaunchURL)).status, 403, 'even before the job has run');
  await follow();
  assert.equal((await read(tenant, LoginID, part.EnrollID)).Status, 'withdrawn');
  await put({ Withdrawn: false });
  await follow();
  assert.equal((await read(tenant, LoginID, part.EnrollID)).Status, part.Status);

  // Withdrawn for itself, it stays withdrawn when the path comes back.
  await tenant.api('PUT', `/enrolment/${LoginID}/${part.EnrollID}`, { Withdrawn: true });
  await put({ Withdrawn: true });
  await follow();
  await put({ Withdrawn: false });
  await follow();
  assert.equal((await read(tenant, LoginID, part.EnrollID)).Status, 'withdrawn');
  const [closed] = await partsOf(tenant, LoginID, path.EnrollID);
  assert.deepEqual([closed?.Status, closed?.Rule], ['closed', 'not_withdrawn']);

  const other = await open(tenant, path, LoginID, two);
  clock.advance({ days: 61 });
  await expireEnrolments(service.ctx);
  await follow();
  assert.equal((await read(tenant, LoginID, other.EnrollID)).Status, 'expired');
  await enrol(tenant, LoginID, CourseID, { IfEnrolled: 'extend' });
  await follow();
  const [extended, back] = [
    await read(tenant, LoginID, path.EnrollID),
    await read(tenant, LoginID, other.EnrollID),
  ];
  assert.equal(back.ExpiresAt, extended.ExpiresAt);
  assert.notEqual(back.Status, 'expired');
});

test('a completion counts for the path as long as it is valid, and once', async () => {
  const tenant = await newTenant(service);
  const [one, two] = [await newCourse(service), await newCourse(service)];
  const CourseID = await newPath([{ CourseIDs: [one, two] }]);
  const LoginID = await tenant.user();
  const early = await enrol(tenant, LoginID, one);
  await finish(tenant, LoginID, early.EnrollID);
  const path = await enrol(tenant, LoginID, CourseID);
  assert.equal((await read(tenant, LoginID, path.EnrollID)).Progress, 50);
  const { EnrollID } = await open(tenant, path, LoginID, two);
  await finish(tenant, LoginID, EnrollID, { Success: 'unknown' });
  await follow();
  assert.equal((await read(tenant, LoginID, path.EnrollID)).Outcome, 'passed');

  clock.advance({ days: 1 });
  const renewed = await enrol(tenant, LoginID, CourseID, { IfEnrolled: 'renew' });
  await follow();
  assert.equal((await read(tenant, LoginID, renewed.EnrollID)).Progress, 0, 'used by the first round');
  const repeated = await open(tenant, renewed, LoginID, one);
  assert.notEqual(repeated.EnrollID, early.EnrollID);
  await finish(tenant, LoginID, repeated.EnrollID);
  await follow();
  assert.equal((await read(tenant, LoginID, renewed.EnrollID)).Progress, 50);
});

test('a requirement on a path is met by the path, and renewed with it', async () => {
  const tenant = await newTenant(service);
  const one = await newCourse(service);
  const CourseID = await newPath([{ CourseIDs: [one] }]);
  const LoginID = await tenant.user();
  const body = { Title: 'Safety', CourseIDs: [CourseID], Audience: {}, DueAfter: 'P14D', ValidFor: 'P1Y' };
  expectStatus(await tenant.api('PUT', `/requirement/${unique('rule')}`, body), 201);
  const [open1] = (await tenant.api('GET', `/obligation/${LoginID}`)).body.Items;
  const path = await read(tenant, LoginID, open1.EnrollID);
  const part = await open(tenant, path, LoginID, one);
  assert.equal(part.DueAt, open1.DueAt);
  await finish(tenant, LoginID, part.EnrollID);
  await follow();
  const [met] = (await tenant.api('GET', `/obligation/${LoginID}`)).body.Items;
  assert.equal(met.Status, 'met');
});

test('a course without a seat is closed with that reason, and a changed path applies to learners', async () => {
  const tenant = await newTenant(service);
  const [full, free] = [await newCourse(service, {}, { one: { Seats: 0 } }), await newCourse(service)];
  const Steps = [{ CourseIDs: [full] }, { CourseIDs: [free] }];
  const CourseID = await newPath(Steps);
  const LoginID = await tenant.user();
  const path = await enrol(tenant, LoginID, CourseID);
  const [first] = await partsOf(tenant, LoginID, path.EnrollID);
  assert.deepEqual([first?.Status, first?.Rule], ['closed', 'no_seats_left']);
  const page = await click(path.LaunchURL, full);
  assert.equal(page.status, 403);
  assert.match(page.page, /All seats of this course are taken/);
  const { EnrollID } = await open(tenant, path, LoginID, free);
  await finish(tenant, LoginID, EnrollID);
  await follow();
  expectProblem(await service.api('DELETE', `/course/${full}`), 409, 'course_in_use');
  clock.advance({ seconds: 1 });
  const changed = { Steps: [{ CourseIDs: [full], Optional: true }, { CourseIDs: [free] }] };
  expectStatus(await service.api('PUT', `/course/${CourseID}/path`, changed), 200);
  await follow();
  const { Items } = (await tenant.api('GET', `/enrolment?CourseID=${CourseID}`)).body;
  assert.equal(Items[0].Status, 'completed');
});

test('a changed path applies to all its enrolments, at most 100 of them in a transaction', async () => {
  const tenant = await newTenant(service);
  const [done, needed] = [await newCourse(service), await newCourse(service)];
  const CourseID = await newPath([{ CourseIDs: [done] }, { CourseIDs: [needed] }]);
  const LoginIDs = Array.from({ length: 210 }, (_, n) => `swept-${n}`);
  const bulk = async (path: string, columns: string, rest = '') => {
    const csv = [columns, ...LoginIDs.map((LoginID) => LoginID + rest)].join('\n');
    expectStatus(await tenant.api('POST', `${path}/bulk`, csv, { 'content-type': 'text/csv' }), 200);
  };
  await bulk('/user', 'LoginID');
  await bulk('/enrol', 'LoginID,CourseID', `,${CourseID}`);
  await bulk('/completion', 'LoginID,CourseID,CompletedAt', `,${done},${clock.now().toISOString()}`);
  await follow();
  const completed = async () =>
    (await tenant.api('GET', `/enrolment?CourseID=${CourseID}&Status=completed&Count=true`)).body.Count
      .Records;
  assert.equal(await completed(), 0);

  clock.advance({ seconds: 1 });
  const Steps = [{ CourseIDs: [done] }, { CourseIDs: [needed], Optional: true }];
  expectStatus(await service.api('PUT', `/course/${CourseID}/path`, { Steps }), 200);
  const after: number[] = [];
  const ctx = observed(service.ctx, async ({ text }) => {
    if (!text.includes('enrolments on paths in all tenants')) return;
    after.push(await completed());
    // The path changes again while the change is being applied.
    if (after.length === 2) await service.api('PUT', `/course/${CourseID}/path`, { Steps });
  });
  await followPaths(ctx);
  assert.equal(await completed(), 210);
  for (const [n, count] of after.entries()) assert.ok(count - (after[n - 1] ?? 0) <= 100, String(after));
});

test('a path can be a part of a path', async () => {
  const tenant = await newTenant(service);
  const [one, two] = [await newCourse(service), await newCourse(service)];
  const inner = await newPath([{ CourseIDs: [one] }]);
  const outer = await newPath([{ CourseIDs: [inner, two] }]);
  const LoginID = await tenant.user();
  const path = await enrol(tenant, LoginID, outer);
  const shown = await click(path.LaunchURL, inner);
  assert.equal(shown.status, 200, 'the page of the inner path');
  const part = (await tenant.api('GET', `/enrolment?PathEnrollID=${path.EnrollID}&Include=LaunchURL`)).body
    .Items[0];
  const { EnrollID } = await open(tenant, part, LoginID, one);
  await finish(tenant, LoginID, EnrollID);
  await follow();
  await follow();
  const { Items } = (await tenant.api('GET', `/enrolment?CourseID=${outer}`)).body;
  assert.equal(Items[0].Progress, 50);
  const withdraw = await tenant.api('PUT', `/enrolment/${LoginID}/${path.EnrollID}`, { Withdrawn: true });
  expectStatus(withdraw, 200);
  await follow();
  await follow();
  assert.equal((await read(tenant, LoginID, part.EnrollID)).Status, 'withdrawn');
});

test('a tenant makes paths that only it sees', async () => {
  const [tenant, other] = [await newTenant(service), await newTenant(service)];
  const one = await newCourse(service, { Title: 'One' });
  const CourseID = unique('own-path');
  const made = await tenant.api('PUT', `/course/${CourseID}/path`, {
    Title: 'Ours',
    Steps: [{ CourseIDs: [one] }],
  });
  expectStatus(made, 201);
  assert.deepEqual(made.body, {
    ...{ CourseID, Title: 'Ours', Status: 'published', Ordered: false },
    Steps: [{ CourseIDs: [one], Need: 1, Optional: false, DurationID: null }],
    Courses: [{ CourseID: one, Title: 'One' }],
    MayChange: true,
  });
  const LoginID = await tenant.user();
  const path = await enrol(tenant, LoginID, CourseID);
  assert.equal(path.CourseTitle, 'Ours');
  const seen = async ({ api }: TestTenant) =>
    (await api('GET', `/catalogue/course?Search=${CourseID}`)).body.Items.length;
  assert.deepEqual([await seen(tenant), await seen(other)], [1, 0]);
  const body = { Steps: [{ CourseIDs: [one] }] };
  expectProblem(await other.api('GET', `/course/${CourseID}/path`), 404, 'course_not_found');
  expectProblem(await other.api('PUT', `/course/${CourseID}/path`, body), 404, 'course_not_found');
  expectProblem(await other.api('DELETE', `/course/${CourseID}/path`), 404, 'course_not_found');
  expectProblem(await tenant.api('PUT', `/course/${one}/path`, body), 404, 'course_not_found');
  const theirs = { Steps: [{ CourseIDs: [CourseID] }] };
  expectProblem(
    await other.api('PUT', `/course/${unique('path')}/path`, theirs),
    422,
    'validation_failed',
    'Steps',
  );
  expectProblem(await tenant.api('DELETE', `/course/${CourseID}/path`), 409, 'course_in_use');
  expectStatus(await tenant.api('PUT', `/course/${CourseID}/path`, { ...body, Status: 'retired' }), 200);
  const late = await tenant.user();
  expectProblem(await tenant.api('POST', `/enrol/${late}/${CourseID}`), 409, 'course_retired');
  const draft = await tenant.api('PUT', `/course/${CourseID}/path`, { ...body, Status: 'draft' });
  assert.deepEqual([draft.status, draft.body.Status, await seen(tenant)], [200, 'draft', 0]);
  const drafts = async ({ api }: TestTenant) =>
    (await api('GET', `/catalogue/course?Search=${CourseID}&Drafts=true&Count=true`)).body.Count.Records;
  assert.deepEqual([await drafts(tenant), await drafts(other)], [1, 0]);
  const shared = unique('shared-path');
  expectStatus(await service.api('PUT', `/course/${shared}/path`, { ...body, Status: 'published' }), 201);
  assert.equal((await tenant.api('GET', `/course/${shared}/path`)).body.MayChange, false);
  const key = await service.api('POST', `/tenant/${tenant.TenantID}/key`, {
    Name: 'r',
    Scopes: ['catalogue:read'],
  });
  expectProblem(
    await service.api('PUT', `/course/${CourseID}/path`, body, key.body.Secret),
    403,
    'scope_missing',
  );
});

test('a path that cannot work is rejected, and nothing is stored', async () => {
  const [one, two, open2] = [await newCourse(service), await newCourse(service), unique('path')];
  await service.api('PUT', `/course/${open2}`, { Title: 'Empty' });
  const inner = await newPath([{ CourseIDs: [one] }]);
  const outer = await newPath([{ CourseIDs: [inner] }]);
  const put = (id: string, Steps: object[]) => service.api('PUT', `/course/${id}/path`, { Steps });
  const several = await newCourse(service, {}, { short: {}, long: {} });
  for (const [id, steps, why] of [
    [inner, [{ CourseIDs: [inner] }], /contain itself/],
    [inner, [{ CourseIDs: [one, outer] }], /contain itself/],
    [open2, [{ CourseIDs: ['unknown-course'] }], /unknown-course does not exist/],
    [open2, [{ CourseIDs: [one, two], Need: 3 }], /needs 3 courses but has only 2/],
    [open2, [{ CourseIDs: [one] }, { CourseIDs: [one] }], /occurs twice/],
    [open2, [{ CourseIDs: [one], Optional: true }], /All steps are optional/],
    [open2, [{ CourseIDs: [one], DurationID: 'nowhere' }], /no enrolment option nowhere/],
    [open2, [{ CourseIDs: [several] }], /several enrolment options/],
    [one, [{ CourseIDs: [two] }], /content of its own/],
  ] as const) {
    const reply = await put(id, [...steps]);
    expectProblem(reply, 422, 'validation_failed');
    assert.match(reply.body.detail, why);
  }
  expectProblem(await put(open2, []), 422, 'validation_failed');
  expectProblem(await service.api('GET', `/course/${open2}/path`), 404, 'course_not_found');
  expectProblem(
    await service.api('PUT', `/course/${inner}`, { URL: 'https://web.example/' }),
    422,
    'validation_failed',
  );
  expectStatus(await put(open2, [{ CourseIDs: [several], DurationID: 'long' }]), 200);
});

test('a completion from elsewhere counts for the path', async () => {
  const tenant = await newTenant(service);
  const [one, two] = [await newCourse(service), await newCourse(service)];
  const CourseID = await newPath([{ CourseIDs: [one, two], Need: 1 }]);
  const LoginID = await tenant.user();
  const path = await enrol(tenant, LoginID, CourseID);
  const CompletedAt = clock.now().toISOString();
  expectStatus(
    await tenant.api('POST', '/completion', { LoginID, CourseID: one, CompletedAt, Success: 'passed' }),
    201,
  );
  await follow();
  const { Items } = (await tenant.api('GET', `/enrolment?CourseID=${CourseID}`)).body;
  assert.equal(Items[0].Outcome, 'passed');
  const [part] = await partsOf(tenant, LoginID, path.EnrollID);
  assert.deepEqual([part?.Status, part?.EnrollID], ['completed', null]);
  assert.equal((await click(path.LaunchURL, one)).status, 200);
});

test('a void release of one course leaves the release of another course with its number valid', async () => {
  const tenant = await newTenant(service);
  const content = await packUnits(1);
  const [one, two] = [unique('course'), unique('course')];
  const LoginID = await tenant.user();
  for (const id of [one, two]) {
    expectStatus(await service.importPackage(id, content), 201);
    expectStatus(await service.api('PUT', `/course/${id}/option/open`, {}), 201);
    const { LaunchURL } = await enrol(tenant, LoginID, id);
    expectStatus(await (await play(service, LaunchURL)).commit({ Data: scorm12('passed', 90) }), 200);
  }
  const rule = unique('rule');
  const body = {
    Title: 'Both',
    CourseIDs: [one, two],
    Audience: { LoginIDs: [await tenant.user()] },
    DueAfter: 'P14D',
  };
  expectStatus(await tenant.api('PUT', `/requirement/${rule}`, body), 201);
  clock.advance({ seconds: 1 });
  expectStatus(await tenant.api('POST', `/requirement/${rule}/void`, { CourseID: one, Release: 1 }), 200);
  const path = await enrol(tenant, LoginID, await newPath([{ CourseIDs: [one, two] }]));
  assert.deepEqual(
    (await partsOf(tenant, LoginID, path.EnrollID)).map(({ Status }) => Status),
    ['open', 'completed'],
  );
});
