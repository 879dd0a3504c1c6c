import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { packCourse } from '../../../test/journeys/course-packages.ts';
import { newKey } from '../../src/domain/enrolment-keys/key-text.ts';
import { insertAuSession } from '../../src/domain/enrolments/run-time/au-sessions.ts';
import { queueMails } from '../../src/domain/mail/queue.ts';
import { beginning } from '../../src/domain/privacy/erase-batches.ts';
import { beginReminders } from '../../src/domain/reminders/choose.ts';
import { remind } from '../../src/domain/reminders/remind.ts';
import { findUserId } from '../../src/domain/users/users.ts';
import { mailServer } from '../../src/infra/context/config.ts';
import { newId } from '../../src/lib/ids.ts';
import { png } from './images.ts';
import { withAttachment } from './lrs.ts';
import { platformAt } from './lti-platform.ts';
import { leavePasskey } from './passkeys.ts';
import { play, scorm12 } from './player.ts';
import type { TestService } from './service.ts';
import { expectStatus, type TestTenant } from './tenant.ts';

/** Text that is part of all data that other tenants must not see. */
export const secret = 'Confidential';
/** Clients of different tenants may choose the same identifiers. */
export const sameKey = { 'Idempotency-Key': 'order 1' };
export const sameUser = { LoginID: 'same everywhere' };

async function resetAttempt(service: TestService, { api, user }: TestTenant, course: string): Promise<void> {
  const LoginID = await user();
  const { body } = await api('POST', `/enrol/${LoginID}/${course}`);
  const { commit } = await play(service, body.LaunchURL);
  await commit({ Data: scorm12('failed', 20) });
  const reset = { Reason: `${secret} reason` };
  expectStatus(await api('POST', `/enrolment/${LoginID}/${body.EnrollID}/reset`, reset), 200);
}

