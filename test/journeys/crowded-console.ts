import { randomUUID } from 'node:crypto';
import { sendMails } from '../../server/src/domain/mail/send.ts';
import { countCompletion } from '../../server/src/domain/reports/count-completion.ts';
import { hashOf } from '../../server/test/support/passkeys.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { startMailServer } from '../../server/test/support/smtp.ts';
import { expectStatus, newTenant, type TestTenant } from '../../server/test/support/tenant.ts';
import { packCourse } from './course-packages.ts';

/** More rows than fit on a screen, but fewer than the limit of 20 scheduled reports. */
const rows = 18;
const numbers = Array.from({ length: rows }, (_, at) => 10 + at);
const ndjson = { 'content-type': 'application/x-ndjson' };
const lines = (list: object[]) => list.map((row) => JSON.stringify(row)).join('\n');

export type CrowdedConsole = {
  service: TestService;
  tenant: TestTenant;
  administrator: string;
  learner: string;
  enrolment: string;
  webhookId: string;
  /** The LaunchURLs of an enrolment on a course of this service, and of a withdrawn one. */
  launchUrl: string;
  withdrawnUrl: string;
  invitationUrl: string;
  resetUrl: string;
  key: string;
  close: () => Promise<void>;
};

/** A service and a tenant with more rows in each list of the console than fit on a screen. */
export async function startCrowdedConsole(): Promise<CrowdedConsole> {
  const mailServer = await startMailServer();
  const env = {
    ...{ SMTP_URL: mailServer.url, MAIL_FROM: 'noreply@lectern.example' },
    WEBHOOK_ALLOW: '127.0.0.1',
  };
  const service = await startService({ env });
  await addCourses(service);
  for (const n of numbers)
    expectStatus(await service.api('POST', '/tenant', { TenantID: `branch-${n}`, Name: `Branch ${n}` }), 201);
  const tenant = await newTenant(service, { Name: 'Acme Training' });
  const admin = { FirstName: 'Ada', LastName: 'Admin', IsAdmin: true };
  const administrator = await tenant.user(admin);
  const invitationUrl = await addUsers(tenant);
  await addKeys(tenant);
  const webhookId = await addConnections(service, tenant);
  await addSchedules(tenant);
  await addRequirements(tenant);
  await addStatements(service, tenant);
  const played = (await tenant.api('POST', '/enrol/staff-10/fire-safety')).body;
  const withdrawn = (await tenant.api('POST', '/enrol/staff-11/fire-safety')).body;
  const path = `/enrolment/staff-11/${withdrawn.EnrollID}`;
  expectStatus(await tenant.api('PUT', path, { Withdrawn: true }), 200);
  await countCompletion(service.ctx);
  const Password = hashOf('correct horse battery');
  expectStatus(await tenant.api('PUT', '/user/password/staff-12', { Password }), 204);
  const forgotten = { TenantID: tenant.TenantID, LoginID: 'staff-12' };
  expectStatus(await service.api('POST', '/session/reset', forgotten, ''), 204);
  await sendMails(service.ctx);
  const resets = mailServer.mails.flatMap(({ text }) => /http:\S+\/console\/reset\S+/.exec(text)?.[0] ?? []);
  const forAnybody = { CourseIDs: ['course-12', 'course-13'], DurationIDs: ['month', 'month'] };
  const issued = await tenant.api('POST', '/enrolment/key', forAnybody);
  return {
    ...{ service, tenant, administrator, webhookId, invitationUrl, learner: 'staff-10' },
    enrolment: `staff-10/${played.EnrollID}`,
    launchUrl: played.LaunchURL,
    withdrawnUrl: withdrawn.LaunchURL,
    resetUrl: resets[0] ?? '',
    key: issued.body.Items[0].Key,
    close: async () => {
      await service.close();
      await mailServer.close();
    },
  };
}

async function addRequirements(tenant: TestTenant): Promise<void> {
  for (const n of numbers) {
    const rule = { Title: `Machine ${n}`, CourseIDs: ['fire-safety'], DueAfter: 'P30D', ValidFor: 'P1Y' };
    const Audience = { LoginIDs: ['staff-13'] };
    expectStatus(await tenant.api('PUT', `/requirement/rule-${n}`, { ...rule, Audience }), 201);
  }
}

