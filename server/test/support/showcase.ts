import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { packCourse } from '../../../test/journeys/course-packages.ts';
import { startDispatcher } from '../../src/domain/events/webhooks/dispatcher.ts';
import { play, scorm12 } from './player.ts';
import { startService, type TestService } from './service.ts';
import { newTenant, type TestTenant } from './tenant.ts';
import { until } from './until.ts';

const day = 86_400_000;
const days = 58;

const people = [
  ['Anna', 'Schmidt', 'Warehouse'],
  ['Ben', 'Okafor', 'Warehouse'],
  ['Chloé', 'Martin', 'Office'],
  ['David', 'Nguyen', 'Office'],
  ['Elif', 'Yılmaz', 'Warehouse'],
  ['Frank', 'de Vries', 'Office'],
  ['Grace', 'Lindqvist', null],
  ['Hana', 'Kim', 'Board'],
] as const;

export type Showcase = {
  service: TestService;
  tenant: TestTenant;
  administrator: string;
  learner: string;
  /** Enrolments for screenshots: an expired one, and one with an overridden result. */
  blocked: string;
  decided: string;
  webhookId: string;
  close: () => Promise<void>;
};

/** A training company after two months of work. Each day's activity is simulated through the API. */
export async function fillForScreenshots(env: Record<string, string> = {}): Promise<Showcase> {
  let behind = days * day;
  const now = () => new Date(Date.now() - behind);
  const service = await startService({ now, env: { WEBHOOK_ALLOW: '127.0.0.1', ...env } });
  const receiver = createServer((request, response) => {
    response.statusCode = request.url === '/shop' ? 503 : 200;
    response.end(request.url === '/shop' ? 'The shop is being maintained.' : 'ok');
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const hooks = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  await importCourses(service);
  await service.api('PUT', '/tenant/test', { Name: 'Initech' });
  for (const Name of ['Contoso Learning', 'Globex']) await newTenant(service, { Name });
  const tenant = await newTenant(service, { Name: 'Northwind Training', PasswordHash: 'sha256-hex' });
  const administrator = 'ada.admin';
  const admin = { FirstName: 'Ada', LastName: 'Admin', IsAdmin: true, Email: 'ada@northwind.example' };
  await tenant.api('POST', '/user', { LoginID: administrator, ...admin });
  const webhook = await tenant.api('POST', '/webhook', { URL: `${hooks}/hr`, Description: 'HR system' });
  const logins: string[] = [];
  for (const [index, [FirstName, LastName, GroupName]] of people.entries()) {
    const LoginID = `E-${1041 + index}`;
    const Email = `${FirstName}.${LastName.replace(' ', '')}@northwind.example`.toLowerCase();
    await tenant.api('POST', '/user', { LoginID, FirstName, LastName, GroupName, Email });
    logins.push(LoginID);
  }
  for (let left = days; left > 0; left--) {
    behind = left * day;
    await playDay(service, tenant, days - left, now().getUTCDay());
  }
  behind = 90_000;
  const [learner = '', decidedFor = ''] = logins;
  const blocked = await enrol(tenant, learner, 'phishing', { Reference: 'PO-2026-1041' });
  const begun = await play(service, blocked.LaunchURL);
  await begun.commit({ Data: scorm12('incomplete', 45), Exit: true });
  await tenant.api('POST', `/enrol/${learner}/fire-safety/1-year`);
  const decided = await enrol(tenant, decidedFor, 'phishing');
  for (const login of logins.slice(2, 6)) await enrol(tenant, login, 'fire-safety/1-year');
  await tenant.api('PUT', `/user/${logins[3]}`, { Enabled: false });
  const shop = { URL: `${hooks}/shop`, Description: 'Shop', Types: ['enrolment.completed'] };
  const failing = (await tenant.api('POST', '/webhook', shop)).body.WebhookID;
  const Reason = 'Passed the course at the previous employer; certificate checked.';
  await tenant.api('PUT', `/enrolment/${decidedFor}/${decided.EnrollID}`, {
    Override: { Completion: 'completed', Success: 'passed', Score: 85, Reason },
    Metadata: { costCentre: '4711', site: 'Hamburg' },
  });
  const ExpiresAt = new Date(Date.now() - 60_000).toISOString();
  await tenant.api('PUT', `/enrolment/${learner}/${blocked.EnrollID}`, { ExpiresAt });
  const keys = {
    CourseIDs: ['fire-safety'],
    DurationIDs: ['1-year'],
    Quantity: 12,
    PurchaseOrder: 'PO-7731',
  };
  const issued = (await tenant.api('POST', '/enrolment/key', keys)).body.Items;
  for (const [index, { Key }] of issued.slice(0, 3).entries())
    await tenant.api('POST', `/enrol/key/${logins[index + 5]}/${Key}`);
  behind = 0;
  const dispatcher = startDispatcher(service.ctx);
  const last = (await tenant.api('GET', '/events?Order=newest&Limit=1')).body.Items[0];
  const delivered = `/webhook/${webhook.body.WebhookID}/delivery?Status=delivered&EventID=${last.EventID}`;
  await until(
    'the events are delivered',
    async () => (await tenant.api('GET', delivered)).body.Items.length > 0,
  );
  await until(
    'one endpoint fails',
    async () => (await tenant.api('GET', `/webhook/${failing}`)).body.FailingSince !== null,
  );
  const close = async () => {
    await dispatcher.stop(1_000);
    receiver.close();
    await service.close();
  };
  return {
    ...{ service, tenant, administrator, learner, close, webhookId: webhook.body.WebhookID },
    blocked: `${learner}/${blocked.EnrollID}`,
    decided: `${decidedFor}/${decided.EnrollID}`,
  };
}

async function importCourses(service: TestService): Promise<void> {
  await service.importPackage('fire-safety', await packCourse('fire-safety'));
  await service.importPackage('phishing', await packCourse('phishing'));
  await service.importPackage('phishing', await packCourse('phishing'));
  const Description = 'Ten minutes about messages that want your password.';
  await service.api('PUT', '/course/phishing', { Title: 'Spot the phish', Description, Status: 'published' });
  await service.api('PUT', '/course/fire-safety', { Title: 'Fire safety at work', Status: 'published' });
  await service.api('PUT', '/course/gdpr', { Title: 'Data protection', Status: 'draft' });
  const option = (course: string, fields: object) => service.api('PUT', `/course/${course}`, fields);
  const price = (Amount: string) => ({ Price: { Amount, Currency: 'EUR' } });
  await option('phishing/option/30-days', { Name: '30 days', Duration: 'P30D', ...price('29.00') });
  await option('fire-safety/option/1-year', {
    Name: 'One year',
    Duration: 'P1Y',
    Seats: 160,
    ...price('49.00'),
  });
  await option('fire-safety/option/unlimited', { Name: 'No time limit', ...price('79.00') });
}

async function enrol(tenant: TestTenant, loginId: string, course: string, fields: object = {}) {
  const { body } = await tenant.api('POST', `/enrol/${loginId}/${course}`, fields);
  return body as { EnrollID: string; LaunchURL: string };
}

/**
 * Learners enrol only on weekdays, and more of them do so each week. Most of them start the course, and most
 * of those who start also finish it.
 */
async function playDay(service: TestService, tenant: TestTenant, number: number, weekday: number) {
  const count = weekday === 0 || weekday === 6 ? 0 : 1 + Math.round(number / 20 + 1.5 * Math.sin(number / 3));
  for (let index = 0; index < count; index++) {
    const login = await tenant.user({ FirstName: 'Lee', LastName: `Learner ${number}-${index}` });
    const { LaunchURL } = await enrol(tenant, login, index % 3 === 0 ? 'fire-safety/1-year' : 'phishing');
    if ((number + index) % 5 === 0) continue;
    const begun = await play(service, LaunchURL);
    const isDone = (number * 3 + index) % 4 !== 0;
    await begun.commit({ Data: scorm12(isDone ? 'passed' : 'incomplete', isDone ? 80 : 30), Exit: true });
  }
}
