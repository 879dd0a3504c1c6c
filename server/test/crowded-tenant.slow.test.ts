import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { au, courseStructure } from '../../standards/cmi5/test-support.ts';
import { packCourse } from '../../test/journeys/course-packages.ts';
import { routes } from '../src/app.ts';
import { jobs } from '../src/jobs.ts';
import {
  challengeOf,
  newAuthenticator,
  pageAfter,
  useHostName,
} from '../src/modules/people/passkeys/test-support.ts';
import { browser, signInUser } from '../src/modules/people/test-support.ts';
import { countAccess } from '../src/modules/reports/count-access.ts';
import { countActivity } from '../src/modules/reports/count-activity.ts';
import { countCompletion } from '../src/modules/reports/count-completion.ts';
import { runSchedules } from '../src/modules/reports/schedules/run-schedules.ts';
import { newToken } from '../src/modules/tenants/token.ts';
import { startReceiver } from '../src/modules/webhooks/test-support.ts';
import { importAicc, openAicc } from './support/aicc.ts';
import { ask } from './support/ask.ts';
import { openAu, openUnit, readResults, startAu } from './support/au.ts';
import { movableClock } from './support/clock.ts';
import { actors, crowdedRows, fillCrowd, lrs } from './support/crowded-tenant.ts';
import { packFiles } from './support/packages.ts';
import { play } from './support/player.ts';
import { countTouched, type Touched } from './support/rows-touched.ts';
import type { Reply } from './support/send.ts';
import { startService } from './support/service.ts';
import { startMailServer } from './support/smtp.ts';
import { expectStatus, newTenant, unique } from './support/tenant.ts';

// While the embedded database runs a statement or transaction, all others wait. The work of one statement or
// transaction must therefore not grow with the number of rows that callers can create. The test fills the
// tables to which callers can add rows, calls every operation and counts the rows touched. It does not
// measure time, which depends on the machine: 5,000 rows take 10 to 100 ms.

const maxRows = 5_000;

const mailServer = await startMailServer();
after(mailServer.close);
let touched: Touched[] = [];
const clock = movableClock();
const service = await startService({
  now: clock.now,
  env: {
    WEBHOOK_ALLOW: '127.0.0.1',
    RATE_LIMIT: '0',
    ANONYMOUS_RATE_LIMIT: '0',
    SMTP_URL: mailServer.url,
    MAIL_FROM: 'noreply@lectern.example',
    MAIL_RATE_LIMIT: '3',
  },
  over: (engine) => countTouched(engine, (transaction) => void touched.push(transaction)),
});
after(service.close);
useHostName(service);
const receiver = await startReceiver();
after(receiver.kill);

const tenant = await newTenant(service, { Status: 'test' });
const { api, TenantID } = tenant;
const operator = service.api;
const CourseID = unique('crowded');
expectStatus(await operator('PUT', `/course/${CourseID}`, { Title: CourseID }), 201);
const pack = await packCourse('phishing');
await service.importPackage(CourseID, pack);
await operator('PUT', `/course/${CourseID}/option/standard`, {});
const LoginID = await tenant.user({
  Password: 'right',
  GroupName: 'crowd',
  IsAdmin: true,
  Email: 'crowd@mail.example',
});
const enrolled = await api('POST', `/enrol/${LoginID}/${CourseID}`);
const { EnrollID, LaunchURL } = enrolled.body;
const { commit, alive } = await play(service, LaunchURL);
const Cmi5CourseID = unique('cmi5');
const UnitID = 'https://example.com/au';
const cmi5 = {
  'cmi5.xml': courseStructure(au({ id: UnitID, attributes: 'moveOn="Completed"' })),
  'index.html': '',
};
await service.importPackage(Cmi5CourseID, await packFiles(cmi5));
await operator('PUT', `/course/${Cmi5CourseID}/option/standard`, {});
const { body: cmi5Enrolled } = await api('POST', `/enrol/${LoginID}/${Cmi5CourseID}`);
const unit = await openAu(service, cmi5Enrolled.LaunchURL);
const aiccCourse = await importAicc({ api: operator, importPackage: service.importPackage });
const { body: aiccEnrolled } = await api('POST', `/enrol/${LoginID}/${aiccCourse}`);
const aiccUnit = await openAicc(service, aiccEnrolled.LaunchURL);
const hook = await api('POST', '/webhook', { URL: receiver.url, Types: ['user.created'] });
const { WebhookID } = hook.body;
const { rows } = await sql<{ user_id: string }>`
  select user_id from "user" where tenant_id = ${TenantID} and login_id = ${LoginID}`.execute(service.ctx.db);
