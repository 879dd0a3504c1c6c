import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { movableClock } from '../../../test/support/clock.ts';
import { startService } from '../../../test/support/service.ts';
import {
  expectProblem,
  expectStatus,
  newCourse,
  newTenant,
  type TestTenant,
  unique,
} from '../../../test/support/tenant.ts';
import { forTenant } from '../../db/transaction.ts';
import { removeUntouched } from '../privacy/erase.ts';
import type { Import, ImportRow, ImportWithRows } from './schemas.ts';
import { deleteOldImports, workImports, workNext } from './work.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(() => service.close());

const csv = { 'content-type': 'text/csv' };

async function upload(tenant: TestTenant, file: string, query = 'Plan=true'): Promise<Import> {
  const made = await tenant.api('POST', `/import?${query}`, file, csv);
  expectStatus(made, 201);
  return made.body;
}
async function read(tenant: TestTenant, { ImportID }: Import, query = ''): Promise<ImportWithRows> {
  await workImports(service.ctx, removeUntouched);
  const reply = await tenant.api('GET', `/import/${ImportID}?Limit=200${query}`);
  expectStatus(reply, 200);
  return reply.body;
}
async function act(tenant: TestTenant, one: Import, verb: 'apply' | 'undo', body: object = {}) {
  expectStatus(
    await tenant.api('POST', `/import/${one.ImportID}/${verb}`, verb === 'apply' ? body : undefined),
    200,
  );
  return read(tenant, one);
}
const sum = ({ Created, Updated, Unchanged, Partial, Refused }: Import['Counts']) =>
  Created + Updated + Unchanged + Partial + Refused;
const codes = ({ Rows }: ImportWithRows) => Rows.map(({ code, Outcome }) => code ?? Outcome);

test('a file is planned, applied and undone, and its numbers add up', async () => {
  const tenant = await newTenant(service);
  const Title = unique('Fire safety');
  const CourseID = await newCourse(service, { Title });
  const names = ['ann', 'ben', 'cleo'].map(unique);
  const kept = await tenant.user({ FirstName: 'Old' });
  const lines = names.map((name) => `${name},A,Sales,${Title.toUpperCase()}`);
  const file = [
    'Staff no,First name,Department,Training',
    ...lines,
    `${kept},New,Sales,${Title}`,
    'Total 4,,,',
  ];
  const plan = await upload(tenant, file.join('\n'), 'Plan=true&Name=staff.csv');
  assert.deepEqual(
    [plan.Status, plan.Of, plan.Name, plan.Columns.map(({ Field }) => Field)],
    ['planned', 'users', 'staff.csv', ['LoginID', 'FirstName', 'GroupName', 'CourseID']],
  );
  const planned = await read(tenant, plan);
  assert.deepEqual(codes(planned), ['created', 'created', 'created', 'user_exists', 'summary_row']);
  assert.equal(
    planned.Summary,
    '5 rows: 3 would be created and 2 would be refused. 3 people and 3 enrolments would be created.',
  );
  expectStatus(await tenant.api('GET', `/user/check/${names[0]}`), 200);
  assert.equal(
    (await tenant.api('GET', `/user/check/${names[0]}`)).body.Result,
    -1,
    'a plan changes nothing',
  );
  const applied = await act(tenant, plan, 'apply');
  assert.equal(applied.Status, 'applied');
  assert.equal(applied.Summary, '5 rows: 3 created and 2 refused. 3 people and 3 enrolments were created.');
  assert.equal(sum(applied.Counts), applied.Counts.Rows);
  assert.deepEqual(
    applied.Rows.map(({ Line }) => Line),
    [2, 3, 4, 5, 6],
  );
  assert.equal((await tenant.events({ LoginID: names[0] ?? '' })).length, 2);
  expectStatus(await tenant.api('POST', `/import/${plan.ImportID}/apply`, {}), 200);
  assert.deepEqual(await read(tenant, plan), applied, 'a repeated call changes nothing');
  assert.equal((await tenant.events({ LoginID: names[0] ?? '' })).length, 2);
  expectStatus(await tenant.api('PUT', `/user/${names[1]}`, { LastName: 'Changed' }), 200);
  const undone = await act(tenant, plan, 'undo');
  assert.deepEqual(
    [undone.Status, undone.Undo],
    ['undone', { Rows: 3, Done: 3, UsersRemoved: 2, UsersRestored: 0, EnrolmentsWithdrawn: 3, Kept: 1 }],
  );
  assert.equal(undone.Summary, '2 people removed and 3 enrolments withdrawn; something stays of 1 row.');
  assert.deepEqual(
    undone.Rows.slice(0, 4).map(({ Undone, UndoReason }) => [Undone, UndoReason]),
    [
      ['removed', null],
      ['partly', 'changed'],
      ['removed', null],
      [null, null],
    ],
  );
  expectStatus(await tenant.api('GET', `/user/${names[0]}`), 404);
  assert.equal((await tenant.api('GET', `/user/${names[1]}`)).body.LastName, 'Changed');
  expectProblem(await tenant.api('POST', `/import/${plan.ImportID}/apply`, {}), 409, 'import_not_ready');
  const { Items } = (await tenant.api('GET', `/enrolment?CourseID=${CourseID}&Status=withdrawn`)).body;
  assert.deepEqual(
    Items.map(({ LoginID }: { LoginID: string }) => LoginID),
    [names[1]],
    'the others belong to nobody any more',
  );
  const { Rows } = await read(tenant, plan, '&Undone=partly');
  assert.deepEqual(
    Rows.map(({ LoginID }) => LoginID),
    [names[1]],
  );
});

