import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Reply } from '../../../test/support/send.ts';
import { startService } from '../../../test/support/service.ts';
import { allPages, expectProblem, expectStatus, newTenant, unique } from '../../../test/support/tenant.ts';
import { path } from '../../http/routes.ts';

// The clock is stopped: the behaviour must not depend on two requests having different times.
const now = new Date('2026-03-04T05:06:07.890Z');
const service = await startService({ now: () => now });
after(service.close);
const { api } = service;
const tenant = await newTenant(service);

test('PUT creates a course (201 with Location), later changes it (200), and keeps fields that are not sent', async () => {
  const CourseID = unique('Kurs für/Ä?');
  const made = await api('PUT', path`/course/${CourseID}`, { Title: 'One', Language: 'de-AT' });
  expectStatus(made, 201);
  assert.equal(made.headers.get('location'), path`/course/${CourseID.normalize('NFC')}`);
  assert.deepEqual(made.body, {
    CourseID,
    Title: 'One',
    Description: null,
    Language: 'de-AT',
    ImageURL: null,
    URL: null,
    ActivityID: null,
    Tenants: null,
    RequireSignIn: false,
    CompleteWhen: null,
    Certificate: null,
    RetainYears: null,
    Standard: null,
    Status: 'published',
    Release: null,
    Warnings: null,
    Errors: null,
    EnrolOptions: [],
    CreatedAt: now.toISOString(),
    UpdatedAt: now.toISOString(),
  });
  const changed = await api('PUT', path`/course/${CourseID}`, {
    Description: 'Two',
    URL: 'https://x.example/',
  });
  expectStatus(changed, 200);
  assert.deepEqual(changed.body, {
    ...made.body,
    Description: 'Two',
    URL: 'https://x.example/',
    Standard: 'web',
  });
  const cleared = await api('PUT', path`/course/${CourseID}`, {
    Language: null,
    Description: null,
    URL: null,
  });
  assert.deepEqual(cleared.body, { ...made.body, Language: null });
  assert.deepEqual((await api('GET', path`/course/${CourseID}`)).body, cleared.body);
});

test('an invalid course is rejected, and the error names the field', async () => {
  const CourseID = unique('refused');
  const put = (body: unknown) => api('PUT', `/course/${CourseID}`, body);
  for (const [body, code, param] of [
    [{}, 'validation_failed', 'Title'],
    [{ Description: 'no title' }, 'validation_failed', 'Title'],
    [{ Title: '' }, 'validation_failed', 'Title'],
    [{ Title: null }, 'validation_failed', 'Title'],
    [{ Title: 'x'.repeat(501) }, 'validation_failed', 'Title'],
    [{ Title: 'a\0b' }, 'validation_failed', 'Title'],
    [{ Title: 'x', Description: 'x'.repeat(20_001) }, 'validation_failed', 'Description'],
    [{ Title: 'x', Language: 'german!' }, 'validation_failed', 'Language'],
    [{ Title: 'x', ImageURL: 'javascript:alert(1)' }, 'validation_failed', 'ImageURL'],
    [{ Title: 'x', URL: '/relative' }, 'validation_failed', 'URL'],
    [{ Title: 'x', URL: 'https://a b' }, 'validation_failed', 'URL'],
    [{ Title: 'x', Status: 'live' }, 'validation_failed', 'Status'],
    [{ Title: 'x', Tenants: 'test' }, 'validation_failed', 'Tenants'],
    [{ Title: 'x', Tilte: 'x' }, 'unknown_field', 'Tilte'],
    [{ Title: 'x', CourseID: 'y' }, 'unknown_field', 'CourseID'],
  ] as const)
    expectProblem(await put(body), 422, code, param);
  expectProblem(await api('GET', `/course/${CourseID}`), 404, 'course_not_found', 'CourseID');
  expectProblem(await api('DELETE', `/course/${CourseID}`), 404, 'course_not_found');
  expectProblem(await api('GET', `/course/${CourseID}/package`), 409, 'course_not_playable');
  expectStatus(await put({ Title: '山'.repeat(500), Description: '😀'.repeat(20_000) }), 201);
});

