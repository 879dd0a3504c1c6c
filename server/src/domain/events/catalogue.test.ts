import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import AjvPackage from 'ajv';
import formatsPackage from 'ajv-formats';
import { play } from '../../../test/support/player.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import { packFolder } from '../../lib/pack-folder.ts';
import { sendReminders } from '../reminders/job.ts';
import { type Event, eventSchema } from './schemas.ts';

const Ajv = AjvPackage.default;
const ajv = formatsPackage.default(new Ajv({ strict: false }));
const courses = join(import.meta.dirname, '../../../../courses');

let service: TestService;
let folder: string;

before(async () => {
  service = await startService();
  folder = await mkdtemp(join(tmpdir(), 'lectern-events-'));
});
after(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

async function packed(): Promise<string> {
  const zip = join(folder, 'phishing.zip');
  await packFolder(join(courses, 'phishing'), zip);
  return zip;
}

async function logOf(tenant: string): Promise<Event[]> {
  const { body } = await service.api('GET', '/events?Limit=200', undefined, undefined, { tenant });
  return body.Items;
}

const remindAt = (time: number) => sendReminders({ ...service.ctx, now: () => new Date(time) });

/** Asserts that the events match their published schemas. */
function assertPublished(events: readonly Event[]): void {
  for (const event of events) {
    const validate = ajv.compile(eventSchema(event.Type));
    assert.ok(
      validate(event),
      `${event.Type}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(event)}`,
    );
  }
}

test('tenants are notified of a release of a course offered to them, unless it is a draft', async () => {
  const { api, importPackage } = service;
  for (const TenantID of ['offered', 'not-offered']) await api('POST', '/tenant', { TenantID });
  const zip = await packed();
  await api('PUT', '/course/told', { Title: 'Told', Status: 'draft', Tenants: ['offered'] });
  assert.ok((await importPackage('told', zip)).status < 300);
  assert.deepEqual(await logOf('offered'), []);
  await api('PUT', '/course/told', { Status: 'published' });
  await api('PUT', '/course/told', { Status: 'published' });
  await importPackage('told', zip);
  const events = await logOf('offered');
  assertPublished(events);
  assert.deepEqual(
    events.map(({ Type, CourseID, Data }) => [Type, CourseID, Data.Release]),
    [
      ['course.released', 'told', 1],
      ['package.imported', 'told', 2],
      ['course.released', 'told', 2],
    ],
  );
  assert.deepEqual(await logOf('not-offered'), []);
});

test('the events of users and enrolments match their published schemas', async () => {
  const { api, enrol, importPackage } = service;
  await importPackage('life', await packed());
  await api('PUT', '/course/life/option/standard', { Duration: 'P30D' });
  const { LoginID, EnrollID, LaunchURL } = await enrol('life');
  const path = `/enrolment/${LoginID}/${EnrollID}`;
  await play(service, LaunchURL);
  await api('POST', `/enrol/${LoginID}/life`, { IfEnrolled: 'extend' });
  await api('PUT', path, { Reference: 'order 1' });
  await api('PUT', '/tenant/test', { Reminders: { Enabled: true } });
  await remindAt(Date.now());
  await api('PUT', path, { ExpiresAt: new Date(Date.now() + 4 * 86_400_000).toISOString() });
  await remindAt(Date.now() + 2 * 86_400_000);
  await api('PUT', path, { Withdrawn: true });
  await api('PUT', path, { Withdrawn: false });
  await api('POST', `/enrol/${LoginID}/life`, { IfEnrolled: 'renew' });
  await api('PUT', `/user/${LoginID}`, { Enabled: false });
  const events = await logOf('test');
  assertPublished(events);
  const types = new Set(events.map(({ Type }) => Type));
  for (const type of [
    'user.created',
    'user.disabled',
    'enrolment.created',
    'enrolment.launched',
    'enrolment.extended',
    'enrolment.updated',
    'enrolment.ending',
    'enrolment.withdrawn',
    'enrolment.renewed',
  ] as const)
    assert.ok(types.has(type), `${type} is missing among ${[...types].join(', ')}`);
});

test('the example of each event has the fields that such events have, and matches its schema', async () => {
  const { body } = await service.api('GET', '/openapi.json');
  const { webhooks } = body as { webhooks: Record<string, { post: { requestBody: { content: Content } } }> };
  type Content = Record<string, { example: Event }>;
  const fieldsOf = ({ LoginID, EnrollID, CourseID }: Event) =>
    [LoginID, EnrollID, CourseID].map((value) => value !== null);
  const examples = Object.values(webhooks).map(
    ({ post }) => post.requestBody.content['application/json']?.example as Event,
  );
  assertPublished(examples);
  for (const tenant of ['test', 'offered'])
    for (const event of await logOf(tenant)) {
      const example = examples.find(({ Type }) => Type === event.Type);
      assert.deepEqual(example && fieldsOf(example), fieldsOf(event), event.Type);
    }
});

test('the event catalogue is in the OpenAPI document', async () => {
  const { body } = await service.api('GET', '/openapi.json');
  assert.equal(body.openapi, '3.1.0');
  const { schema } = body.webhooks['enrolment.created'].post.requestBody.content['application/json'];
  assert.deepEqual(schema, { $ref: '#/components/schemas/EnrolmentCreatedEvent' });
  const { properties } = body.components.schemas.EnrolmentCreatedEvent;
  assert.deepEqual(Object.keys(properties.Data.properties), ['DurationID', 'PathEnrollID', 'Reference']);
});
