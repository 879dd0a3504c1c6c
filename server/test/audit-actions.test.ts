import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import Schema from 'typebox/schema';
import { au, courseStructure } from '../../standards/cmi5/test-support.ts';
import { packCourse } from '../../test/journeys/course-packages.ts';
import { routes } from '../src/app/app.ts';
import { type AuditAction, auditActions, auditCatalogue } from '../src/domain/audit/actions.ts';
import { appendAudit, deployment } from '../src/domain/audit/chain.ts';
import { verifyAudit } from '../src/domain/audit/verify.ts';
import { finishDeletions } from '../src/domain/privacy/delete-tenant.ts';
import { plainBrowser, startProvider } from './support/identity-provider.ts';
import { platformAt } from './support/lti-platform.ts';
import { packFiles } from './support/packages.ts';
import { addWith, challengeOf, newAuthenticator, useHostName } from './support/passkeys.ts';
import { play } from './support/player.ts';
import { startService } from './support/service.ts';
import { browser, ownPage, press, signInOperator, signInUser } from './support/sign-in.ts';
import { expectStatus, newCourse, newTenant, unique } from './support/tenant.ts';
import { startReceiver } from './support/webhooks.ts';

// Performs each audited action once, through the operation that declares it, and checks that it adds exactly
// one entry.

// Nothing listens on this port, because the test only queues emails.
const mail = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'noreply@lectern.example' };
const service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1', ...mail } });
after(service.close);
useHostName(service);
const receiver = await startReceiver();
after(receiver.kill);
const tenant = await newTenant(service, { PasswordHash: 'sha256-hex' });
const { TenantID } = tenant;
const hashOf = (password: string) => createHash('sha256').update(password).digest('hex');

/** Personal data that no entry may contain. */
const personal = { FirstName: 'Wilhelmina', LastName: 'Featherstone', Email: 'w@feather.example' };
const reason = 'her grandmother died';

const openIdProvider = await startProvider([
  callbackOf('a'),
  callbackOf('b'),
  callbackOf('c'),
  callbackOf('d'),
  callbackOf('e'),
]);
after(openIdProvider.close);
const providerIds = ['a', 'b', 'c', 'd', 'e'];

function callbackOf(ProviderID: string): string {
  return `${service.ctx.config.baseUrl}/sso/${TenantID}/callback/${ProviderID}`;
}

const startOf = (ProviderID: string) =>
  `${service.ctx.config.baseUrl}/sso/${TenantID}/start?ProviderID=${ProviderID}`;

async function newProvider(fields: object = {}): Promise<string> {
  const ProviderID = providerIds.shift() ?? '';
  const { issuer: Issuer, clientId: ClientID, clientSecret: ClientSecret } = openIdProvider;
  const body = { Issuer, ClientID, ClientSecret, ...fields };
  expectStatus(await tenant.api('PUT', `/identity-provider/${ProviderID}`, body), 201);
  return ProviderID;
}

type Row = {
  audit_id: string;
  tenant_id: string;
  actor: string;
  actor_id: string | null;
  actor_user_id: string | null;
  address: string | null;
  request_id: string | null;
  target_id: string | null;
  data: Record<string, unknown>;
};

type Done = {
  /** The name of the operation; null if the action is not part of the API. */
  by: string | null;
  /** The tenant whose trail contains the entry; by default the test's tenant. */
  of?: string;
  actor?: string;
  /** The expected target; not checked if `undefined`. */
  target?: string | null;
  data?: object;
  address?: string | null;
};