test('options are created, changed, listed in order, and cleared', async () => {
  const CourseID = unique('options');
  await api('PUT', `/course/${CourseID}`, { Title: 'x', URL: 'https://x.example/' });
  const address = path`/course/${CourseID}/option/${'1 month/€'}`;
  const made = await api('PUT', address, {});
  expectStatus(made, 201);
  assert.deepEqual(made.body, {
    DurationID: '1 month/€',
    Name: '1 month/€',
    Duration: null,
    StartsOn: 'enrolment',
    DueAfter: null,
    Seats: null,
    SeatsLeft: null,
    Groups: null,
    Price: null,
    Attempts: null,
    Status: 'published',
  });
  const fields = {
    Name: 'A month',
    Duration: 'P1M',
    StartsOn: 'launch',
    Groups: ['A', 'B'],
    Price: { Amount: '12.50', Currency: 'EUR' },
  };
  const changed = await api('PUT', address, fields);
  expectStatus(changed, 200);
  assert.deepEqual(changed.body, { ...made.body, ...fields });
  expectStatus(await api('PUT', address, {}), 200);
  const cleared = await api('PUT', address, { Duration: null, Groups: null, Price: null });
  assert.deepEqual(cleared.body, { ...changed.body, Duration: null, Groups: null, Price: null });
  expectStatus(await api('PUT', `/course/${CourseID}/option/a`, {}), 201);
  const { EnrolOptions } = (await api('GET', `/course/${CourseID}`)).body;
  assert.equal(EnrolOptions.length, 2);
  expectStatus(await api('DELETE', address), 204);
  expectProblem(await api('DELETE', address), 404, 'option_not_found');
  expectProblem(await api('PUT', '/course/no-course/option/a', {}), 404, 'course_not_found');
});

test('an invalid option is rejected, and the error names the field', async () => {
  const CourseID = unique('option');
  await api('PUT', `/course/${CourseID}`, { Title: 'x' });
  const durations = ['30 days', 'P', 'PT', 'P1', 'P-1D', 'P1.5D', 'p1d', 'P1DT', 'P1D2M', 'P9999Y', ''];
  for (const Duration of durations) {
    const reply = await api('PUT', `/course/${CourseID}/option/a`, { Duration });
    expectProblem(reply, 422, 'validation_failed', 'Duration');
  }
  for (const [body, code, param] of [
    [{ StartsOn: 'login' }, 'validation_failed', 'StartsOn'],
    [{ Groups: [''] }, 'validation_failed', 'Groups.0'],
    [{ Price: { Amount: 9.9, Currency: 'EUR' } }, 'validation_failed', 'Price.Amount'],
    [{ Price: { Amount: '9,90', Currency: 'EUR' } }, 'validation_failed', 'Price.Amount'],
    [{ Price: { Amount: '9.90' } }, 'validation_failed', 'Price.Currency'],
    [{ Price: { Amount: '9.90', Currency: 'eur' } }, 'validation_failed', 'Price.Currency'],
    [{ Name: '' }, 'validation_failed', 'Name'],
    [{ Durations: 'P1D' }, 'unknown_field', 'Durations'],
  ] as const)
    expectProblem(await api('PUT', `/course/${CourseID}/option/a`, body), 422, code, param);
  assert.deepEqual((await api('GET', `/course/${CourseID}`)).body.EnrolOptions, []);
});

test('every accepted duration can be used to enrol and yields a valid end date', async () => {
  const CourseID = unique('durations');
  await api('PUT', `/course/${CourseID}`, { Title: 'x', URL: 'https://x.example/' });
  for (const [Duration, end] of [
    ['P30D', '2026-04-03T05:06:07.890Z'],
    ['P1M', '2026-04-04T05:06:07.890Z'],
    ['P1Y2M3W4DT5H6M7S', '2027-05-29T10:12:14.890Z'],
    ['PT36H', '2026-03-05T17:06:07.890Z'],
    ['P999Y9999M9999W99999DT99999H99999M99999S', null],
  ] as const) {
    const DurationID = unique('d');
    expectStatus(await api('PUT', `/course/${CourseID}/option/${DurationID}`, { Duration }), 201);
    const LoginID = await tenant.user();
    const { body } = await tenant.api('POST', `/enrol/${LoginID}/${CourseID}/${DurationID}`);
    if (end) assert.equal(body.ExpiresAt, end, Duration);
    else assert.match(body.ExpiresAt, /^\d{4}-/);
  }
});

test('a course or option can be deleted only if it has no enrolments', async () => {
  const CourseID = unique('used');
  await api('PUT', `/course/${CourseID}`, { Title: 'x', URL: 'https://x.example/' });
  await api('PUT', `/course/${CourseID}/option/used`, {});
  await api('PUT', `/course/${CourseID}/option/spare`, {});
  const LoginID = await tenant.user();
  expectStatus(await tenant.api('POST', `/enrol/${LoginID}/${CourseID}/used`), 201);
  expectProblem(await api('DELETE', `/course/${CourseID}`), 409, 'course_in_use');
  expectProblem(await api('DELETE', `/course/${CourseID}/option/used`), 409, 'option_in_use');
  expectStatus(await api('DELETE', `/course/${CourseID}/option/spare`), 204);
  const fresh = unique('fresh');
  await api('PUT', `/course/${fresh}`, { Title: 'x' });
  await api('PUT', `/course/${fresh}/option/a`, {});
  expectStatus(await api('DELETE', `/course/${fresh}`), 204);
  expectProblem(await api('GET', `/course/${fresh}`), 404, 'course_not_found');
});