test('course, option and end apply to the whole file, and LoginIDs alone create nobody', async () => {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service, {}, { standard: {}, 'half-year': {} });
  const LoginID = await tenant.user();
  const query = `CourseID=${CourseID}&DurationID=half-year&ExpiresAt=2090-05-04`;
  const made = await read(tenant, await upload(tenant, `LoginID\n${LoginID}\n${LoginID}x\n`, query));
  assert.deepEqual(
    [made.Of, made.Status, codes(made)],
    ['enrolments', 'applied', ['created', 'user_not_found']],
  );
  assert.deepEqual([made.Rows[1]?.Nearest, made.Rows[1]?.detail?.includes(LoginID)], [LoginID, true]);
  const { Items } = (await tenant.api('GET', `/enrolment/${LoginID}`)).body;
  assert.deepEqual([Items[0].DurationID, Items[0].ExpiresAt], ['half-year', '2090-05-04T23:59:59.000Z']);
});

test('a near miss is reported with the nearest existing name', async () => {
  const tenant = await newTenant(service);
  const Title = unique('Data protection');
  const CourseID = await newCourse(service, { Title }, { 'one-year': {}, 'two-years': {} });
  const twin = await newCourse(service, { Title: `${Title} B` });
  await newCourse(service, { Title: `${Title} B` });
  const LoginID = await tenant.user();
  const rows = [
    ...[`${LoginID},${Title.replace('Data', 'Dada')},one-year`, `${LoginID},${CourseID},one-yaer`],
    ...[`${LoginID},${Title} B,`, `${LoginID},Welding,`, `${LoginID.toUpperCase()},${twin},`],
  ];
  const made = await read(tenant, await upload(tenant, `LoginID,CourseID,DurationID\n${rows.join('\n')}\n`));
  assert.deepEqual(
    made.Rows.map(({ code, Nearest }) => [code, Nearest]),
    [
      ['course_not_found', CourseID],
      ['option_not_found', 'one-year'],
      ['ambiguous_course', null],
      ['course_not_found', null],
      ['similar_in_file', LoginID],
    ],
  );
  assert.match(made.Rows[2]?.detail ?? '', new RegExp(twin));
});