const user = (fields: object = {}) => tenant.user({ ...personal, ...fields });
const userIdOf = async (LoginID: string) => {
  const row = await service.ctx.db
    .selectFrom('user')
    .select('user_id')
    .where('tenant_id', '=', TenantID)
    .where('login_id', '=', LoginID)
    .executeTakeFirstOrThrow();
  return row.user_id;
};
const administratorPage = async () => {
  const LoginID = await user({ IsAdmin: true });
  return { LoginID, page: browser(service, await signInUser(service, tenant, LoginID)) };
};
let platforms = 0;
const newPlatform = async () => {
  const { body } = await tenant.api(
    'POST',
    '/platform',
    platformAt('http://127.0.0.1:9', String(++platforms)),
  );
  return body.PlatformID;
};
const newTool = async () => {
  const [LoginURL, TargetLinkURI] = ['https://tool.example.com/login', 'https://tool.example.com/launch'];
  const CourseID = unique('tool');
  const JWKSURL = 'http://127.0.0.1:9/jwks';
  expectStatus(
    await tenant.api('PUT', `/course/${CourseID}/tool`, { LoginURL, TargetLinkURI, JWKSURL }),
    201,
  );
  return CourseID;
};
const newDispatch = async () => {
  const dispatch = { CourseID: await newCourse(service), DurationID: 'standard', Standard: 'scorm12' };
  const { body } = await tenant.api('POST', '/dispatch', dispatch);
  return body.DispatchID;
};
const enrolled = async () => {
  const LoginID = await user();
  const { body } = await tenant.api('POST', `/enrol/${LoginID}/${await newCourse(service)}`);
  return { path: `/enrolment/${LoginID}/${body.EnrollID}`, target: body.EnrollID };
};
const certified = async () => {
  const CourseID = await newCourse(service, { Certificate: { On: 'passed' } });
  const LoginID = await user();
  const { body } = await tenant.api('POST', `/enrol/${LoginID}/${CourseID}`);
  const path = `/enrolment/${LoginID}/${body.EnrollID}`;
  await changed(path, { Override: { Success: 'passed', Reason: 'x' } });
  return (await tenant.api('GET', `${path}/certificate`)).body.Number;
};
const changed = async (path: string, body: object) => expectStatus(await tenant.api('PUT', path, body), 200);
/** A requirement for one user that does not exist yet. */
const required = async () => {
  const [LoginID, CourseID, target] = [await user(), await newCourse(service), unique('requirement')];
  const Audience = { LoginIDs: [LoginID] };
  const put = async (fields: object) => {
    const body = { Title: 'x', CourseIDs: [CourseID], Audience, DueAfter: 'P1D', ...fields };
    const { status } = await tenant.api('PUT', `/requirement/${target}`, body);
    assert.ok(status === 201 || status === 200);
  };
  return { LoginID, CourseID, put, target };
};
const exempted = async () => {
  const { LoginID, put, target } = await required();
  await put({});
  const path = `/obligation/${LoginID}/${target}`;
  const exempt = (Exempt: boolean) => changed(path, Exempt ? { Exempt, Reason: reason } : { Exempt });
  const [row] = (await tenant.api('GET', `/obligation/${LoginID}`)).body.Items;
  return { exempt, target: row.RequirementID };
};
/** An import that changes nothing. */
const planned = async () => {
  const LoginID = await user();
  const made = await tenant.api('POST', '/import?Plan=true', `LoginID\n${LoginID}\n`, {
    'content-type': 'text/csv',
  });
  expectStatus(made, 201);
  return made.body;
};
const endpoint = async () => {
  const made = await tenant.api('POST', '/webhook', { URL: receiver.url, Description: 'x' });
  expectStatus(made, 201);
  return { path: `/webhook/${made.body.WebhookID}`, target: made.body.WebhookID };
};
const scheduled = async () => {
  const made = await tenant.api('POST', '/report/schedule', {
    ...{ Name: 'x', Report: 'completion', Delivery: 'webhook' },
    ...{ Every: 'day', Time: '07:00', TimeZone: 'UTC' },
  });
  expectStatus(made, 201);
  return { path: `/report/schedule/${made.body.ScheduleID}`, target: made.body.ScheduleID };
};
type Counted = { Data: string; Records: number };
const suspended = async () => {
  const id = unique('suspended');
  expectStatus(await service.api('POST', '/tenant', { TenantID: id }), 201);
  expectStatus(await service.api('PUT', `/tenant/${id}`, { Status: 'suspended' }), 200);
  return id;
};
/**
 * A context whose clock is one minute ahead. By then, every node has dropped a deleted tenant from its cache.
 */
const later = { ...service.ctx, now: () => new Date(service.ctx.now().getTime() + 60_000) };
const byOperator = { of: deployment, actor: 'operator_key' };

/**
 * Each function prepares its action, calls `recordEnd` to note the end of the trail, and then performs the
 * action.
 */