test('a tenant sees only the groups of its own users, and learners see only their own group', async () => {
  const [own, other, foreign] = ['own', 'other', 'customer'].map(unique);
  const CourseID = unique('course');
  await api('PUT', `/course/${CourseID}`, { Title: 'x', URL: 'https://x.example/' });
  await api('PUT', `/course/${CourseID}/option/a`, { Groups: [own, other, foreign] });
  await api('PUT', `/course/${CourseID}/option/b`, { Groups: [foreign] });
  await api('PUT', `/course/${CourseID}/option/c`, {});
  const tenant = await newTenant(service);
  const LoginID = await tenant.user({ GroupName: own });
  await tenant.user({ GroupName: other });
  type Offered = { CourseID: string; AvailableEnrolOptions: { Groups: string[] | null }[] };
  const groupsOf = (course: Offered | undefined) => course?.AvailableEnrolOptions.map(({ Groups }) => Groups);
  const { items } = await allPages((page) => tenant.api('GET', page), '/catalogue/course', 200);
  const listed = items.find((course: Offered) => course.CourseID === CourseID);
  assert.deepEqual(groupsOf(listed), [[own, other], [], null]);
  const offered = await tenant.api('GET', `/catalogue/course/${CourseID}/${LoginID}`);
  assert.deepEqual(groupsOf(offered.body), [[own], null]);
});

test('Count returns the number of matching courses; a tenant counts only those offered to it', async () => {
  const prefix = unique('counted');
  const other = await newTenant(service);
  for (const [n, change] of [
    ['1', {}],
    ['2', { Status: 'draft' }],
    ['3', { Status: 'retired' }],
    ['4', { Tenants: [other.TenantID] }],
  ] as const)
    await api('PUT', `/course/${prefix}-${n}`, { Title: 'Counted', URL: 'https://x.example/', ...change });
  const countOf = async (by: { api: (method: string, path: string) => Promise<Reply> }, path: string) =>
    (await by.api('GET', `${path}&Limit=1&Count=true`)).body.Count;
  const all = `/course?Search=${prefix}`;
  assert.deepEqual(await countOf(service, all), { Records: 4, More: false });
  assert.deepEqual(await countOf(service, `${all}&Status=draft`), { Records: 1, More: false });
  const offered = `/catalogue/course?Search=${prefix}`;
  assert.deepEqual(await countOf(tenant, offered), { Records: 2, More: false });
  assert.deepEqual(await countOf(other, offered), { Records: 3, More: false });
  assert.deepEqual(await countOf(other, `${offered}&Status=retired`), { Records: 1, More: false });
});

test('a tenant sees only courses and options offered to it, without drafts or authoring fields', async () => {
  const [open, draft, retired, theirs] = ['open', 'draft', 'retired', 'theirs'].map(unique);
  const decomposed = 'Ü'.normalize('NFD');
  expectStatus(await api('POST', '/tenant', { TenantID: decomposed }), 201);
  await api('PUT', `/course/${open}`, { Title: 'x', URL: 'https://x.example/' });
  await api('PUT', `/course/${open}/option/a`, { Groups: ['Staff'] });
  await api('PUT', `/course/${open}/option/b`, { Status: 'draft' });
  await api('PUT', `/course/${draft}`, { Title: 'x', Status: 'draft' });
  await api('PUT', `/course/${retired}`, { Title: 'x', Status: 'retired' });
  await api('PUT', `/course/${theirs}`, { Title: 'x', Tenants: [decomposed] });
  const { items } = await allPages((page) => tenant.api('GET', page), '/catalogue/course', 3);
  const seen = items.map((course) => course.CourseID);
  assert.deepEqual(
    [open, draft, retired, theirs].map((id) => seen.includes(id)),
    [true, false, true, false],
  );
  const course = items.find(({ CourseID }) => CourseID === open);
  assert.deepEqual(
    course.AvailableEnrolOptions.map(({ DurationID }: { DurationID: string }) => DurationID),
    ['a'],
  );
  for (const field of ['Tenants', 'URL', 'EnrolOptions']) assert.ok(!(field in course), field);
  const headers = { tenant: encodeURIComponent('Ü'.normalize('NFC')) };
  const offered = (await api('GET', '/catalogue/course?Limit=200', undefined, undefined, headers)).body.Items;
  assert.ok(offered.some(({ CourseID }: { CourseID: string }) => CourseID === theirs));
});
