import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newCourse, newTenant, unique } from '../../../test/support/tenant.ts';
import { path } from '../../http/routes.ts';

const service = await startService();
after(service.close);
const { api, user, events } = await newTenant(service);

test('the long form returns 201, Location and the complete record, and writes one event', async () => {
  const CourseID = await newCourse(
    service,
    { Title: 'Fire safety' },
    { month: { Duration: 'P30D' }, open: {} },
  );
  const LoginID = await user();
  const made = await api('POST', `/enrol/${LoginID}/${CourseID}/month`);
  expectStatus(made, 201);
  const { EnrollID, EnrolledAt, ExpiresAt, LaunchURL, ...rest } = made.body;
  assert.equal(made.headers.get('location'), `/enrolment/${LoginID}/${EnrollID}`);
  assert.deepEqual(rest, {
    LoginID,
    CourseID,
    DurationID: 'month',
    CourseTitle: 'Fire safety',
    Status: 'enrolled',
    Outcome: 'not_started',
    Completion: 'unknown',
    Success: 'unknown',
    Score: null,
    Override: null,
    Recorded: { Completion: 'unknown', Success: 'unknown', Score: null },
    Progress: 0,
    TotalSeconds: 0,
    StartedAt: null,
    LastAccessedAt: null,
    CompletedAt: null,
    Launches: 0,
    Attempts: null,
    Attempt: 1,
    AttemptsUsed: 0,
    TimeFactor: 1,
    PathEnrollID: null,
    Reference: null,
    Metadata: {},
    DueAt: null,
  });
  assert.equal(Date.parse(ExpiresAt) - Date.parse(EnrolledAt), 30 * 86_400_000);
  assert.ok(LaunchURL.startsWith(`${service.baseUrl}/launch?`));
  assert.deepEqual((await api('GET', `/enrolment/${LoginID}/${EnrollID}`)).body, made.body);
  assert.deepEqual(
    (await events({ EnrollID })).map(({ type, data }) => [type, data]),
    [['enrolment.created', { DurationID: 'month', PathEnrollID: null, Reference: null }]],
  );
});

test('the short form uses the only option; repeating either form returns the same enrolment', async () => {
  const CourseID = await newCourse(service);
  const LoginID = await user();
  const made = await api('POST', `/enrol/${LoginID}/${CourseID}`);
  expectStatus(made, 201);
  assert.equal(made.body.DurationID, 'standard');
  assert.equal(made.body.ExpiresAt, null);
  for (const form of [`/enrol/${LoginID}/${CourseID}`, `/enrol/${LoginID}/${CourseID}/standard`]) {
    const again = await api('POST', form, { IfEnrolled: 'return' });
    expectStatus(again, 200);
    assert.deepEqual(again.body, made.body);
  }
  const { EnrollID } = made.body;
  assert.equal((await events({ EnrollID })).length, 1);
  const refused = await api('POST', `/enrol/${LoginID}/${CourseID}`, { IfEnrolled: 'fail' });
  expectProblem(refused, 409, 'already_enrolled');
  assert.equal(refused.body.EnrollID, EnrollID);
});

test('with several options, the error has the documented text and lists the options, each with the path to post to', async () => {
  const CourseID = await newCourse(
    service,
    {},
    { 'a/b c': { Name: 'Slash' }, 'ü+%': { Duration: 'P1Y', Price: { Amount: '9.90', Currency: 'EUR' } } },
  );
  const LoginID = unique('ann@example.org/x y');
  await api('POST', '/user', { LoginID });
  const refused = await api('POST', path`/enrol/${LoginID}/${CourseID}`);
  expectProblem(refused, 409, 'multiple_enrolment_options');
  assert.ok(refused.body.detail.includes('multiple enrolment options found'));
  const options = refused.body.AvailableEnrolOptions;
  assert.deepEqual(
    options.map((option: { DurationID: string }) => option.DurationID),
    ['a/b c', 'ü+%'],
  );
  const offer = await api('GET', path`/catalogue/course/${CourseID}/${LoginID}`);
  assert.deepEqual(
    options.map(({ Path, ...option }: { Path: string }) => option),
    offer.body.AvailableEnrolOptions,
  );
  const made = await api('POST', options[1].Path);
  expectStatus(made, 201);
  assert.equal(made.body.DurationID, 'ü+%');
  const current = await api('GET', path`/catalogue/course/${CourseID}/${LoginID}`);
  assert.equal(current.body.EnrollID, made.body.EnrollID);
});

test('Reference and Metadata are stored; a retry with different values changes nothing', async () => {
  const CourseID = await newCourse(service);
  const LoginID = await user();
  const Metadata = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`Key ${index}`, 'Wert ü']));
  const made = await api('POST', `/enrol/${LoginID}/${CourseID}`, { Reference: 'order-7', Metadata });
  expectStatus(made, 201);
  assert.equal(made.body.Reference, 'order-7');
  assert.deepEqual(made.body.Metadata, Metadata);
  const again = await api('POST', `/enrol/${LoginID}/${CourseID}`, { Reference: 'other', Metadata: {} });
  assert.deepEqual(again.body, made.body);
});