test('a plan names the people, and says which groups are new', async () => {
  const tenant = await newTenant(service);
  const known = await tenant.user({ FirstName: 'Ada', LastName: 'Lovelace' });
  const planned = await read(
    tenant,
    await upload(tenant, `LoginID,FirstName,GroupName\n${known},,\n${unique('new')},Bea,Logistics\n`),
  );
  assert.deepEqual(
    planned.Rows.map(({ FirstName, LastName, Notes }) => [FirstName, LastName, Notes]),
    [
      ['Ada', 'Lovelace', []],
      ['Bea', null, [{ Kind: 'new_group', Value: 'Logistics', Nearest: null }]],
    ],
  );
});

test('a name that differs only in case or spaces is questioned, and the answer decides', async () => {
  const tenant = await newTenant(service);
  const [one, two, three] = ['x', 'y', 'z'].map(unique);
  const existing = await tenant.user({ GroupName: 'Field  Sales' });
  const upper = existing.toUpperCase();
  const file = `LoginID,GroupName\n${one},field sales\n${two},Field  Sales\n${three},Field  Salse\n${upper},Field  Sales\n`;
  const plan = await upload(tenant, file);
  const planned = await read(tenant, plan);
  assert.deepEqual(codes(planned), ['similar_group', 'created', 'created', 'similar_login_id']);
  assert.deepEqual(
    planned.Questions.map(({ code, Rows }) => [code, Rows]),
    [
      ['similar_group', 1],
      ['similar_login_id', 1],
    ],
  );
  assert.equal(planned.Rows[2]?.Notes[0]?.Nearest, 'Field  Sales');
  const refused = await act(tenant, await upload(tenant, file), 'apply');
  assert.deepEqual(codes(refused), ['similar_group', 'created', 'created', 'similar_login_id']);
  const used = await act(tenant, plan, 'apply', { Similar: 'use' });
  assert.deepEqual(codes(used), ['created', 'unchanged', 'unchanged', 'unchanged']);
  assert.equal((await tenant.api('GET', `/user/${one}`)).body.GroupName, 'Field  Sales');
  expectStatus(await tenant.api('GET', `/user/${upper}`), 404);
});

test('damaged cells and ambiguous dates are refused row by row, and a due date is not the end of access', async () => {
  const tenant = await newTenant(service, { TimeZone: 'Europe/Berlin' });
  const CourseID = await newCourse(service);
  const ids = [1, 2, 3, 4, 5].map(() => unique('dated'));
  const file = [
    'sep=;',
    'Staff list',
    'Staff ID;Group;End date;Must be done by;Email',
    `${ids[0]};#REF!;03/04/2090;01/02/2090;`,
    `#N/A;Sales;03/04/2090;;`,
    `00${ids[1]};Sales;03/04/2090;01/02/2090;`,
    `${ids[2]};Sales;2090-04-03 14:30:00;;`,
    `${ids[3]};Sales;31.02.2090;;`,
    `${ids[4]};Sales;;;ann(at)example`,
  ].join('\r\n');
  const plan = await upload(tenant, file, `Plan=true&CourseID=${CourseID}`);
  const planned = await read(tenant, plan);
  const before = [
    'damaged_cell',
    'damaged_cell',
    'ambiguous_date',
    'created',
    'invalid_date',
    'invalid_email',
  ];
  assert.deepEqual(codes(planned), before);
  assert.deepEqual(
    planned.Columns.map(({ Field, Meaning }) => Field ?? Meaning),
    ['LoginID', 'GroupName', 'ExpiresAt', 'DueAt', 'Email'],
  );
  assert.equal(planned.Columns[2]?.Example?.At, '2090-04-03T21:59:59.000Z');
  const applied = await act(tenant, plan, 'apply', { DateOrder: 'day-month' });
  assert.deepEqual(codes(applied)[2], 'created');
  const { Items } = (await tenant.api('GET', `/enrolment/00${ids[1]}`)).body;
  assert.deepEqual(
    [Items[0].ExpiresAt, Items[0].DueAt],
    ['2090-04-03T21:59:59.000Z', '2090-02-01T22:59:59.000Z'],
  );
  assert.equal((await tenant.api('GET', `/enrolment/${ids[2]}`)).body.Items[0].ExpiresAt, Items[0].ExpiresAt);
});