/** A tenant with rows in every table, and the identifiers for paths, queries and bodies. */
export async function fill(
  service: TestService,
  receiver: string,
  tenant: TestTenant,
): Promise<Record<string, string>> {
  const CourseID = `course of ${tenant.TenantID}`;
  const path = `/course/${encodeURIComponent(CourseID)}`;
  // The course is offered only to this tenant from the start, so that no other tenant's event log mentions
  // it.
  await service.api('PUT', path, { Title: CourseID, Tenants: [tenant.TenantID] });
  await service.importPackage(encodeURIComponent(CourseID), await packCourse('phishing'));
  await service.api('PUT', `${path}/option/standard`, {});
  const LoginID = await tenant.user({
    FirstName: `${secret} ${tenant.TenantID}`,
    Email: `${tenant.TenantID}@${secret}.example`,
    Groups: [`${secret} group ${tenant.TenantID}`, `${secret} other group`],
    Password: 'right',
  });
  const { body } = await tenant.api('POST', `/enrol/${LoginID}/${encodeURIComponent(CourseID)}`, {
    Reference: `${secret} reference ${tenant.TenantID}`,
  });
  const { commit } = await play(service, body.LaunchURL);
  await commit({ Data: { ...scorm12('incomplete', 50), 'cmi.interactions.0.id': 'question' } });
  await resetAttempt(service, tenant, encodeURIComponent(CourseID));
  await tenant.api('POST', `/user/check/${LoginID}`, { Password: 'wrong' });
  const { EnrollID, LaunchURL } = body;
  const ExpiresAt = new Date(service.ctx.now().getTime() + 60 * 86_400_000).toISOString();
  const dates = { ExpiresAt, DueAt: ExpiresAt };
  expectStatus(await tenant.api('PUT', `/enrolment/${LoginID}/${EnrollID}`, dates), 200);
  const made = await tenant.api('POST', '/enrolment/key', {
    CourseIDs: [CourseID],
    DurationIDs: ['standard'],
    LoginID,
    PurchaseOrder: `${secret} order ${tenant.TenantID}`,
  });
  await tenant.api('POST', `/enrol/key/${LoginID}/${newKey()}`);
  const [unused] = made.body.Items;
  const forAnybody = { CourseIDs: [CourseID], DurationIDs: ['standard'] };
  const [redeemed] = (await tenant.api('POST', '/enrolment/key', forAnybody)).body.Items;
  expectStatus(await tenant.api('POST', `/enrol/key/${await tenant.user()}/${redeemed.Key}`), 201);
  expectStatus(await tenant.api('POST', '/user', sameUser, sameKey), 201);
  const { InvitationID } = (await tenant.api('POST', '/invitation', { LoginID })).body;
  const MailID = await leaveMail(service, tenant.TenantID, LoginID);
  await leaveReminder(service, tenant, LoginID);
  await leaveReset(service, tenant.TenantID, LoginID);
  const PasskeyID = await leavePasskey(service, { TenantID: tenant.TenantID, LoginID }, `${secret} passkey`);
  const link = await tenant.api('POST', `/user/session/${LoginID}`);
  const token = new URL(link.body.SignInURL).searchParams.get('token');
  await service.api('POST', '/session/sign-in', { token });
  await tenant.api('DELETE', `/user/${await tenant.user()}`);
  await leaveErasure(service, tenant.TenantID);
  const hook = await tenant.api('POST', '/webhook', {
    URL: receiver,
    Description: `${secret} endpoint ${tenant.TenantID}`,
  });
  const { WebhookID, Secret } = hook.body;
  assert.equal((await tenant.api('POST', `/webhook/${WebhookID}/ping`)).body.Status, 'delivered');
  const { EventID } = (await tenant.api('GET', `/events?EnrollID=${EnrollID}`)).body.Items[0];
  const again = await tenant.api('POST', `/webhook/${WebhookID}/replay`, { EventIDs: [EventID] });
  assert.deepEqual(again.body, { Deliveries: 1 });
  const ProviderID = await leaveProvider(service, tenant, LoginID);
  await fillProvisioning(tenant);
  const PlatformID = await leavePlatform(service, tenant, { LoginID, EnrollID });
  const course = { CourseID, DurationID: 'standard' };
  const DispatchID = await leaveDispatch(service, tenant, { LoginID, EnrollID, ...course });
  const ToolCourseID = await leaveTool(tenant);
  const branding = { Colour: '#0057b8', Logo: png().toString('base64') };
  const { Logo } = (await tenant.api('PUT', '/branding', branding)).body;
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const elsewhere = await tenant.api('POST', '/completion', {
    ...{ LoginID, CourseID, CompletedAt: yesterday, EvidenceText: `${secret} evidence` },
  });
  expectStatus(elsewhere, 201);
  const { CompletionID } = elsewhere.body;
  expectStatus(await tenant.api('GET', '/overview'), 200);
  for (const report of ['completion', 'access', 'activity'])
    expectStatus(await tenant.api('GET', `/report/${report}`), 200);
  const RequirementID = `${secret} requirement ${tenant.TenantID}`;
  const required = {
    Title: `${secret} duty`,
    CourseIDs: [CourseID],
    Audience: { LoginIDs: [LoginID] },
    DueAfter: 'P1Y',
  };
  expectStatus(await tenant.api('PUT', `/requirement/${encodeURIComponent(RequirementID)}`, required), 201);
  const ScheduleID = await fillReports(service, tenant);
  const ImportID = await fillImports(tenant, LoginID);
  const certificate = await fillCertificates(tenant, CourseID, `/enrolment/${LoginID}/${EnrollID}`);
  const ctx = { ...service.ctx, tenantId: tenant.TenantID };
  const opened = { enrollId: EnrollID, sessionId: randomUUID(), launch: 1 };
  await insertAuSession(ctx, { ...opened, unit_id: `${secret} unit`, mode: 'Normal' });
  const known = await fillLrs(tenant);
  const HoldID = `${secret} case ${tenant.TenantID}`;
  const hold = `/user/${LoginID}/hold/${encodeURIComponent(HoldID)}`;
  expectStatus(await tenant.api('PUT', hold, { Reason: `${secret} reason` }), 201);
  await leaveEvidence(service, tenant.TenantID);
  const key = new URL(LaunchURL).searchParams.get('key') ?? '';
  const MemberLoginID = await tenant.user({ ManagerLoginID: LoginID });
  const names = {
    RequirementID,
    HoldID,
    MemberLoginID,
    Language: 'en',
    CompletionID,
    // Required to delete a completion.
    Reason: 'mistake',
    ScheduleID,
    ImportID,
    ProviderID,
    Number: certificate,
    List: '0',
    PlatformID,
    DispatchID,
    ToolCourseID,
    TenantID: tenant.TenantID,
    KeyID: tenant.keyId,
    DurationID: 'standard',
  };
  return {
    ...names,
    LoginID,
    CourseID,
    Release: '1',
    EnrollID,
    InvitationID,
    MessageID: MailID,
    EmailAddress: `${tenant.TenantID}@${secret}.example`,
    PasskeyID,
    WebhookID,
    webhookSecret: Secret,
    LogoName: Logo.URL.split('/').at(-1),
    EventID,
    Key: unused.KeyID,
    unusedKey: unused.Key,
    redeemedKey: redeemed.Key,
    enrolment: EnrollID,
    key,
    GroupName: `${secret} group ${tenant.TenantID}`,
    ...known,
  };
}