const userId = rows[0]?.user_id ?? '';
await fillCrowd(service, {
  TenantID,
  userId,
  enrollId: EnrollID,
  cmi5EnrollId: cmi5Enrolled.EnrollID,
  webhookId: WebhookID,
  courseId: CourseID,
});

const [user, enrolment, cmi5Enrolment, webhook, course] = [
  `/user/${LoginID}`,
  `/enrolment/${LoginID}/${EnrollID}`,
  `/enrolment/${LoginID}/${cmi5Enrolled.EnrollID}`,
  `/webhook/${WebhookID}`,
  `/course/${CourseID}`,
];
const keys = { CourseIDs: [CourseID], DurationIDs: ['standard'] };
const daily = {
  ...{ Name: 'Daily', Report: 'activity', Every: 'day', Time: '07:00', TimeZone: 'UTC' },
  ...{ Delivery: 'webhook' },
};
const schedule = async () =>
  `/report/schedule/${(await api('POST', '/report/schedule', daily)).body.ScheduleID}`;
const ndjson = { 'content-type': 'application/x-ndjson' };
const keyOf = async () => (await api('POST', '/enrolment/key', keys)).body.Items[0];
const session = async () => {
  const { SignInURL } = (await api('POST', `/user/session/${LoginID}`)).body;
  const token = new URL(SignInURL).searchParams.get('token');
  const signedIn = await service.api('POST', '/session/sign-in', { token }, '');
  return signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
};
const asSession = async (method: string, path: string, body?: object) =>
  service.api(method, path, body, '', {
    cookie: await session(),
    'sec-fetch-site': 'same-origin',
  });
const asAdministrator = async (method: string, path: string, body?: object) =>
  browser(service, await signInUser(service, tenant, await tenant.user({ IsAdmin: true })))(
    method,
    path,
    body,
  );
const addedPasskey = async () => {
  const cookie = await signInUser(service, tenant, await tenant.user({ IsAdmin: true }));
  const key = newAuthenticator(service);
  const challenge = await challengeOf(browser(service, cookie), 'add');
  const reply = await browser(service, cookie)('POST', '/session/passkey', key.create(challenge));
  return { key, reply, page: pageAfter(service, reply) };
};
const { token: resetToken, hash: resetHash } = newToken(TenantID);
await service.ctx.db
  .insertInto('password_reset')
  .values({
    tenant_id: TenantID,
    link_hash: resetHash,
    user_id: userId,
    created_at: new Date('2200-01-01'),
    expires_at: new Date('2200-01-02'),
  })
  .execute();
const invite = () => api('POST', '/invitation', { LoginID });
const withLink = async (path: string, more: object) => {
  const Token = new URL((await invite()).body.InvitationURL).hash.slice(1);
  return service.api('POST', `/session/invitation${path}`, { Token, ...more }, '');
};
const all = (path: string, queries: string[]) =>
  queries.map((query) => async () => {
    expectStatus(await api('GET', `${path}?${query}`), 200);
  });

const openedUnit = async () => {
  const opened = await openUnit(unit.playing, service.contentUrl, { UnitID });
  expectStatus(opened, 201);
  return startAu(opened.body);
};

const version = { 'x-experience-api-version': '2.0.0' };
const { agent, verb, activityId } = lrs;
const asked = (path: string, query: Record<string, string>) => `/xapi/${path}?${new URLSearchParams(query)}`;
const lrsCall =
  (method: string, path: string, query: Record<string, string> = {}, body?: object): Call =>
  async () => {
    const reply = await api(method, asked(path, query), body, version);
    assert.ok(reply.status < 300 || reply.status === 409, `${path} ${JSON.stringify(reply.body)}`);
    return reply;
  };