const acts: Record<AuditAction, (recordEnd: () => Promise<void>) => Promise<Done>> = {
  'tenant.created': async (recordEnd) => {
    await recordEnd();
    const id = unique('made');
    expectStatus(await service.api('POST', '/tenant', { TenantID: id }), 201);
    return { by: 'createTenant', of: id, actor: 'operator_key', target: id };
  },
  'tenant.changed': async (recordEnd) => {
    await recordEnd();
    expectStatus(await service.api('PUT', `/tenant/${TenantID}`, { Name: 'Renamed' }), 200);
    return { by: 'updateTenant', actor: 'operator_key', target: TenantID, data: { Changed: ['Name'] } };
  },
  'branding.changed': async (recordEnd) => {
    await recordEnd();
    for (const _ of [1, 2]) expectStatus(await tenant.api('PUT', '/branding', { Colour: '#0057b8' }), 200);
    const data = { Changed: ['Colour'] };
    return { by: 'changeBranding', actor: 'key', target: TenantID, data };
  },
  'tenant.suspended': async (recordEnd) => {
    await recordEnd();
    for (const _ of [1, 2])
      expectStatus(await service.api('PUT', `/tenant/${TenantID}`, { Status: 'suspended' }), 200);
    return { by: 'updateTenant', actor: 'operator_key', target: TenantID };
  },
  'tenant.resumed': async (recordEnd) => {
    await recordEnd();
    for (const _ of [1, 2])
      expectStatus(await service.api('PUT', `/tenant/${TenantID}`, { Status: 'active' }), 200);
    return { by: 'updateTenant', actor: 'operator_key', target: TenantID };
  },
  'tenant.clock_moved': async (recordEnd) => {
    const sandbox = await newTenant(service, { Status: 'test' });
    await recordEnd();
    const target = sandbox.TenantID;
    const asTenant = { tenant: target };
    const moved = await service.api('POST', '/test/clock', { Advance: 'P1D' }, undefined, asTenant);
    const data = { To: moved.body.Now };
    return { by: 'moveClock', of: target, actor: 'operator_key', target, data };
  },
  'tenant.exported': async (recordEnd) => {
    await recordEnd();
    expectStatus(await service.api('GET', `/tenant/${TenantID}/export`), 200);
    return { ...byOperator, by: 'exportTenant', target: TenantID };
  },
  'tenant.deleted': async (recordEnd) => {
    const id = await suspended();
    await recordEnd();
    const { body } = await service.api('DELETE', `/tenant/${id}`);
    expectStatus(await service.api('DELETE', `/tenant/${id}`), 200);
    const Deleted = body.Deleted.map(({ Data, Records }: Counted) => ({ Data, Records }));
    return { ...byOperator, by: 'deleteTenant', target: id, data: { ReceiptID: body.ReceiptID, Deleted } };
  },
  'tenant.deletion_finished': async (recordEnd) => {
    await finishDeletions(later);
    const id = await suspended();
    expectStatus(await service.api('DELETE', `/tenant/${id}`), 200);
    await recordEnd();
    for (const _ of [1, 2]) await finishDeletions(later);
    return { by: null, of: deployment, actor: 'service', target: id };
  },
  'key.created': async (recordEnd) => {
    await recordEnd();
    const wanted = { Name: 'reports', Scopes: ['audit:read'] };
    const { body } = await service.api('POST', `/tenant/${TenantID}/key`, wanted);
    const data = { Scopes: ['audit:read'], ExpiresAt: null };
    return { by: 'createKey', actor: 'operator_key', target: body.KeyID, data };
  },
  'key.revoked': async (recordEnd) => {
    const { body } = await service.api('POST', `/tenant/${TenantID}/key`, { Name: 'old' });
    await recordEnd();
    const revoke = () => service.api('DELETE', `/tenant/${TenantID}/key/${body.KeyID}`);
    for (const _ of [1, 2]) expectStatus(await revoke(), 200);
    return { by: 'revokeKey', actor: 'operator_key', target: body.KeyID };
  },
  'administrator.created': async (recordEnd) => {
    await recordEnd();
    const LoginID = await user({ IsAdmin: true });
    await user();
    return { by: 'createUser', target: await userIdOf(LoginID) };
  },
  'user.access_changed': async (recordEnd) => {
    const LoginID = await user();
    await recordEnd();
    await changed(`/user/${LoginID}`, { IsAdmin: true, Enabled: false, Password: hashOf('new') });
    await changed(`/user/${LoginID}`, { FirstName: 'Willa' });
    const data = { IsAdmin: true, Enabled: false, Password: true };
    return { by: 'updateUser', target: await userIdOf(LoginID), data };
  },
  'user.erased': async (recordEnd) => {
    const LoginID = await user();
    await recordEnd();
    const { body } = await tenant.api('DELETE', `/user/${LoginID}`);
    await tenant.api('DELETE', `/user/${LoginID}`);
    return { by: 'eraseUser', target: body.ReceiptID };
  },
  'hold.placed': async (recordEnd) => {
    const LoginID = await user();
    await recordEnd();
    for (const _ of [1, 2]) await tenant.api('PUT', `/user/${LoginID}/hold/case-1`, { Reason: 'Litigation' });
    return { by: 'placeLegalHold', target: await userIdOf(LoginID), data: { HoldID: 'case-1' } };
  },
  'hold.released': async (recordEnd) => {
    const LoginID = await user();
    expectStatus(await tenant.api('PUT', `/user/${LoginID}/hold/case-1`, { Reason: 'Litigation' }), 201);
    await recordEnd();
    for (const _ of [1, 2]) await tenant.api('DELETE', `/user/${LoginID}/hold/case-1`);
    return { by: 'releaseLegalHold', target: await userIdOf(LoginID), data: { HoldID: 'case-1' } };
  },
  'user.exported': async (recordEnd) => {
    const LoginID = await user();
    await recordEnd();
    expectStatus(await tenant.api('GET', `/user/${LoginID}/export`), 200);
    return { by: 'exportUser', target: await userIdOf(LoginID) };
  },
  'passkey.added': async (recordEnd) => {
    const { LoginID, page } = await administratorPage();
    const challenge = await challengeOf(page, 'add');
    await recordEnd();
    expectStatus(await page('POST', '/session/passkey', newAuthenticator(service).create(challenge)), 201);
    return { by: 'addPasskey', actor: 'administrator', target: await userIdOf(LoginID) };
  },
  'passkey.renamed': async (recordEnd) => {
    const { LoginID, page } = await administratorPage();
    const added = await addWith(service, page, newAuthenticator(service));
    await recordEnd();
    const path = `/session/passkey/${added.PasskeyID}`;
    expectStatus(await added.page('PUT', path, { Name: 'Featherstone' }), 200);
    return { by: 'renamePasskey', actor: 'administrator', target: await userIdOf(LoginID) };
  },
  'passkey.removed': async (recordEnd) => {
    const { LoginID, page } = await administratorPage();
    await addWith(service, page, newAuthenticator(service));
    await recordEnd();
    for (const _ of [1, 2]) expectStatus(await tenant.api('DELETE', `/user/${LoginID}/passkey`), 204);
    return { by: 'removeUserPasskeys', target: await userIdOf(LoginID), data: { Passkeys: 1 } };
  },
  'provisioning.changed': async (recordEnd) => {
    await recordEnd();
    expectStatus(await tenant.api('PUT', '/provisioning', { GuardPercent: 20 }), 200);
    return { by: 'changeProvisioning', target: TenantID, data: { Changed: ['GuardPercent'] } };
  },
  'provisioning.stopped': async (recordEnd) => {
    expectStatus(await tenant.api('PUT', '/provisioning', { GuardPercent: 1 }), 200);
    const { Resources } = (await tenant.api('GET', '/scim/v2/Users?filter=active%20eq%20true')).body;
    const ids = Resources.slice(0, 4).map(({ id }: { id: string }) => id);
    const last = ids.pop();
    const off = { Operations: [{ op: 'replace', path: 'active', value: false }] };
    for (const id of ids) expectStatus(await tenant.api('PATCH', `/scim/v2/Users/${id}`, off), 200);
    await recordEnd();
    expectStatus(await tenant.api('PATCH', `/scim/v2/Users/${last}`, off), 403);
    return { by: null, actor: 'service', target: TenantID };
  },
  'provisioning.confirmed': async (recordEnd) => {
    await recordEnd();
    const { ConfirmedUntil } = (await tenant.api('POST', '/provisioning/confirm')).body;
    return { by: 'confirmDisabling', target: TenantID, data: { Until: ConfirmedUntil } };
  },
  'platform.invited': async (recordEnd) => {
    await recordEnd();
    expectStatus(await tenant.api('POST', '/platform/registration'), 200);
    return { by: 'createPlatformRegistration', actor: 'key', target: TenantID };
  },
  'platform.created': async (recordEnd) => {
    await recordEnd();
    return { by: 'createPlatform', actor: 'key', target: await newPlatform() };
  },
  'platform.changed': async (recordEnd) => {
    const target = await newPlatform();
    await recordEnd();
    for (const _ of [1, 2])
      expectStatus(await tenant.api('PUT', `/platform/${target}`, { Name: 'Acme' }), 200);
    return { by: 'updatePlatform', actor: 'key', target, data: { Changed: ['Name'] } };
  },
  'platform.deleted': async (recordEnd) => {
    const target = await newPlatform();
    await recordEnd();
    expectStatus(await tenant.api('DELETE', `/platform/${target}`), 200);
    return { by: 'deletePlatform', actor: 'key', target };
  },
  'tool.created': async (recordEnd) => {
    await recordEnd();
    return { by: 'putTool', actor: 'key', target: await newTool() };
  },
  'tool.changed': async (recordEnd) => {
    const target = await newTool();
    await recordEnd();
    for (const _ of [1, 2])
      expectStatus(await tenant.api('PUT', `/course/${target}/tool`, { OwnWindow: true }), 200);
    return { by: 'putTool', actor: 'key', target, data: { Changed: ['OwnWindow'] } };
  },
  'tool.deleted': async (recordEnd) => {
    const target = await newTool();
    await recordEnd();
    expectStatus(await tenant.api('DELETE', `/course/${target}/tool`), 204);
    return { by: 'deleteTool', actor: 'key', target };
  },
  'dispatch.created': async (recordEnd) => {
    await recordEnd();
    return { by: 'createDispatch', actor: 'key', target: await newDispatch() };
  },
  'dispatch.changed': async (recordEnd) => {
    const target = await newDispatch();
    await recordEnd();
    for (const _ of [1, 2])
      expectStatus(await tenant.api('PUT', `/dispatch/${target}`, { Enabled: false }), 200);
    return { by: 'updateDispatch', actor: 'key', target, data: { Changed: ['Enabled'] } };
  },
  'dispatch.deleted': async (recordEnd) => {
    const target = await newDispatch();
    await recordEnd();
    expectStatus(await tenant.api('DELETE', `/dispatch/${target}`), 200);
    return { by: 'deleteDispatch', actor: 'key', target };
  },
  'identity_provider.created': async (recordEnd) => {
    await recordEnd();
    const ProviderID = await newProvider();
    return { by: 'putIdentityProvider', target: ProviderID };
  },
  'identity_provider.changed': async (recordEnd) => {
    const ProviderID = await newProvider();
    await recordEnd();
    expectStatus(await tenant.api('PUT', `/identity-provider/${ProviderID}`, { Name: 'Acme' }), 200);
    return { by: 'putIdentityProvider', target: ProviderID, data: { Changed: ['Name'] } };
  },
  'identity_provider.deleted': async (recordEnd) => {
    const ProviderID = await newProvider();
    await recordEnd();
    expectStatus(await tenant.api('DELETE', `/identity-provider/${ProviderID}`), 200);
    return { by: 'deleteIdentityProvider', target: ProviderID };
  },
  'identity.linked': async (recordEnd) => {
    const ProviderID = await newProvider({ LinkBy: 'LoginID' });
    const LoginID = await user();
    await recordEnd();
    await plainBrowser().signIn(startOf(ProviderID), LoginID, /\/console\/$/);
    return { by: 'finishSignIn', actor: 'anyone', target: await userIdOf(LoginID), data: { ProviderID } };
  },
  'identity.unlinked': async (recordEnd) => {
    const ProviderID = await newProvider({ LinkBy: 'LoginID' });
    const LoginID = await user();
    await plainBrowser().signIn(startOf(ProviderID), LoginID, /\/console\/$/);
    await recordEnd();
    expectStatus(await tenant.api('DELETE', `/identity-provider/${ProviderID}/user/${LoginID}`), 204);
    return { by: 'unlinkUser', target: await userIdOf(LoginID), data: { ProviderID } };
  },
  'sign_in_link.created': async (recordEnd) => {
    const LoginID = await user();
    await recordEnd();
    expectStatus(await tenant.api('POST', `/user/session/${LoginID}`), 201);
    return { by: 'createSignInLink', target: await userIdOf(LoginID) };
  },
  'invitation.created': async (recordEnd) => {
    const LoginID = await user();
    await recordEnd();
    expectStatus(await tenant.api('POST', '/invitation', { LoginID }), 201);
    return { by: 'createInvitation', target: await userIdOf(LoginID) };
  },
  'invitation.revoked': async (recordEnd) => {
    const LoginID = await user();
    expectStatus(await tenant.api('POST', '/invitation', { LoginID }), 201);
    await recordEnd();
    for (const _ of [1, 2]) expectStatus(await tenant.api('DELETE', `/invitation/${LoginID}`), 200);
    return { by: 'revokeInvitation', target: await userIdOf(LoginID) };
  },
  'invitation_link.created': async (recordEnd) => {
    const LoginID = await user();
    const { InvitationID } = (await tenant.api('POST', '/invitation', { LoginID })).body;
    await recordEnd();
    expectStatus(await tenant.api('POST', `/invitation/${LoginID}/${InvitationID}/link`), 201);
    return { by: 'createInvitationLink', target: await userIdOf(LoginID) };
  },
  'mail.test_requested': async (recordEnd) => {
    const LoginID = await user();
    await recordEnd();
    // The first email is still waiting, so the second call queues none.
    for (const _ of [1, 2]) expectStatus(await tenant.api('POST', '/mail/test', { LoginID }), 201);
    return { by: 'sendTestMail', target: await userIdOf(LoginID) };
  },
  'mail.bounced': async (recordEnd) => {
    const EmailAddress = 'wilhelmina@feather.example';
    const LoginID = await user({ Email: EmailAddress });
    await recordEnd();
    const report = { EmailAddress, Kind: 'permanent', Reason: `${personal.LastName} has left` };
    for (const _ of [1, 2]) expectStatus(await tenant.api('POST', '/mail/bounce', report), 200);
    return { by: 'reportBounce', target: await userIdOf(LoginID), data: { Kind: 'permanent' } };
  },
  'mail.bounce_cleared': async (recordEnd) => {
    const EmailAddress = 'mina@feather.example';
    const LoginID = await user({ Email: EmailAddress });
    expectStatus(await tenant.api('POST', '/mail/bounce', { EmailAddress, Kind: 'permanent' }), 200);
    await recordEnd();
    for (const _ of [1, 2]) expectStatus(await tenant.api('DELETE', `/user/${LoginID}/bounce`), 204);
    return { by: 'clearBounce', target: await userIdOf(LoginID) };
  },
  'password_reset.requested': async (recordEnd) => {
    const LoginID = await user({ Password: hashOf('right') });
    await recordEnd();
    expectStatus(await service.api('POST', '/session/reset', { TenantID, LoginID }, '', ownPage), 204);
    return { by: 'forgetPassword', actor: 'anyone', target: await userIdOf(LoginID) };
  },
  'sign_in.succeeded': async (recordEnd) => {
    const LoginID = await user({ IsAdmin: true, Password: hashOf('right') });
    await recordEnd();
    const Password = hashOf('right');
    expectStatus(await service.api('POST', '/session', { TenantID, LoginID, Password }, '', ownPage), 200);
    const target = await userIdOf(LoginID);
    return { by: 'signInWithPassword', actor: 'administrator', target, data: { Method: 'password' } };
  },
  'sign_in.failed': async (recordEnd) => {
    await recordEnd();
    const body = { TenantID, LoginID: 'Wilhelmina', Password: hashOf('wrong') };
    expectStatus(await service.api('POST', '/session', body, '', ownPage), 401);
    return { by: 'signInWithPassword', actor: 'anyone', target: null, data: { Method: 'password' } };
  },
  'operator.signed_in': async (recordEnd) => {
    await recordEnd();
    await signInOperator(service);
    return { by: 'signIn', of: deployment, actor: 'operator', target: null };
  },
  'sessions.ended': async (recordEnd) => {
    const LoginID = await user();
    const cookie = await signInUser(service, tenant, LoginID);
    await recordEnd();
    expectStatus(await browser(service, cookie)('DELETE', '/session?Everywhere=true'), 204);
    // Learners' addresses are not stored, because they could not be erased.
    return { by: 'signOut', actor: 'learner', target: await userIdOf(LoginID), address: null };
  },
  'enrolment.overridden': async (recordEnd) => {
    const { path, target } = await enrolled();
    await recordEnd();
    await changed(path, { Override: { Success: 'passed', Score: 70, Reason: reason } });
    return { by: 'updateEnrolment', target, data: { Success: 'passed', Score: 70 } };
  },
  'enrolment.unit_waived': async (recordEnd) => {
    const [LoginID, CourseID] = [await user(), unique('cmi5')];
    const files = { 'cmi5.xml': courseStructure(au({ attributes: 'moveOn="Passed"' })), 'index.html': '' };
    expectStatus(await service.importPackage(CourseID, await packFiles(files)), 201);
    await service.api('PUT', `/course/${CourseID}/option/open`, {});
    const { EnrollID, LaunchURL } = (await tenant.api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
    await play(service, LaunchURL);
    await recordEnd();
    const UnitID = 'https://example.com/au';
    for (const _ of [1, 2])
      await tenant.api('POST', `/enrolment/${LoginID}/${EnrollID}/waive`, { UnitID, Reason: reason });
    return { by: 'waiveUnit', target: EnrollID, data: { UnitID } };
  },
  'enrolment.withdrawn': async (recordEnd) => {
    const { path, target } = await enrolled();
    await recordEnd();
    for (const _ of [1, 2]) await changed(path, { Withdrawn: true });
    return { by: 'updateEnrolment', target };
  },
  'enrolment.reinstated': async (recordEnd) => {
    const { path, target } = await enrolled();
    await changed(path, { Withdrawn: true });
    await recordEnd();
    await changed(path, { Withdrawn: false });
    return { by: 'updateEnrolment', target };
  },
  'enrolment.end_changed': async (recordEnd) => {
    const { path, target } = await enrolled();
    await recordEnd();
    const To = '2050-01-01T00:00:00.000Z';
    await changed(path, { ExpiresAt: To });
    return { by: 'updateEnrolment', target, data: { From: null, To } };
  },
  'enrolment.reset': async (recordEnd) => {
    const { path, target } = await enrolled();
    const { LaunchURL } = (await tenant.api('GET', path)).body;
    await play(service, LaunchURL);
    await recordEnd();
    for (const _ of [1, 2]) expectStatus(await tenant.api('POST', `${path}/reset`, { Reason: reason }), 200);
    return { by: 'resetEnrolment', target, data: { Attempt: 2 } };
  },
  'enrolment.details_changed': async (recordEnd) => {
    const { path, target } = await enrolled();
    await recordEnd();
    await changed(path, { Reference: personal.Email });
    return { by: 'updateEnrolment', target, data: { Changed: ['Reference'] } };
  },
  'certificate_template.changed': async (recordEnd) => {
    const CourseID = await newCourse(service);
    await recordEnd();
    const address = `/certificate/template/${CourseID}`;
    for (const _ of [1, 2]) expectStatus(await tenant.api('PUT', address, { Layout: 'modern' }), 200);
    const Changed = [
      'On',
      'ValidFor',
      'ValidTo',
      'Title',
      'Text',
      'Layout',
      'PaperSize',
      'Signatures',
      'Serial',
    ];
    return { by: 'putCertificateTemplate', actor: 'key', target: CourseID, data: { Changed } };
  },
  'certificate_template.deleted': async (recordEnd) => {
    const CourseID = await newCourse(service);
    const address = `/certificate/template/${CourseID}`;
    expectStatus(await tenant.api('PUT', address, {}), 200);
    await recordEnd();
    expectStatus(await tenant.api('DELETE', address), 204);
    return { by: 'deleteCertificateTemplate', actor: 'key', target: CourseID };
  },
  'certificate.revoked': async (recordEnd) => {
    const target = await certified();
    await recordEnd();
    for (const _ of [1, 2])
      expectStatus(await tenant.api('POST', `/certificate/${target}/revoke`, { Reason: 'x' }), 200);
    return { by: 'revokeCertificate', actor: 'key', target };
  },
  'certificate.reissued': async (recordEnd) => {
    const target = await certified();
    await recordEnd();
    const { body } = await tenant.api('POST', `/certificate/${target}/reissue`, { Reason: 'x' });
    return { by: 'reissueCertificate', actor: 'key', target, data: { Number: body.Number } };
  },
  'certificate.offered': async (recordEnd) => {
    const target = await certified();
    const { body } = await tenant.api('GET', `/certificate/${target}`);
    await recordEnd();
    const path = `/enrolment/${body.LoginID}/${body.EnrollID}/certificate/offer`;
    expectStatus(await tenant.api('POST', path), 201);
    return { by: 'offerCertificate', actor: 'key', target };
  },
  'certificate.issued_earlier': async (recordEnd) => {
    const CourseID = await newCourse(service);
    const { body } = await tenant.api('POST', `/enrol/${await user()}/${CourseID}`);
    await changed(`/enrolment/${body.LoginID}/${body.EnrollID}`, {
      Override: { Success: 'passed', Reason: 'x' },
    });
    expectStatus(await tenant.api('PUT', `/certificate/template/${CourseID}`, {}), 200);
    await recordEnd();
    for (const _ of [1, 2])
      expectStatus(await tenant.api('POST', `/certificate/template/${CourseID}/issue`), 200);
    return { by: 'issueEarlierCertificates', actor: 'key', target: CourseID, data: { Certificates: 1 } };
  },
  'evidence.exported': async (recordEnd) => {
    await recordEnd();
    const AsOf = service.ctx.now().toISOString().slice(0, 10);
    expectStatus(await tenant.api('GET', '/evidence'), 200);
    return { by: 'exportEvidence', actor: 'key', target: tenant.TenantID, data: { AsOf } };
  },
  'certificate_key.rotated': async (recordEnd) => {
    await recordEnd();
    const { body } = await tenant.api('POST', '/certificate/key');
    const { SignsFrom } = body;
    return { by: 'rotateCertificateKeys', actor: 'key', target: tenant.TenantID, data: { SignsFrom } };
  },
  'enrolment_key.issued': async (recordEnd) => {
    const CourseIDs = [await newCourse(service)];
    await recordEnd();
    const wanted = { CourseIDs, DurationIDs: ['standard'], PurchaseOrder: personal.Email, Quantity: 2 };
    const { body } = await tenant.api('POST', '/enrolment/key', wanted);
    const KeyIDs = body.Items.map(({ KeyID }: { KeyID: string }) => KeyID);
    return { by: 'issueEnrolmentKeys', target: null, data: { KeyIDs, CourseIDs } };
  },
  'enrolment_key.revoked': async (recordEnd) => {
    const wanted = { CourseIDs: [await newCourse(service)], DurationIDs: ['standard'] };
    const { KeyID } = (await tenant.api('POST', '/enrolment/key', wanted)).body.Items[0];
    await recordEnd();
    for (const _ of [1, 2]) expectStatus(await tenant.api('DELETE', `/enrolment/key/${KeyID}`), 200);
    return { by: 'revokeEnrolmentKey', target: KeyID };
  },
  'completion.recorded': async (recordEnd) => {
    const LoginID = await user();
    await recordEnd();
    const sent = { LoginID, Title: reason, CompletedAt: '2020-01-01', Reference: unique('paper') };
    const made = await tenant.api('POST', '/completion', sent);
    expectStatus(await tenant.api('POST', '/completion', sent), 200);
    return { by: 'recordCompletion', target: made.body.CompletionID };
  },
  'completion.deleted': async (recordEnd) => {
    const sent = { LoginID: await user(), Title: reason, CompletedAt: '2020-01-01' };
    const { CompletionID } = (await tenant.api('POST', '/completion', sent)).body;
    await recordEnd();
    for (const _ of [1, 2])
      expectStatus(await tenant.api('DELETE', `/completion/${CompletionID}?Reason=${reason}`), 200);
    return { by: 'deleteCompletion', target: CompletionID };
  },
  'requirement.created': async (recordEnd) => {
    const { put, target } = await required();
    await recordEnd();
    await put({});
    return { by: 'putRequirement', target };
  },
  'requirement.changed': async (recordEnd) => {
    const { put, target } = await required();
    await put({});
    await recordEnd();
    for (const _ of [1, 2]) await put({ Title: personal.Email });
    return { by: 'putRequirement', target, data: { Changed: ['Title'] } };
  },
  'reminders.requested': async (recordEnd) => {
    const { LoginID, put } = await required();
    await changed(`/user/${LoginID}`, { Email: personal.Email });
    await put({});
    await recordEnd();
    for (const _ of [1, 2]) expectStatus(await tenant.api('POST', '/remind', { LoginIDs: [LoginID] }), 200);
    return { by: 'remind', target: TenantID, data: { People: 1 } };
  },
  'reminder_text.changed': async (recordEnd) => {
    await recordEnd();
    for (const _ of [1, 2]) await changed('/reminder/text/fr', { Subject: reason });
    return { by: 'changeReminderText', target: TenantID, data: { Language: 'fr' } };
  },
  'requirement.release_voided': async (recordEnd) => {
    const { put, target, CourseID } = await required();
    await put({});
    expectStatus(await service.importPackage(CourseID, await packCourse('phishing')), 201);
    await recordEnd();
    const body = { Release: 1, Before: '2020-01-01' };
    for (const _ of [1, 2]) expectStatus(await tenant.api('POST', `/requirement/${target}/void`, body), 200);
    const data = { CourseID, Release: 1, Before: '2020-01-01T00:00:00.000Z' };
    return { by: 'voidRelease', target, data };
  },
  'obligation.exempted': async (recordEnd) => {
    const { exempt, target } = await exempted();
    await recordEnd();
    for (const _ of [1, 2]) await exempt(true);
    return { by: 'exemptUser', data: { RequirementID: target } };
  },
  'obligation.exemption_ended': async (recordEnd) => {
    const { exempt, target } = await exempted();
    await exempt(true);
    await recordEnd();
    for (const _ of [1, 2]) await exempt(false);
    return { by: 'exemptUser', data: { RequirementID: target } };
  },
  'import.applied': async (recordEnd) => {
    const { ImportID } = await planned();
    await recordEnd();
    for (const _ of [1, 2]) expectStatus(await tenant.api('POST', `/import/${ImportID}/apply`, {}), 200);
    return { by: 'applyImport', target: ImportID, data: { Rows: 1 } };
  },
  'import.undone': async (recordEnd) => {
    const { ImportID } = await planned();
    expectStatus(await tenant.api('POST', `/import/${ImportID}/apply`, {}), 200);
    await recordEnd();
    for (const _ of [1, 2]) expectStatus(await tenant.api('POST', `/import/${ImportID}/undo`), 200);
    return { by: 'undoImport', target: ImportID };
  },
  'webhook.created': async (recordEnd) => {
    await recordEnd();
    const { target } = await endpoint();
    return { by: 'createWebhook', target };
  },
  'webhook.changed': async (recordEnd) => {
    const { path, target } = await endpoint();
    await recordEnd();
    await changed(path, { Status: 'disabled', Description: 'y' });
    return { by: 'updateWebhook', target, data: { Changed: ['Description', 'Status'] } };
  },
  'webhook.secret_rotated': async (recordEnd) => {
    const { path, target } = await endpoint();
    await recordEnd();
    expectStatus(await tenant.api('POST', `${path}/rotate`), 200);
    return { by: 'rotateWebhookSecret', target };
  },
  'webhook.deleted': async (recordEnd) => {
    const { path, target } = await endpoint();
    await recordEnd();
    expectStatus(await tenant.api('DELETE', path), 200);
    return { by: 'deleteWebhook', target };
  },
  'webhook.replayed': async (recordEnd) => {
    const { path, target } = await endpoint();
    await recordEnd();
    expectStatus(await tenant.api('POST', `${path}/replay`, { From: '2100-01-01T00:00:00Z' }), 200);
    return { by: 'replayEvents', target, data: { Deliveries: 0 } };
  },
  'report_schedule.created': async (recordEnd) => {
    await recordEnd();
    const { target } = await scheduled();
    return { by: 'createReportSchedule', target, data: { Recipients: 0 } };
  },
  'report_schedule.changed': async (recordEnd) => {
    const { path, target } = await scheduled();
    await recordEnd();
    for (const _ of [1, 2]) await changed(path, { Name: 'y', Status: 'paused' });
    return { by: 'updateReportSchedule', target, data: { Changed: ['Name', 'Status'] } };
  },
  'report_schedule.run_requested': async (recordEnd) => {
    const { path, target } = await scheduled();
    await recordEnd();
    expectStatus(await tenant.api('POST', `${path}/run`), 200);
    return { by: 'runReportSchedule', target };
  },
  'report_schedule.deleted': async (recordEnd) => {
    const { path, target } = await scheduled();
    await recordEnd();
    expectStatus(await tenant.api('DELETE', path), 200);
    return { by: 'deleteReportSchedule', target };
  },
  'course.created': async (recordEnd) => {
    await recordEnd();
    const target = unique('course');
    expectStatus(await service.api('PUT', `/course/${target}`, { Title: 'x' }), 201);
    return { by: 'putCourse', ...byOperator, target };
  },
  'course.changed': async (recordEnd) => {
    const target = await newCourse(service);
    await recordEnd();
    const change = { Status: 'retired', ImageURL: 'https://web.example/x.png', Title: target };
    expectStatus(await service.api('PUT', `/course/${target}`, change), 200);
    const data = { Changed: ['Status', 'ImageURL'], Status: 'retired' };
    return { by: 'putCourse', ...byOperator, target, data };
  },
  'course.deleted': async (recordEnd) => {
    const target = await newCourse(service);
    await recordEnd();
    expectStatus(await service.api('DELETE', `/course/${target}`), 204);
    return { by: 'deleteCourse', ...byOperator, target };
  },
  'release.imported': async (recordEnd) => {
    const target = await newCourse(service, { URL: null });
    const zip = await packCourse('phishing');
    await recordEnd();
    const response = await fetch(`${service.baseUrl}/course/${target}/package`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${service.operatorKey}`, 'content-type': 'application/zip' },
      body: createReadStream(zip) as unknown as BodyInit,
      duplex: 'half',
    } as RequestInit);
    const { SHA256 } = (await response.json()) as { SHA256: string };
    return { by: 'importPackage', ...byOperator, target, data: { Release: 1, SHA256, Current: true } };
  },
  'release.made_current': async (recordEnd) => {
    const target = await newCourse(service, { URL: null });
    for (const _ of [1, 2]) await service.importPackage(target, await packCourse('phishing'));
    await recordEnd();
    const release = `/course/${target}/release/1`;
    for (const _ of [1, 2]) expectStatus(await service.api('PUT', release, { Current: true }), 200);
    return { by: 'putRelease', ...byOperator, target, data: { Release: 1 } };
  },
  'option.created': async (recordEnd) => {
    const target = await newCourse(service);
    await recordEnd();
    expectStatus(await service.api('PUT', `/course/${target}/option/long`, {}), 201);
    return { by: 'putOption', ...byOperator, target, data: { DurationID: 'long' } };
  },
  'option.changed': async (recordEnd) => {
    const target = await newCourse(service);
    await recordEnd();
    const change = { Status: 'retired', Seats: 3 };
    for (const _ of [1, 2])
      expectStatus(await service.api('PUT', `/course/${target}/option/standard`, change), 200);
    const data = { DurationID: 'standard', Changed: ['Seats', 'Status'], Status: 'retired' };
    return { by: 'putOption', ...byOperator, target, data };
  },
  'option.deleted': async (recordEnd) => {
    const target = await newCourse(service);
    await recordEnd();
    expectStatus(await service.api('DELETE', `/course/${target}/option/standard`), 204);
    return { by: 'deleteOption', ...byOperator, target, data: { DurationID: 'standard' } };
  },
  // server/test/audit-command.slow.test.ts tests the commands. This only checks that their actions can be
  // recorded.
  'signing_keys.rotated': (recordEnd) =>
    recorded(recordEnd, { action: 'signing_keys.rotated', data: { KeyID: 'k' } }),
  'backup.created': (recordEnd) => recorded(recordEnd, { action: 'backup.created', data: { MadeAt: noon } }),
  'backup.restored': (recordEnd) =>
    recorded(recordEnd, { action: 'backup.restored', data: { MadeAt: noon } }),
  'audit.began': async (recordEnd) => {
    await recordEnd();
    const id = unique('made');
    expectStatus(await service.api('POST', '/tenant', { TenantID: id }), 201);
    return { ...byOperator, by: 'createTenant', target: id };
  },
  'audit.head_unverified': (recordEnd) => recorded(recordEnd, { action: 'audit.head_unverified', data: {} }),
};

const noon = '2030-01-01T12:00:00.000Z';

type Recorded = Omit<Extract<Parameters<typeof appendAudit>[2], { data: object }>, 'targetId'>;

async function recorded(recordEnd: () => Promise<void>, entry: Recorded): Promise<Done> {
  await recordEnd();
  await appendAudit(service.ctx, deployment, { ...entry, targetId: null } as Parameters<
    typeof appendAudit
  >[2]);
  return { by: null, of: deployment, actor: 'service', target: null, data: entry.data };
}

async function entriesOf(action: AuditAction): Promise<Row[]> {
  const { rows } = await sql<Row>`/* across tenants: a test looks at all */
    select * from audit_entry where action = ${action} order by audit_id`.execute(service.ctx.db);
  return rows;
}

for (const action of auditActions)
  test(`${action}: one entry records who did what to whom, and from where`, async () => {
    let before: Row[] = [];
    const done = await acts[action](async () => {
      before = await entriesOf(action);
    });
    const known = new Set(before.map(({ audit_id }) => audit_id));
    const [entry, ...others] = (await entriesOf(action)).filter(({ audit_id }) => !known.has(audit_id));
    assert.ok(entry, 'there must be no entry before the action');
    assert.deepEqual(others, [], 'the action must write one entry');
    const isCall = done.by !== null;
    if (isCall)
      assert.ok(
        routes.find(({ name }) => name === done.by)?.audits?.includes(action),
        `${done.by} must declare the action`,
      );
    assert.equal(entry.tenant_id, done.of ?? TenantID);
    assert.equal(entry.actor, done.actor ?? 'key');
    if (entry.actor === 'key') assert.equal(entry.actor_id, tenant.keyId);
    if (['administrator', 'learner'].includes(entry.actor)) assert.ok(entry.actor_user_id && entry.actor_id);
    if (done.target !== undefined) assert.equal(entry.target_id, done.target);
    assert.deepEqual(entry.data, done.data ?? {});
    assert.ok(Schema.Check(auditCatalogue[action][2], entry.data), JSON.stringify(entry.data));
    assert.equal(entry.address, done.address === null || !isCall ? null : '127.0.0.1');
    assert.equal(entry.request_id === null, !isCall);
  });

test("no entry contains a name, a learner's address, a secret or the reason for an override", async () => {
  const LoginID = await user();
  await press(service, (await tenant.api('POST', `/user/session/${LoginID}`)).body.SignInURL);
  const { rows } = await sql<{ text: string }>`/* across tenants: a test looks at all */
    select entry::text as text from audit_entry entry`.execute(service.ctx.db);
  const all = rows.map(({ text }) => text).join('\n');
  for (const secret of [
    ...Object.values(personal),
    reason,
    tenant.key,
    service.operatorKey,
    receiver.url,
    LoginID,
  ])
    assert.ok(!all.includes(secret), secret);
});

test('all audit trails can be verified afterwards', async () => {
  const { Intact, Chains } = await verifyAudit(service.ctx);
  const broken = Chains.filter(
    (chain) => chain.Break && !/The end of the trail had already been changed/.test(chain.Break.Reason),
  );
  assert.deepEqual(broken, []);
  assert.equal(Intact, false, 'an entry of audit.head_unverified stays visible');
});