/** Issues a certificate for a result that is then withdrawn, and returns its number. */
async function fillCertificates(tenant: TestTenant, CourseID: string, enrolment: string): Promise<string> {
  const template = `/certificate/template/${encodeURIComponent(CourseID)}`;
  expectStatus(
    await tenant.api('PUT', template, {
      Signatures: [{ Name: `${secret} signer`, Role: null, Image: null }],
    }),
    200,
  );
  const Override = { Success: 'passed', Reason: `${secret} reason` };
  expectStatus(await tenant.api('PUT', enrolment, { Override }), 200);
  const certificate = await tenant.api('GET', `${enrolment}/certificate`);
  expectStatus(certificate, 200);
  const asJwt = { accept: 'application/vc+jwt' };
  expectStatus(await tenant.api('GET', `${enrolment}/certificate`, undefined, asJwt), 200);
  expectStatus(await tenant.api('POST', `${enrolment}/certificate/offer`), 201);
  expectStatus(await tenant.api('PUT', enrolment, { Override: null }), 200);
  return certificate.body.Number;
}

/** Stores statements, one voided and one with an attachment, and a document of each kind. Returns their identifiers. */
async function fillLrs(tenant: TestTenant): Promise<Record<string, string>> {
  const headers = { 'x-experience-api-version': '2.0.0' };
  const name = `${secret} learner ${tenant.TenantID}`;
  const agent = { name, mbox: `mailto:${tenant.TenantID}@learner.example` };
  const activityId = `https://activity.example/${tenant.TenantID}`;
  const [statementId, voided] = [randomUUID(), randomUUID()];
  const verb = { id: 'https://example.com/verbs/read' };
  const definition = { name: { en: `${secret} activity` } };
  const statement = { actor: agent, verb, object: { id: activityId, definition } };
  const voiding = {
    actor: agent,
    verb: { id: 'http://adlnet.gov/expapi/verbs/voided' },
    object: { objectType: 'StatementRef', id: voided },
  };
  const batch = [{ ...statement, id: voided }, voiding];
  expectStatus(await tenant.api('POST', '/xapi/statements', batch, headers), 200);
  const { body, contentType } = withAttachment({ ...statement, id: statementId }, `${secret} attachment`);
  const typed = { ...headers, 'content-type': contentType };
  expectStatus(await tenant.api('POST', '/xapi/statements', body, typed), 200);
  const query = new URLSearchParams({ activityId, agent: JSON.stringify(agent), stateId: 'resume' });
  expectStatus(await tenant.api('PUT', `/xapi/activities/state?${query}`, { at: secret }, headers), 204);
  const ofActivity = new URLSearchParams({ activityId, profileId: 'settings' });
  expectStatus(
    await tenant.api('PUT', `/xapi/activities/profile?${ofActivity}`, { at: secret }, headers),
    204,
  );
  const ofAgent = new URLSearchParams({ agent: JSON.stringify(agent), profileId: 'settings' });
  expectStatus(await tenant.api('PUT', `/xapi/agents/profile?${ofAgent}`, { at: secret }, headers), 204);
  // Leaves out the agent's name: it contains `secret`, and responses repeat the request's parameters.
  const asked = JSON.stringify({ mbox: agent.mbox });
  return { statementId, activityId, agent: asked, stateId: 'resume', profileId: 'settings' };
}

/** Queues an email for a mail server that does not respond. */
async function leaveMail({ ctx }: TestService, tenantId: string, loginId: string): Promise<string> {
  const mail = mailServer({ SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'noreply@lectern.example' });
  const own = { ...ctx, tenantId, config: { ...ctx.config, mail } };
  const content = { firstName: null, lastName: secret, loginId, url: `https://${secret}.example` };
  const expiresAt = new Date(ctx.now().getTime() + 86_400_000);
  const userId = (await findUserId(own, loginId)) ?? '';
  const address = `${tenantId}@${secret}.example`;
  const [id] = await queueMails(own, [{ userId, kind: 'invitation', address, content, expiresAt }]);
  assert.ok(id);
  return id;
}