const statement = { actor: JSON.parse(agent), verb: { id: verb }, object: { id: activityId } };
const crowdStatement = (n: number) => `01970000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
const documentCalls = (noun: string, path: string, query: Record<string, string>, name: string) => {
  const one = { ...query, [name]: 'd-1' };
  return {
    [`get${noun}`]: [lrsCall('GET', path, query)],
    [`put${noun}`]: [lrsCall('PUT', path, one, {})],
    [`post${noun}`]: [lrsCall('POST', path, one, {})],
  };
};

type Call = () => Promise<unknown>;

/** Operations that remove data come last. */
const calls: Record<string, Call[]> = {
  readUser: [() => api('GET', user)],
  checkUser: [() => api('GET', `/user/check/${LoginID}`)],
  checkPassword: [() => api('POST', `/user/check/${LoginID}`, { Password: 'wrong' })],
  listUsers: all('/user', [
    '',
    'GroupName=crowd',
    'Search=first',
    'Search=zzz',
    'Email=crowd@x.example',
    ...['Enabled=false', 'Enabled=true'],
    ...['GroupName=crowd&Email=crowd@x.example', 'GroupName=crowd&Enabled=false'],
    ...['Email=other@x.example&Enabled=false', 'Email=crowd@x.example&Enabled=true'],
    ...['Search=second&GroupName=crowd', 'Search=la&Email=nobody@x.example', 'Search=first&Enabled=false'],
    'Search=c&GroupName=crowd&Email=crowd@x.example',
    ...['Order=oldest', 'Order=newest', 'Order=newest&GroupName=crowd', 'Order=newest&Enabled=false'],
    ...['', 'GroupName=crowd&', 'Search=first&', 'Search=second&GroupName=crowd&', 'Order=newest&'].map(
      (query) => `${query}Count=true`,
    ),
    ...['Email=crowd@x.example&Enabled=true&', 'GroupName=crowd&Enabled=false&'].map(
      (query) => `${query}Count=true`,
    ),
  ]),
  listGroups: all('/group', ['', 'Search=c']),
  readOffer: [() => api('GET', `/catalogue/course/${CourseID}/${LoginID}`)],
  listOfferedCourses: all('/catalogue/course', ['']),
  listEnrolments: all(
    '/enrolment',
    [
      ...[
        '',
        `LoginID=${LoginID}`,
        `EnrollID=${EnrollID}`,
        `CourseID=${CourseID}`,
        'Status=enrolled',
        'Status=completed',
        'GroupName=crowd',
      ],
      ...['ExpiresAfter=2030-01-01T00:00:00Z', 'ChangedAfter=2024-01-01T00:00:00Z'],
      `LoginID=${LoginID}&CourseID=other`,
      ...[
        'GroupName=crowd&Status=enrolled',
        'LoginID=crowd-2&Status=enrolled',
        'LoginID=crowd-2&GroupName=others',
      ],
      ...[`CourseID=${CourseID}`, `CourseID=${CourseID}&Status=enrolled`].map(
        (of) => `${of}&GroupName=crowd`,
      ),
      `CourseID=${CourseID}&DurationID=standard&Status=completed`,
      ...['Status=completed', 'LoginID=crowd-2&Status=enrolled', 'GroupName=crowd&Status=enrolled'].flatMap(
        (others) => [
          `ChangedAfter=2024-01-01T00:00:00Z&${others}`,
          `ExpiresAfter=2024-01-01T00:00:00Z&${others}`,
        ],
      ),
      ...['ExpiresAfter=2024-01-01T00:00:00Z&GroupName=crowd', 'Status=expired'],
      ...['Search=first', 'Search=zzz', 'Search=c', 'Search=crowd-2', 'Search=second first'],
      ...['Search=first&GroupName=crowd&Status=enrolled', 'Search=first&Status=completed'],
      ...['Search=crowd-2&ChangedAfter=2024-01-01T00:00:00Z', 'Search=first&Count=true'],
      ...[
        ...['', `CourseID=${CourseID}&`, 'Status=completed&', 'Status=expired&', 'GroupName=crowd&'],
        ...['GroupName=crowd&Status=enrolled&', `CourseID=${CourseID}&GroupName=crowd&Status=enrolled&`],
        ...['ExpiresAfter=2024-01-01T00:00:00Z&', 'ChangedAfter=2024-01-01T00:00:00Z&GroupName=crowd&'],
      ].map((query) => `${query}Count=true`),
    ].flatMap((query) => [`Order=oldest&${query}`, `Order=newest&${query}`]),
  ),
  listEnrolmentsOfUser: all(`/enrolment/${LoginID}`, ['', 'Order=newest']),
  readEnrolment: [() => api('GET', enrolment)],
  explainEnrolment: [enrolment, cmi5Enrolment].map((path) => () => api('GET', `${path}/explain`)),
  readActivity: all(`${enrolment}/activity`, ['']),
  listAttempts: all(`${enrolment}/attempt`, ['']),
  listCourseInteractions: all(`/enrolment/course/${CourseID}/interaction`, ['', 'Limit=200']),
  readCourseQuestions: [() => api('GET', `/enrolment/course/${CourseID}/question`)],
  readTimeline: [enrolment, cmi5Enrolment].flatMap((path) => all(`${path}/timeline`, [''])),
  listEnrolmentKeys: all('/enrolment/key', [
    '',
    'PurchaseOrder=order',
    ...['Status=available', 'Status=revoked', 'Status=scheduled', 'PurchaseOrder=order&Status=available'],
    ...['Count=true', 'Status=available&Count=true', 'PurchaseOrder=order&Status=revoked&Count=true'],
  ]),
  readEnrolmentKey: [async () => api('GET', `/enrolment/key/${(await keyOf()).Key}`)],
  exportUser: [() => api('GET', `${user}/export`)],
  listEvents: all('/events', [
    ...[
      '',
      `EnrollID=${EnrollID}`,
      `LoginID=${LoginID}`,
      'Types=user.erased',
      'Types=user.erased&Order=newest',
    ],
    ...[`EnrollID=${EnrollID}&Types=user.erased`, `LoginID=${LoginID}&Types=user.erased`],
    ...[`EnrollID=${EnrollID}&LoginID=crowd-2`, `EnrollID=${EnrollID}&LoginID=crowd-2&Order=newest`],
    ...[`LoginID=${LoginID}&Order=newest`, `LoginID=${LoginID}&Types=user.erased&Order=newest`],
  ]),
  listCompletion: [
    // With so many events, the first report only starts the counting.
    async () => expectStatus(await api('GET', '/report/completion'), 503),
    () => countCompletion(service.ctx),
    ...all('/report/completion', [
      ...['By=course', 'By=group', 'By=course_and_group', 'By=total', 'By=course_and_group&AsOf=2001-01-01'],
      ...['By=group&GroupName=group-3', `By=group&CourseID=${CourseID}`],
    ]),
  ],
  listAccess: [
    async () => expectStatus(await api('GET', '/report/access'), 503),
    () => countAccess(service.ctx),
    ...all('/report/access', [
      ...['By=course', 'By=group', 'By=course_and_group', 'By=total', 'By=course_and_group&AsOf=2001-01-01'],
      ...['By=group&GroupName=group-3', `By=group&CourseID=${CourseID}`],
    ]),
  ],
  listActivity: [
    async () => expectStatus(await api('GET', '/report/activity'), 503),
    () => countActivity(service.ctx),
    ...all('/report/activity', [
      ...['From=2001-01-01&To=2001-12-31', 'Unit=week', 'Unit=month&GroupName=group-3'],
      `CourseID=${CourseID}&GroupName=group-3`,
    ]),
  ],
  createReportSchedule: [() => api('POST', '/report/schedule', daily)],
  listReportSchedules: all('/report/schedule', ['']),
  readReportSchedule: [async () => api('GET', await schedule())],
  updateReportSchedule: [async () => api('PUT', await schedule(), { Name: 'Weekly' })],
  runReportSchedule: [async () => api('POST', `${await schedule()}/run`), () => runSchedules(service.ctx)],
  deleteReportSchedule: [async () => api('DELETE', await schedule())],
  readOverview: all('/overview', ['', 'Days=7']),
  listWebhooks: all('/webhook', ['']),
  readWebhook: [() => api('GET', webhook)],
  listDeliveries: all(`${webhook}/delivery`, [
    ...['', 'Status=pending', 'Status=failed', `EnrollID=${EnrollID}`, `EnrollID=${EnrollID}&Status=failed`],
    `EnrollID=${userId}&Status=pending`,
  ]),
  listAudit: [
    ...all('/audit', [
      ...[
        '',
        'Action=user.exported',
        'LoginID=crowd-2',
        `LoginID=${LoginID}`,
        `TargetID=${EnrollID}`,
        `ActorID=${actors[0]}`,
      ],
      ...[`LoginID=${LoginID}&Action=user.exported`, `ActorID=${actors[0]}&Action=user.exported`],
      ...[`ActorID=${actors[0]}`, `LoginID=${LoginID}`, `TargetID=${EnrollID}`].map(
        (of) => `${of}&Action=enrolment.reinstated`,
      ),
      `TargetID=${EnrollID}&ActorID=${actors[1]}`,
    ]),
    () => operator('GET', '/audit'),
  ],
  readPasswordFunction: [() => service.api('GET', `/session/password/${TenantID}`, undefined, '')],
  readSession: [() => asSession('GET', '/session')],
  openSignInLink: [() => service.api('GET', '/session/sign-in?token=x', undefined, '')],
  createInvitation: [() => invite()],
  createInvitations: [() => api('POST', '/invitation/bulk', `${JSON.stringify({ LoginID })}\n`, ndjson)],
  listInvitations: [() => api('GET', '/invitation?Status=pending')],
  listMails: all('/mail', ['', 'Status=queued', `LoginID=${LoginID}`, `LoginID=${LoginID}&Status=queued`]),
  reportBounce: ['permanent', 'temporary'].map(
    (Kind) => () => api('POST', '/mail/bounce', { EmailAddress: 'crowd@x.example', Kind }),
  ),
  clearBounce: [() => api('DELETE', `/user/${LoginID}/bounce`)],
  setPassword: [() => api('PUT', `/user/password/${LoginID}`, { Password: 'f'.repeat(64) })],
  forgetPassword: [() => service.api('POST', '/session/reset', { TenantID, LoginID }, '')],
  readOpenReset: [() => service.api('POST', '/session/reset/check', { Token: resetToken }, '')],
  resetPassword: [
    () => service.api('PUT', '/session/reset', { Token: resetToken, Password: 'f'.repeat(64) }, ''),
  ],
  readInvitation: [() => api('GET', `/invitation/${LoginID}`)],
  createInvitationLink: [
    async () => api('POST', `/invitation/${LoginID}/${(await invite()).body.InvitationID}/link`),
  ],
  readOpenInvitation: [async () => withLink('/check', {})],
  acceptInvitation: [async () => withLink('', { Password: 'ab'.repeat(32) })],
  revokeInvitation: [() => api('DELETE', `/invitation/${LoginID}`)],
  createPasskeyChallenge: [() => asAdministrator('POST', '/session/passkey/challenge', { Purpose: 'add' })],
  listOwnPasskeys: [() => asAdministrator('GET', '/session/passkey')],
  listUserPasskeys: [() => api('GET', `/user/${LoginID}/passkey`)],
  addPasskey: [async () => (await addedPasskey()).reply],
  usePasskey: [
    async () => {
      const { page, key } = await addedPasskey();
      return page('POST', '/session/passkey/use', key.get(await challengeOf(page, 'use')));
    },
  ],
  renamePasskey: [
    async () => {
      const { page, reply } = await addedPasskey();
      return page('PUT', `/session/passkey/${reply.body.PasskeyID}`, { Name: 'new' });
    },
  ],
  removePasskey: [
    async () => {
      const { page, reply } = await addedPasskey();
      return page('DELETE', `/session/passkey/${reply.body.PasskeyID}`);
    },
  ],
  removeUserPasskeys: [() => api('DELETE', `/user/${LoginID}/passkey`)],
  changeOwnPassword: [
    () => asSession('PUT', '/session/password', { OldPassword: 'ab'.repeat(32), Password: 'cd'.repeat(32) }),
  ],
  launch: [() => fetch(LaunchURL, { redirect: 'manual' })],
  previewOfferedCourse: [() => api('POST', `/catalogue/course/${CourseID}/preview`, {})],
  listCourses: [() => operator('GET', '/course')],
  readCourse: [() => operator('GET', course)],
  readCurrentRelease: [() => operator('GET', `${course}/package`)],
  listReleases: [() => operator('GET', `${course}/release`)],
  readRelease: [() => operator('GET', `${course}/release/1`)],
  listTenants: [() => operator('GET', '/tenant')],
  readTenant: [() => operator('GET', `/tenant/${TenantID}`)],
  readBranding: [() => api('GET', '/branding')],
  readSettings: [() => api('GET', '/settings')],
  readPageBranding: [() => fetch(`${service.baseUrl}/branding/${TenantID}`)],
  readLogo: [() => fetch(`${service.baseUrl}/branding/${TenantID}/logo/${'x'.repeat(22)}`)],
  changeBranding: [() => api('PUT', '/branding', { Colour: '#0057b8' })],
  changeSettings: [() => api('PUT', '/settings', { ReminderDays: [7] })],
  listKeys: [() => operator('GET', `/tenant/${TenantID}/key`)],
  exportTenant: [() => operator('GET', `/tenant/${TenantID}/export`)],

  createUser: [
    () => api('POST', '/user', { LoginID: unique('new') }),
    () => api('POST', '/user', { LoginID }),
  ],
  createUsers: [() => api('POST', '/user/bulk', `${JSON.stringify({ LoginID })}\n`, ndjson)],
  updateUser: [
    () => api('PUT', user, { FirstName: 'Other' }),
    () => api('PUT', '/user/crowd-2', { GroupName: 'other' }),
    () => api('PUT', user, { Password: 'other' }),
  ],
  enrol: [
    () => api('POST', `/enrol/${LoginID}/${CourseID}`),
    () => api('POST', `/enrol/${LoginID}/${CourseID}`, { IfEnrolled: 'extend' }),
    () => api('POST', `/enrol/crowd-2/${CourseID}`),
  ],
  enrolWithOption: [() => api('POST', `/enrol/crowd-4/${CourseID}/standard`)],
  enrolMany: [() => api('POST', '/enrol/bulk', `${JSON.stringify({ LoginID, CourseID })}\n`, ndjson)],
  updateEnrolment: [() => api('PUT', enrolment, { Reference: 'other' })],
  issueEnrolmentKeys: [keyOf],
  checkEnrolmentKey: [async () => api('POST', `/enrol/key/crowd-6/${(await keyOf()).Key}/check`)],
  redeemEnrolmentKey: [async () => api('POST', `/enrol/key/crowd-6/${(await keyOf()).Key}`)],
  revokeEnrolmentKey: [async () => api('DELETE', `/enrolment/key/${(await keyOf()).KeyID}`)],
  createAccessToken: [
    () =>
      api('POST', '/oauth/token', {
        grant_type: 'client_credentials',
        client_id: tenant.keyId,
        client_secret: tenant.key,
      }),
  ],
  createSignInLink: [() => api('POST', `/user/session/${LoginID}`)],
  signIn: [session],
  signInWithPassword: [
    () =>
      service.api('POST', '/session', { TenantID, LoginID, Password: 'x' }, '', {
        'sec-fetch-site': 'same-origin',
      }),
  ],
  openSession: [() => play(service, LaunchURL)],
  commit: [() => commit({ Data: {} })],
  keepSessionAlive: [alive],
  openUnit: [openedUnit],
  fetchToken: [
    async () => {
      const again = await ask(unit.url.searchParams.get('fetch') ?? '', { method: 'POST' });
      assert.equal(again.status, 200);
    },
  ],
  readSessionResults: [async () => expectStatus(await readResults(unit.playing, service.contentUrl), 200)],
  reportByHacp: ['GetParam', 'PutParam'].map((command, at) => async () => {
    const reply = await aiccUnit.command(command, `[core]\r\ntime=00:00:0${at + 1}`);
    assert.equal(reply.error, '0', reply.text);
  }),
  returnFromUnit: [async () => assert.equal((await ask(unit.launchData.returnURL)).status, 200)],
  waiveUnit: [
    async () =>
      expectStatus(await api('POST', `${cmi5Enrolment}/waive`, { UnitID, Reason: 'Administrative' }), 200),
  ],
  resetEnrolment: [
    async () => expectStatus(await api('POST', `${enrolment}/reset`, { Reason: 'Again' }), 200),
  ],
  createWebhook: [() => api('POST', '/webhook', { URL: receiver.url })],
  updateWebhook: [
    () => api('PUT', webhook, { Status: 'disabled' }),
    () => api('PUT', webhook, { Status: 'enabled' }),
  ],
  rotateWebhookSecret: [() => api('POST', `${webhook}/rotate`, {})],
  pingWebhook: [() => api('POST', `${webhook}/ping`)],
  replayEvents: [
    () => api('POST', `${webhook}/replay`, { From: '2020-01-01T00:00:00Z' }),
    () => api('POST', `${webhook}/replay`, { From: '2020-01-01T00:00:00Z' }, { 'idempotency-key': 'replay' }),
    () => api('POST', `${webhook}/replay`, { EventIDs: [WebhookID] }),
  ],
  putCourse: [() => operator('PUT', course, { Title: 'Other' })],
  putOption: [
    () => operator('PUT', `${course}/option/standard`, { Name: 'Other' }),
    () => operator('PUT', `${course}/option/standard`, { Seats: 100_000 }),
  ],
  importPackage: [() => service.importPackage(CourseID, pack)],
  putRelease: [
    () => operator('PUT', `${course}/release/1`, { Current: true }),
    () => operator('PUT', `${course}/release/1?Plan=true`, { Current: true }),
  ],
  previewCourse: [() => operator('POST', `${course}/preview`, {})],
  createTenant: [() => operator('POST', '/tenant', { TenantID: unique('other') })],
  createKey: [() => operator('POST', `/tenant/${TenantID}/key`, { Name: 'other' })],
  createOwnKey: [() => asAdministrator('POST', '/key', { Name: 'own' })],
  listOwnKeys: [() => asAdministrator('GET', '/key')],
  revokeOwnKey: [
    async () => {
      const { body } = await asAdministrator('POST', '/key', { Name: 'own' });
      return asAdministrator('DELETE', `/key/${body.KeyID}`);
    },
  ],

  postStatements: [
    lrsCall('POST', 'statements', {}, [statement, statement]),
    lrsCall(
      'POST',
      'statements',
      {},
      { ...statement, object: { objectType: 'StatementRef', id: crowdStatement(1) } },
    ),
    lrsCall(
      'POST',
      'statements',
      {},
      { ...statement, object: { objectType: 'StatementRef', id: crowdStatement(4) } },
    ),
  ],
  putStatement: [
    lrsCall('PUT', 'statements', { statementId: crowdStatement(100_000) }, statement),
    async () => {
      const { preferences, send, defined } = await openedUnit();
      await preferences();
      expectStatus(await send(defined('initialized'), defined('completed'), defined('terminated')), 204);
    },
  ],
  getStatements: [
    ...[{}, { agent }, { verb }, { agent, verb }, { agent, related_agents: 'true', ascending: 'true' }].map(
      (query) => lrsCall('GET', 'statements', query as Record<string, string>),
    ),
    lrsCall('GET', 'statements', {
      verb,
      activity: 'https://e.example/other',
      since: '1970-01-01T00:00:00Z',
    }),
    lrsCall('GET', 'statements', {
      agent,
      format: 'canonical',
      limit: '5',
      until: '1970-01-01T00:00:00.01Z',
    }),
    lrsCall('GET', 'statements', { statementId: crowdStatement(crowdedRows) }),
  ],
  getAgents: [lrsCall('GET', 'agents', { agent })],
  getActivities: [lrsCall('GET', 'activities', { activityId })],
  getAbout: [lrsCall('GET', 'about')],
  ...documentCalls('State', 'activities/state', { activityId, agent }, 'stateId'),
  ...documentCalls('ActivityProfile', 'activities/profile', { activityId }, 'profileId'),
  ...documentCalls('AgentProfile', 'agents/profile', { agent }, 'profileId'),

  deleteState: [lrsCall('DELETE', 'activities/state', { activityId, agent })],
  deleteActivityProfile: [lrsCall('DELETE', 'activities/profile', { activityId, profileId: 'd-2' })],
  deleteAgentProfile: [lrsCall('DELETE', 'agents/profile', { agent, profileId: 'd-2' })],
  readClock: [() => api('GET', '/test/clock')],
  moveClock: [() => api('POST', '/test/clock', { Advance: 'P1D' })],
  playCourse: [() => api('POST', `/test/play/${EnrollID}`, { Status: 'completed' })],
  signOut: [() => asSession('DELETE', '/session?Everywhere=true')],
  deleteOption: [() => operator('DELETE', `${course}/option/standard`)],
  deleteCourse: [() => operator('DELETE', course)],
  deleteWebhook: [() => api('DELETE', webhook)],
  eraseUser: [
    () => api('DELETE', '/user/crowd-2?Plan=true'),
    () => api('DELETE', `${user}?Plan=true`),
    () => api('DELETE', user),
  ],
  revokeKey: [() => operator('DELETE', `/tenant/${TenantID}/key/${tenant.keyId}`)],
  updateTenant: [() => operator('PUT', `/tenant/${TenantID}`, { Status: 'suspended' })],
  deleteTenant: [
    async () => {
      const { body } = await operator('DELETE', `/tenant/${TenantID}?Plan=true`);
      const users = body.Deleted.find(({ Data }: { Data: string }) => Data === 'User');
      assert.deepEqual([users.Records, users.More], [10_000, true]);
    },
    () => operator('DELETE', `/tenant/${TenantID}`),
  ],
};

/** Operations without a limit, each with the reason. SECURITY.md lists them under "What is not defended". */
const unbounded: Record<string, string> = {
  updateUser: "a change of the group updates all of the user's enrolments",
  putOption: 'setting a seat limit counts the seats that are already taken',
};

/** These operations read files. They access the database only to open the session. */
const files = ['openPlayer', 'openPreview', 'readCourseFile', 'readPlayerLogo'];

test('the test calls every operation', () => {
  const names = routes.map(({ name }) => name);
  assert.deepEqual(
    names.filter((name) => !calls[name] && !files.includes(name)),
    [],
  );
});

const isReply = (reply: unknown): reply is Reply =>
  typeof reply === 'object' && reply !== null && 'status' in reply && 'body' in reply;

async function findIn(what: string, calls: Call[]): Promise<string[]> {
  const found: string[] = [];
  for (const [at, call] of calls.entries()) {
    touched = [];
    const reply = await call();
    if (isReply(reply)) assert.ok(reply.status < 500, `${what} ${at}: ${JSON.stringify(reply.body)}`);
    for (const { rows, texts } of touched)
      if (rows > maxRows) found.push(`${what} ${at}: ${rows} rows in ${texts.join(';\n').slice(0, 600)}`);
  }
  return found;
}

for (const [name, own] of Object.entries(calls)) {
  const why = unbounded[name];
  if (why === undefined)
    test(`${name} reads few rows at a time`, async () => {
      assert.deepEqual(await findIn(name, own), []);
    });
  else
    test(`${name} does not have a limit yet: ${why}`, async () => {
      const found = await findIn(name, own);
      // A PostgreSQL server collects statistics automatically and may choose a better plan.
      if (service.ctx.engine.kind === 'pglite')
        assert.notDeepEqual(found, [], 'The operation is bounded now. Remove it from the list.');
    });
}

for (const job of jobs)
  test(`the job ${job.name} reads few rows at a time`, async () => {
    // A tenant's rows are removed 10 s after the request to delete it.
    clock.advance({ seconds: 11 });
    assert.deepEqual(await findIn(job.name, [() => job.run(service.ctx)]), []);
  });

test('the final deletion removes the tenant and all of its rows', async () => {
  expectStatus(await operator('POST', '/tenant', { TenantID }), 201);
});
