import { packCourse } from '../../../test/journeys/course-packages.ts';
import { exampleStatement } from '../../src/domain/lrs/examples.ts';
import type { Keys } from './fuzz-requests.ts';
import { instants, type Names } from './fuzz-values.ts';
import type { TestService } from './service.ts';
import { signInOperator } from './sign-in.ts';
import { expectStatus, newTenant, type TestTenant, unique } from './tenant.ts';
import { untilMatching } from './until.ts';

const { id, object, verb, actor } = exampleStatement;

const cursors = ['\0', 'x', '|', '2026-01-01T00:00:00Z|x', '\ud800'].map((key) =>
  Buffer.from(JSON.stringify([key])).toString('base64url'),
);

/** A tenant with data of every kind for the requests to find. `renew` replaces data that requests have used up. */
export async function fuzzFixture(service: TestService) {
  const tenant = await newTenant(service);
  const { TenantID } = tenant;
  const reader = (
    await service.api('POST', `/tenant/${TenantID}/key`, { Name: 'reader', Scopes: ['events:read'] })
  ).body;
  await service.api('PUT', '/course/phishing', { Title: 'Phishing' });
  await service.importPackage('phishing', await packCourse('phishing'));
  const keys: Keys = {
    ...{ operator: service.operatorKey, tenant: tenant.key, reader: reader.Secret, TenantID },
    session: await signInOperator(service),
  };
  const names: Record<string, readonly string[]> = {};
  const renew = async () => Object.assign(names, await createRecords(service, tenant));
  await renew();
  return { tenant, keys, names: names as Names, renew };
}

async function createRecords(service: TestService, tenant: TestTenant): Promise<Names> {
  const { TenantID } = tenant;
  const CourseID = 'phishing';
  const restored = { Status: 'active', PasswordHash: 'opaque', ReturnOrigins: null, FrameOrigins: null };
  expectStatus(await service.api('PUT', `/tenant/${TenantID}`, restored), 200);
  // A generated request may have suspended the tenant, and nodes cache the suspension with the key for a few
  // seconds.
  const hooks = await untilMatching(
    () => tenant.api('GET', '/webhook'),
    ({ status }) => status === 200,
  );
  for (const { WebhookID } of hooks.body.Items) await tenant.api('DELETE', `/webhook/${WebhookID}`);
  await service.api('PUT', '/course/phishing', { Title: 'Phishing', Status: 'published', Tenants: null });
  await service.api('PUT', '/course/phishing/option/month', {
    Duration: 'P30D',
    Groups: null,
    Status: 'published',
  });
  await service.api('PUT', '/course/phishing/option/open', {
    StartsOn: 'launch',
    Duration: 'P1D',
    Groups: ['A'],
  });
  const LoginID = await tenant.user({ GroupName: 'A', Password: 'x' });
  const other = await tenant.user();
  const enrolment = (await tenant.api('POST', `/enrol/${LoginID}/phishing/month`)).body;
  const issued = (
    await tenant.api('POST', '/enrolment/key', { CourseIDs: [CourseID], DurationIDs: ['month'], Quantity: 2 })
  ).body;
  const spare = (await service.api('POST', `/tenant/${TenantID}/key`, { Name: 'spare' })).body;
  const hook = (await tenant.api('POST', '/webhook', { URL: 'http://127.0.0.1:9/hook' })).body;
  const events = (await tenant.api('GET', '/events')).body;
  const invited = (await tenant.api('POST', '/invitation', { LoginID })).body;
  const link = new URL(enrolment.LaunchURL ?? 'http://x/');
  return {
    LoginID: [LoginID, other, unique('new user'), 'Ünï/cødé'],
    CourseID: [CourseID, CourseID, 'new course'],
    DurationID: ['month', 'open', 'new option'],
    EnrollID: [enrolment.EnrollID ?? 'x'],
    InvitationID: [invited.InvitationID ?? 'x'],
    Token: [invited.InvitationURL?.split('#')[1] ?? 'x'],
    TenantID: [TenantID, 'new tenant'],
    KeyID: [spare.KeyID],
    Key: [...(issued.Items ?? []).flatMap((item: Record<string, string>) => [item.Key, item.KeyID]), 'x'],
    GroupName: ['A'],
    WebhookID: [hook.WebhookID ?? 'x'],
    EventID: [events.Items[0].EventID],
    Cursor: [events.NextCursor, ...cursors],
    after: [events.NextCursor],
    enrolment: [link.searchParams.get('enrolment') ?? 'x'],
    key: [link.searchParams.get('key') ?? 'x'],
    grant_type: ['client_credentials'],
    client_id: [spare.KeyID],
    client_secret: [spare.Secret],
    ...{ statementId: [id], voidedStatementId: [id], registration: [id], stateId: ['a'], profileId: ['a'] },
    ...{ activityId: [object.id], activity: [object.id], verb: [verb.id], agent: [JSON.stringify(actor)] },
    ...{
      since: [...instants],
      until: [...instants],
      limit: ['0', '1'],
      format: ['ids', 'exact', 'canonical'],
    },
    URL: ['http://127.0.0.1:9/x', 'https://192.0.2.1/x', 'http://[::1]/'],
    Type: ['user.created', 'enrolment.created'],
    Scope: ['users:read'],
  };
}