async function leaveReminder({ ctx }: TestService, { TenantID, api }: TestTenant, loginId: string) {
  expectStatus(await api('PUT', '/reminder/text/en', { Subject: `${secret} subject` }), 200);
  const mail = mailServer({ SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'noreply@lectern.example' });
  const own = { ...ctx, tenantId: TenantID, config: { ...ctx.config, mail } };
  await beginReminders(own);
  const { People } = await remind(own, { LoginIDs: [loginId] });
  assert.deepEqual(People, [{ LoginID: loginId, Reason: null }]);
}

/** Provisions a user and a group. */
async function fillProvisioning({ TenantID, api }: TestTenant): Promise<void> {
  const name = `${secret} directory ${TenantID}`;
  const user = await api('POST', '/scim/v2/Users', { userName: `directory of ${TenantID}`, title: name });
  expectStatus(user, 201);
  const members = [{ value: user.body.id }];
  expectStatus(await api('POST', '/scim/v2/Groups', { displayName: name, members }), 201);
  expectStatus(await api('PUT', '/provisioning', { GuardPercent: 20 }), 200);
}

/** Adds a course that is a tool. Returns its CourseID. */
async function leaveTool({ TenantID, api }: TestTenant): Promise<string> {
  const CourseID = `tool-${TenantID}`;
  const made = await api('PUT', `/course/${CourseID}/tool`, {
    Title: `${secret} tool`,
    LoginURL: 'https://tool.example.com/login',
    TargetLinkURI: 'https://tool.example.com/launch',
    JWKSURL: 'http://127.0.0.1:9/',
  });
  expectStatus(made, 201);
  return CourseID;
}

/** Adds a dispatch that the learner has opened. Returns the DispatchID. */
async function leaveDispatch(
  { ctx }: TestService,
  { TenantID, api }: TestTenant,
  { LoginID, EnrollID, ...course }: Record<'LoginID' | 'EnrollID' | 'CourseID' | 'DurationID', string>,
): Promise<string> {
  const made = await api('POST', '/dispatch', { ...course, Standard: 'cmi5', Name: `${secret} dispatch` });
  expectStatus(made, 201);
  const { DispatchID } = made.body;
  const user_id = (await findUserId({ ...ctx, tenantId: TenantID }, LoginID)) ?? '';
  const at = { first_opened_at: ctx.now(), last_opened_at: ctx.now() };
  const place = { tenant_id: TenantID, dispatch_id: DispatchID, user_id, enroll_id: EnrollID };
  await ctx.db
    .insertInto('dispatch_learner')
    .values({ ...place, ...at })
    .execute();
  return DispatchID;
}

/** Adds a learning platform from which the enrolment was launched. Returns the PlatformID. */
async function leavePlatform(
  { ctx }: TestService,
  { TenantID, api }: TestTenant,
  { LoginID, EnrollID }: { LoginID: string; EnrollID: string },
): Promise<string> {
  const made = await api('POST', '/platform', platformAt('http://127.0.0.1:9', `${secret} ${TenantID}`));
  expectStatus(made, 201);
  const { PlatformID } = made.body;
  const own = { ...ctx, tenantId: TenantID };
  const user_id = (await findUserId(own, LoginID)) ?? '';
  const link = { platform_id: PlatformID, enroll_id: EnrollID, user_id, resource_link_id: `${secret} link` };
  const at = { tenant_id: TenantID, launched_at: ctx.now() };
  const link_id = randomUUID();
  await ctx.db
    .insertInto('lti_launch')
    .values({ ...at, ...link, launch_id: randomUUID(), message: 'launch' })
    .execute();
  await ctx.db
    .insertInto('lti_link')
    .values({ ...at, ...link, link_id, subject: `${secret} subject` })
    .execute();
  const context = { tenant_id: TenantID, platform_id: PlatformID, context_id: `${secret} context` };
  await ctx.db
    .insertInto('lti_context')
    .values({ ...context, members_url: 'http://127.0.0.1:9/members' })
    .execute();
  await ctx.db
    .insertInto('lti_member')
    .values({ ...context, login_id: LoginID, details: `${secret} details` })
    .execute();
  await ctx.db
    .insertInto('lti_score')
    .values({ tenant_id: TenantID, link_id, problem: `${secret} problem` })
    .execute();
  await ctx.db
    .insertInto('tenant_usage')
    .values({ tenant_id: TenantID, day: '2026-01-31', people: 1, calls: 1, commits: 1, bytes: 1 })
    .execute();
  await ctx.db
    .insertInto('path_log')
    .values({ tenant_id: TenantID, position: 0, swept_at: ctx.now(), swept_course: '' })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await ctx.db
    .insertInto('lti_nonce')
    .values({ tenant_id: TenantID, nonce: `${secret} nonce`, used_at: ctx.now() })
    .execute();
  return PlatformID;
}