test('an import into a test tenant whose clock has moved can be undone for an hour of that clock', async () => {
  const tenant = await newTenant(service, { Status: 'test' });
  const advance = async (Advance: string) =>
    expectStatus(await tenant.api('POST', '/test/clock', { Advance }), 200);
  await advance('P90D');
  const LoginID = unique('ann');
  const plan = await upload(tenant, `LoginID\n${LoginID}\n`);
  await read(tenant, plan);
  const { CreatedAt, UndoableUntil } = await act(tenant, plan, 'apply');
  assert.ok(Date.parse(UndoableUntil ?? '') >= Date.parse(CreatedAt) + 3_600_000);
  const undone = await act(tenant, plan, 'undo');
  assert.deepEqual([undone.Status, undone.Undo?.UsersRemoved], ['undone', 1]);
  const later = await upload(tenant, `LoginID\n${LoginID}\n`);
  await read(tenant, later);
  await act(tenant, later, 'apply');
  await advance('PT2H');
  assert.equal((await read(tenant, later)).UndoableUntil, null);
});

test('the headings of the console are recognised in every language', async () => {
  const tenant = await newTenant(service);
  for (const language of ['de', 'en', 'fr']) {
    const file = join(import.meta.dirname, `../../../../console/texts/${language}.pages.json`);
    const { users, enrolments } = JSON.parse(readFileSync(file, 'utf8'));
    const names = [users.loginId, users.firstName, users.lastName, users.email, users.groups];
    const more = [enrolments.course, enrolments.dueAt, enrolments.ends];
    const plan = await upload(tenant, `${[...names, ...more].join(',')}\n${unique('ann')},,,,,,,\n`);
    assert.deepEqual(
      plan.Columns.map(({ Field }) => Field),
      ['LoginID', 'FirstName', 'LastName', 'Email', 'Groups', 'CourseID', 'DueAt', 'ExpiresAt'],
    );
  }
});

test('an interrupted import resumes at the next row, and each row takes effect once', async () => {
  const tenant = await newTenant(service);
  const ids = Array.from({ length: 230 }, () => unique('row'));
  const plan = await upload(tenant, `LoginID\n${ids.join('\n')}\n`);
  await read(tenant, plan);
  const own = forTenant(service.ctx, tenant.TenantID);
  // The process dies after the rows have committed and before their outcomes are stored.
  const { engine } = service.ctx;
  expectStatus(await tenant.api('POST', `/import/${plan.ImportID}/apply`, {}), 200);
  await workImports(service.ctx, removeUntouched);
  await engine.query({
    text: `update import set status = 'applying', line = 0, applied_at = null, claimed_until = $3,
      counts = jsonb_set(jsonb_set(counts, '{Done}', '0'), '{Created}', '0') || '{"UsersCreated": 0}'
      where tenant_id = $1 and import_id = $2`,
    values: [tenant.TenantID, plan.ImportID, new Date(clock.now().getTime() + 60_000)],
  });
  assert.equal(await workNext(own, removeUntouched), false, 'the claim of the dead process still holds');
  clock.advance({ minutes: 2 });
  const applied = await read(tenant, plan);
  assert.deepEqual(
    [applied.Status, applied.Counts.Created, applied.Counts.UsersCreated],
    ['applied', 230, 230],
  );
  assert.equal((await tenant.events()).filter(({ type }) => type === 'user.created').length, 230);
  assert.equal(applied.Rows.length, 200);
  const rest = await tenant.api('GET', `/import/${plan.ImportID}?Limit=200&Cursor=${applied.NextCursor}`);
  assert.deepEqual([rest.body.Rows.length, rest.body.NextCursor], [30, null]);
});

