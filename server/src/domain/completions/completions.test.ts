import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { movableClock } from '../../../test/support/clock.ts';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newCourse, newTenant, unique } from '../../../test/support/tenant.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
const tenant = await newTenant(service);
const { api, user } = tenant;
const day = (days: number) => new Date(clock.now().getTime() + days * 86_400_000).toISOString().slice(0, 10);

test('a completion from elsewhere is recorded once, and read, listed and deleted with a reason', async () => {
  const [LoginID, CourseID] = [await user({ GroupName: 'Nurses' }), await newCourse(service)];
  const evidence = { EvidenceText: 'Attendance list', EvidenceURL: 'https://files.example/list.pdf' };
  const sent = {
    ...{ LoginID, CourseID, CompletedAt: day(-3), Success: 'passed', Score: 92.5, Source: 'Classroom' },
    ...{ ...evidence, Reference: unique('seminar') },
  };
  const made = await api('POST', '/completion', sent);
  expectStatus(made, 201);
  const { CompletionID } = made.body;
  const record = { ...sent, CompletedAt: `${day(-3)}T00:00:00.000Z`, External: true, CreatedBy: 'key' };
  for (const [name, value] of Object.entries(record)) assert.deepEqual(made.body[name], value, name);
  assert.equal(made.headers.get('location'), `/completion/${CompletionID}`);

  const again = await api('POST', '/completion', sent);
  expectStatus(again, 200);
  assert.deepEqual(again.body, made.body);
  const differs = await api('POST', '/completion', { ...sent, Score: 12 });
  expectProblem(differs, 409, 'completion_exists');
  assert.deepEqual(differs.body.differs, ['Score']);

  for (const filter of [
    `LoginID=${LoginID}`,
    `CourseID=${CourseID}`,
    `Reference=${sent.Reference}`,
    'GroupName=Nurses',
  ])
    assert.deepEqual((await api('GET', `/completion?${filter}`)).body.Items, [made.body], filter);
  assert.equal((await api('GET', `/enrolment/${LoginID}`)).body.Items.length, 0);
  const other = await newTenant(service);
  expectProblem(await other.api('GET', `/completion/${CompletionID}`), 404, 'completion_not_found');

  expectProblem(await api('DELETE', `/completion/${CompletionID}`), 422, 'validation_failed');
  const gone = await api('DELETE', `/completion/${CompletionID}?Reason=Forged`);
  expectStatus(gone, 200);
  assert.equal(gone.body.DeleteReason, 'Forged');
  expectStatus(await api('DELETE', `/completion/${CompletionID}?Reason=Twice`), 200);
  assert.deepEqual((await api('GET', `/completion/${CompletionID}`)).body, gone.body);
  assert.deepEqual((await api('GET', `/completion?LoginID=${LoginID}`)).body.Items, []);
  expectStatus(await api('POST', '/completion', sent), 201);
  const { Items } = (await api('GET', `/events?LoginID=${LoginID}`)).body;
  assert.deepEqual(
    Items.map(({ Type }: { Type: string }) => Type).filter((type: string) => type.startsWith('completion')),
    ['completion.recorded', 'completion.deleted', 'completion.recorded'],
  );
});

test('a completion needs a user, and a course or a title, and is not in the future', async () => {
  const LoginID = await user();
  const post = (fields: object) => api('POST', '/completion', { LoginID, CompletedAt: day(-1), ...fields });
  expectProblem(await post({}), 422, 'validation_failed');
  expectProblem(await post({ Title: 'First aid', CompletedAt: day(2) }), 422, 'validation_failed');
  expectProblem(await post({ Title: 'First aid', CompletedAt: '2026-02-30' }), 422, 'validation_failed');
  expectProblem(await post({ Title: 'First aid', LoginID: 'nobody' }), 404, 'user_not_found');
  expectProblem(await post({ CourseID: 'unknown' }), 404, 'course_not_found');
  const { body } = await post({ Title: 'First aid' });
  assert.deepEqual([body.Title, body.CourseID, body.Success], ['First aid', null, 'unknown']);
});

test('rows of a file are planned, recorded and refused independently', async () => {
  const [ada, ben] = [await user(), await user()];
  const reference = unique('row');
  const rows = [
    `${ada},First aid,${day(-9)},${reference}`,
    `${ben},First aid,${day(-9)},`,
    `${ada},First aid,${day(-9)},${reference}`,
    `nobody,First aid,${day(-9)},`,
  ];
  const csv = ['LoginID,Title,CompletedAt,Reference', ...rows].join('\n');
  const send = async (query: string) => {
    const reply = await api('POST', `/completion/bulk${query}`, csv, { 'content-type': 'text/csv' });
    expectStatus(reply, 200);
    return String(reply.body)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  const planned = await send('?Plan=true');
  assert.deepEqual(
    planned.map(({ Plan }) => Plan),
    ['created', 'created', 'exists', 'error'],
  );
  assert.deepEqual((await api('GET', `/completion?Reference=${reference}`)).body.Items, []);
  const done = await send('');
  assert.deepEqual(
    done.map(({ Status }) => Status),
    [201, 201, 200, 404],
  );
  assert.equal(done[2].CompletionID, done[0].CompletionID);
});

test('a completion from elsewhere satisfies an obligation, and deleting it opens it again', async () => {
  const [LoginID, CourseID] = [await user(), await newCourse(service)];
  const rule = { Title: 'x', CourseIDs: [CourseID], Audience: { LoginIDs: [LoginID] }, DueAfter: 'P7D' };
  const required = unique('required');
  expectStatus(await api('PUT', `/requirement/${required}`, { ...rule, ValidFor: 'P1Y' }), 201);
  const obligation = async () => (await api('GET', `/obligation/${LoginID}`)).body.Items[0];
  const failed = { LoginID, CourseID, CompletedAt: day(-2), Success: 'failed' };
  expectStatus(await api('POST', '/completion', failed), 201);
  assert.equal((await obligation()).Status, 'due_soon');
  const { body } = await api('POST', '/completion', { ...failed, Success: 'passed' });
  const { Status, External, MetAt } = await obligation();
  assert.deepEqual([Status, External, MetAt], ['met', true, body.CompletedAt]);
  const explained = await api('GET', `/obligation/${LoginID}/${required}/explain`);
  const { CompletionID } = body;
  assert.deepEqual(explained.body.SatisfiedBy, { EnrollID: null, CompletionID, CourseID, At: MetAt });
  expectStatus(await api('DELETE', `/completion/${CompletionID}?Reason=Forged`), 200);
  assert.equal((await obligation()).Status, 'due_soon');
});

test('completions from elsewhere are exported and erased with the person', async () => {
  const LoginID = await user();
  expectStatus(
    await api('POST', '/completion', {
      LoginID,
      Title: 'First aid',
      CompletedAt: day(-1),
      EvidenceText: 'x',
    }),
    201,
  );
  const exported = JSON.stringify((await api('GET', `/user/${LoginID}/export`)).body);
  assert.match(exported, /First aid/);
  const erased = await api('DELETE', `/user/${LoginID}`);
  assert.ok(erased.status < 300, String(erased.status));
  const { rows } = await service.ctx.engine.query({
    text: 'select from external_completion held where held.tenant_id = $1 and held.evidence_text = $2',
    values: [tenant.TenantID, 'x'],
  });
  assert.equal(rows.length, 0);
});