async function addCourses(service: TestService): Promise<void> {
  await service.importPackage('fire-safety', await packCourse('fire-safety'));
  await service.importPackage('fire-safety', await packCourse('fire-safety'));
  const published = { Title: 'Fire safety at work', Status: 'published' };
  expectStatus(await service.api('PUT', '/course/fire-safety', published), 200);
  expectStatus(await service.api('PUT', '/course/fire-safety/option/year', { Duration: 'P1Y' }), 201);
  for (const n of numbers) {
    const path = `/course/course-${n}`;
    const course = { Title: `Working safely with machine ${n}`, URL: 'https://web.example/' };
    expectStatus(await service.api('PUT', path, course), 201);
    const month = { Name: 'One month', Duration: 'P30D' };
    expectStatus(await service.api('PUT', `${path}/option/month`, month), 201);
    expectStatus(await service.api('PUT', `${path}/option/unlimited`, { Name: 'No time limit' }), 201);
  }
}

/** Users with enrolments and pending invitations by email. Returns the link of an invitation. */
async function addUsers(tenant: TestTenant): Promise<string> {
  const users = numbers.map((n) => ({
    LoginID: `staff-${n}`,
    FirstName: ['Anna', 'Bo', 'Cy', 'Désirée'][n % 4],
    LastName: ['Arbor', null, 'Müller-Lüdenscheidt'][n % 3],
    GroupName: n % 2 ? 'Sales' : 'Warehouse north',
    Email: `staff-${n}@department.example`,
  }));
  expectStatus(await tenant.api('POST', '/user/bulk', lines(users), ndjson), 200);
  const enrolments = numbers.map((n) => ({
    ...{ LoginID: `staff-${n}`, CourseID: `course-${n}`, DurationID: 'month' },
  }));
  expectStatus(await tenant.api('POST', '/enrol/bulk', lines(enrolments), ndjson), 200);
  const invited = users.map(({ LoginID }) => ({ LoginID }));
  expectStatus(await tenant.api('POST', '/invitation/bulk', lines(invited), ndjson), 200);
  const LoginID = await tenant.user({ FirstName: 'Ina', LastName: 'Vited' });
  return (await tenant.api('POST', '/invitation', { LoginID })).body.InvitationURL;
}

async function addKeys(tenant: TestTenant): Promise<void> {
  const keys = {
    ...{ CourseIDs: ['course-10', 'course-11'], DurationIDs: ['month', 'unlimited'] },
    ...{ Quantity: rows, PurchaseOrder: 'PO-2026-7731' },
  };
  const issued = await tenant.api('POST', '/enrolment/key', keys);
  expectStatus(issued, 201);
  for (const [at, { Key }] of issued.body.Items.slice(0, 3).entries())
    expectStatus(await tenant.api('POST', `/enrol/key/staff-${20 + at}/${Key}`), 201);
}

/** Webhook endpoints and API keys. Returns the WebhookID of an endpoint with failed deliveries. */
async function addConnections(service: TestService, tenant: TestTenant): Promise<string> {
  const ids: string[] = [];
  for (const n of numbers) {
    const URL = `http://127.0.0.1:9/hooks/of/system/${n}`;
    const made = await tenant.api('POST', '/webhook', { URL, Description: `HR system of branch ${n}` });
    expectStatus(made, 201);
    ids.push(made.body.WebhookID);
    const key = {
      Name: `Shop ${n}`,
      Scopes: ['users:read', 'users:write', 'enrolments:read', 'enrolments:write'],
    };
    expectStatus(await service.api('POST', `/tenant/${tenant.TenantID}/key`, key), 201);
  }
  const [webhookId = ''] = ids;
  for (let ping = 0; ping < 3; ping++) await tenant.api('POST', `/webhook/${webhookId}/ping`);
  return webhookId;
}

async function addSchedules(tenant: TestTenant): Promise<void> {
  for (const n of numbers) {
    const schedule = {
      ...{ Name: `Completion for branch ${n}`, Report: 'completion', By: 'group' },
      ...{ Every: 'week', Weekday: 'monday', Time: '07:00', TimeZone: 'Europe/Berlin' },
      ...{ Delivery: 'webhook', Status: n % 5 === 0 ? 'paused' : 'active' },
    };
    expectStatus(await tenant.api('POST', '/report/schedule', schedule), 201);
  }
}

async function addStatements(service: TestService, tenant: TestTenant): Promise<void> {
  const statements = numbers.map((n) => ({
    id: randomUUID(),
    actor: { account: { homePage: service.baseUrl, name: `staff-${n}` } },
    verb: { id: 'http://adlnet.gov/expapi/verbs/answered' },
    object: {
      id: `https://courses.example/questions/${n}`,
      definition: { name: { en: `Where is the nearest fire extinguisher in building ${n}?` } },
    },
    result: { success: n % 2 === 0, response: 'next to the lift', duration: 'PT12S' },
  }));
  const version = { 'X-Experience-API-Version': '2.0.0' };
  expectStatus(await tenant.api('POST', '/xapi/statements', statements, version), 200);
}