test('an invalid body is rejected and enrols nobody', async () => {
  const CourseID = await newCourse(service);
  const LoginID = await user();
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${index}`, 'v']));
  for (const [body, code] of [
    [{ Metadata: many }, 'validation_failed'],
    [{ Metadata: { ['k'.repeat(41)]: 'v' } }, 'unknown_field'],
    [{ Metadata: { k: 'v'.repeat(501) } }, 'validation_failed'],
    [{ Metadata: { k: 1 } }, 'validation_failed'],
    [{ Metadata: { k: '\0' } }, 'validation_failed'],
    [{ Metadata: null }, 'validation_failed'],
    [{ Reference: 'x'.repeat(256) }, 'validation_failed'],
    [{ Reference: 'a\0b' }, 'validation_failed'],
    [{ IfEnrolled: 'maybe' }, 'validation_failed'],
    [{ Refrence: 'typo' }, 'unknown_field'],
    ['[]', 'validation_failed'],
  ] as const)
    expectProblem(await api('POST', `/enrol/${LoginID}/${CourseID}`, body), 422, code);
  assert.deepEqual((await api('GET', `/enrolment/${LoginID}`)).body.Items, []);
});

test('each reason for rejecting an enrolment has its own code', async () => {
  const LoginID = await user();
  const disabled = await user({ Enabled: false });
  const CourseID = await newCourse(service);
  const draft = await newCourse(service, { Status: 'draft' });
  const retired = await newCourse(service, { Status: 'retired' });
  const without = await newCourse(service, {}, {});
  const hidden = await newCourse(service, {}, { a: { Status: 'draft' }, b: { Status: 'retired' } });
  const enrol = (...parts: string[]) => api('POST', `/enrol/${parts.join('/')}`);
  expectProblem(await enrol('nobody', CourseID), 404, 'user_not_found', 'LoginID');
  expectProblem(await enrol(LoginID, 'no-course'), 404, 'course_not_found', 'CourseID');
  expectProblem(await enrol(LoginID, draft), 404, 'course_not_found', 'CourseID');
  expectProblem(await enrol(disabled, CourseID), 409, 'user_disabled', 'LoginID');
  expectProblem(await enrol(LoginID, retired), 409, 'course_retired', 'CourseID');
  expectProblem(await enrol(LoginID, without), 409, 'no_enrolment_option', 'CourseID');
  expectProblem(await enrol(LoginID, hidden), 409, 'no_enrolment_option', 'CourseID');
  expectProblem(await enrol(LoginID, hidden, 'a'), 404, 'option_not_found', 'DurationID');
  const unknown = await enrol(LoginID, CourseID, 'no-option');
  expectProblem(unknown, 404, 'option_not_found', 'DurationID');
  assert.equal(unknown.body.AvailableEnrolOptions[0].DurationID, 'standard');
  assert.deepEqual((await api('GET', `/enrolment/${LoginID}`)).body.Items, []);
});

test('a course offered to some tenants does not exist for others', async () => {
  const other = await newTenant(service);
  const CourseID = await newCourse(service, { Tenants: [other.TenantID] });
  const ours = await user();
  const theirs = await other.user();
  expectProblem(await api('POST', `/enrol/${ours}/${CourseID}`), 404, 'course_not_found');
  expectProblem(await api('GET', `/catalogue/course/${CourseID}/${ours}`), 404, 'course_not_found');
  const listed = async (call: typeof api) =>
    (await call('GET', '/catalogue/course?Limit=200')).body.Items.some(
      (course: { CourseID: string }) => course.CourseID === CourseID,
    );
  assert.equal(await listed(api), false);
  assert.equal(await listed(other.api), true);
  expectStatus(await other.api('POST', `/enrol/${theirs}/${CourseID}`), 201);
});

test('an option for certain groups is offered only to their users, which affects the short form', async () => {
  const CourseID = await newCourse(service, {}, { all: {}, staff: { Groups: ['Staff', 'Board'] } });
  const guest = await user();
  const staff = await user({ GroupName: 'Staff' });
  assert.equal((await api('POST', `/enrol/${guest}/${CourseID}`)).body.DurationID, 'all');
  expectProblem(await api('POST', `/enrol/${guest}/${CourseID}/staff`), 404, 'option_not_found');
  expectProblem(await api('POST', `/enrol/${staff}/${CourseID}`), 409, 'multiple_enrolment_options');
  const offered = await api('GET', `/catalogue/course/${CourseID}/${guest}`);
  assert.equal(offered.body.AvailableEnrolOptions.length, 1);
  expectStatus(await api('POST', `/enrol/${staff}/${CourseID}/staff`), 201);
});