test('another tenant sees nothing of an import, and a key needs its scopes', async () => {
  const [tenant, other] = [await newTenant(service), await newTenant(service)];
  const { ImportID } = await upload(tenant, `LoginID\n${unique('own')}\n`);
  for (const [method, path] of [
    ['GET', ''],
    ['POST', '/apply'],
    ['POST', '/undo'],
  ] as const)
    expectProblem(await other.api(method, `/import/${ImportID}${path}`), 404, 'import_not_found');
  assert.deepEqual((await other.api('GET', '/import')).body.Items, []);
  assert.equal((await tenant.api('GET', '/import')).body.Items[0].ImportID, ImportID);
  expectProblem(await tenant.api('POST', `/import/${ImportID}/undo`), 409, 'import_not_ready');
  const key = { Name: 'people only', Scopes: ['users:read', 'users:write'] };
  const made = await service.api('POST', `/tenant/${tenant.TenantID}/key`, key);
  const send = (file: string) => service.api('POST', '/import?Plan=true', file, made.body.Secret, csv);
  expectProblem(await send(`LoginID,CourseID\na,b\n`), 403, 'scope_missing');
  expectStatus(await send(`LoginID\n${unique('own')}\n`), 201);
});

for (const [what, file, query, param] of [
  ['is empty', '', '', undefined],
  ['has no rows', 'LoginID,FirstName\n', '', undefined],
  ['is a spreadsheet', 'PK\u0003\u0004', '', undefined],
  ['has no known column', 'Colour,Size\nred,1\n', '', 'LoginID'],
  ['names no course', 'LoginID\nann\n', '&Of=enrolments', 'CourseID'],
  ['is for a course that does not exist', 'LoginID\nann\n', '&CourseID=no-such-course', 'CourseID'],
  ['is until a day that does not exist', 'LoginID\nann\n', '&ExpiresAt=2090-02-30', 'ExpiresAt'],
  ['has a column for an unknown field', 'LoginID\nann\n', '&Columns=Colour', 'Columns'],
] as const)
  test(`a file is rejected before anything is stored if it ${what}`, async () => {
    const tenant = await newTenant(service);
    const reply = await tenant.api('POST', `/import?Plan=true${query}`, file, csv);
    expectProblem(reply, 422, 'validation_failed', param);
    assert.deepEqual((await tenant.api('GET', '/import')).body.Items, []);
  });

test('a person is erased from imports, and imports are deleted after 30 days', async () => {
  const tenant = await newTenant(service);
  const LoginID = unique('erased');
  const made = await upload(tenant, `LoginID,FirstName\n${LoginID},Ann\n`, '');
  await read(tenant, made);
  const { body } = await tenant.api('GET', `/user/${LoginID}/export`);
  assert.deepEqual(body.Imports[0].Fields, { LoginID, FirstName: 'Ann' });
  expectStatus(await tenant.api('DELETE', `/user/${LoginID}`), 200);
  const [row]: ImportRow[] = (await read(tenant, made)).Rows;
  assert.deepEqual([row?.LoginID, row?.Outcome], [null, 'created']);
  clock.advance({ days: 31 });
  await deleteOldImports(service.ctx);
  expectProblem(await tenant.api('GET', `/import/${made.ImportID}`), 404, 'import_not_found');
});

test('an existing group is meant exactly, also if another one differs only in case', async () => {
  const tenant = await newTenant(service);
  await tenant.user({ GroupName: 'sales' });
  await tenant.user({ GroupName: 'Sales' });
  const plan = await upload(tenant, `LoginID,GroupName\n${unique('a')},Sales\n${unique('b')},sales\n`);
  assert.deepEqual(codes(await read(tenant, plan)), ['created', 'created']);
});

test('an import is made once for each Idempotency-Key', async () => {
  const tenant = await newTenant(service);
  const send = (file: string) =>
    tenant.api('POST', '/import?Plan=true', file, { ...csv, 'idempotency-key': 'file-1' });
  const file = `LoginID\n${unique('a')}\n`;
  const [first, again] = [await send(file), await send(file)];
  assert.deepEqual([first.status, again.status], [201, 201]);
  assert.equal(again.body.ImportID, first.body.ImportID);
  assert.equal(again.headers.get('idempotency-replayed'), 'true');
  expectProblem(await send('LoginID\nother\n'), 422, 'idempotency_key_reused');
  assert.equal((await tenant.api('GET', '/import')).body.Items.length, 1);
});