/** Adds an identity provider to which the user is linked. */
async function leaveProvider(
  { ctx }: TestService,
  { TenantID, api }: TestTenant,
  loginId: string,
): Promise<string> {
  // Nothing listens on this port.
  const issuer = 'http://127.0.0.1:9/';
  const ProviderID = `provider of ${TenantID}`;
  const body = {
    Name: `${secret} provider`,
    Issuer: issuer,
    ClientID: `${secret} client`,
    ClientSecret: secret,
  };
  expectStatus(await api('PUT', `/identity-provider/${encodeURIComponent(ProviderID)}`, body), 201);
  const user_id = (await findUserId({ ...ctx, tenantId: TenantID }, loginId)) ?? '';
  const used = { created_at: ctx.now(), last_used_at: ctx.now() };
  const row = {
    tenant_id: TenantID,
    issuer,
    subject: `${secret} subject`,
    user_id,
    provider_id: ProviderID,
    ...used,
  };
  await ctx.db.insertInto('user_identity').values(row).execute();
  return ProviderID;
}

/** Adds a password reset link for the user. */
async function leaveReset({ ctx }: TestService, tenantId: string, loginId: string): Promise<void> {
  const own = { ...ctx, tenantId };
  const user_id = (await findUserId(own, loginId)) ?? '';
  const [created_at, expires_at] = [ctx.now(), new Date(ctx.now().getTime() + 3_600_000)];
  const row = { tenant_id: tenantId, link_hash: `${secret} hash`, user_id, created_at, expires_at };
  await ctx.db.insertInto('password_reset').values(row).execute();
}

/**
 * Creates the state that a node leaves behind if it crashes before the last batch of an erasure.
 */
async function leaveErasure({ ctx }: TestService, tenantId: string): Promise<void> {
  const now = ctx.now();
  const own = { tenant_id: tenantId, erasure_id: newId(now) };
  const progress = JSON.stringify(beginning(now));
  await ctx.db
    .insertInto('erasure_under_way')
    .values({ ...own, user_id: newId(now), progress })
    .execute();
  await ctx.db
    .insertInto('erasure_enrolment')
    .values({ ...own, enroll_id: newId(now) })
    .execute();
}

/** The evidence about somebody who was erased. */
async function leaveEvidence({ ctx }: TestService, tenant_id: string): Promise<void> {
  const person = JSON.stringify({ LoginID: `${secret} erased`, Groups: [] });
  await ctx.db
    .insertInto('retained_record')
    .values({
      ...{ tenant_id, record_id: newId(ctx.now()), erasure_id: newId(ctx.now()) },
      ...{ login_id: `${secret} erased`, person, kept_until: '2090-01-01T00:00:00Z' },
    })
    .execute();
}

/** A planned import with a row of the user. Returns the ImportID. */
async function fillImports({ api }: TestTenant, LoginID: string): Promise<string> {
  const query = new URLSearchParams({ Plan: 'true', Name: `${secret} endpoint` });
  const file = `LoginID,FirstName\n${LoginID},${secret} reference\n`;
  const made = await api('POST', `/import?${query}`, file, { 'content-type': 'text/csv' });
  expectStatus(made, 201);
  assert.equal(made.body.Status, 'planned');
  return made.body.ImportID;
}

/** A scheduled report with a recipient. Returns the ScheduleID. */
async function fillReports(service: TestService, tenant: TestTenant): Promise<string> {
  const { TenantID } = tenant;
  const made = await tenant.api('POST', '/report/schedule', {
    ...{ Name: `${secret} endpoint`, Report: 'completion', Delivery: 'webhook' },
    ...{ Every: 'day', Time: '07:00', TimeZone: 'UTC', Status: 'paused' },
  });
  expectStatus(made, 201);
  const { ScheduleID } = made.body;
  const fill = (text: string) =>
    service.ctx.engine.query({ text: `/* across tenants: a test fills a table */ ${text}`, values: [] });
  await fill(`insert into report_recipient (tenant_id, schedule_id, user_id)
    select '${TenantID}', '${ScheduleID}', user_id from "user" where tenant_id = '${TenantID}' limit 1`);
  return ScheduleID;
}
