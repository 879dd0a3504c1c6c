import { au, courseStructure } from '../../../standards/cmi5/test-support.ts';
import { path } from '../../src/http/routes.ts';
import { png } from './images.ts';
import { packFiles } from './packages.ts';
import { leavePasskey } from './passkeys.ts';
import { play } from './player.ts';
import type { Reply } from './send.ts';
import type { TestService } from './service.ts';
import { browser, ownPage, signInOperator } from './sign-in.ts';
import { expectStatus, newCourse, newTenant, type TestTenant, unique } from './tenant.ts';

/**
 * Each payload sets `window.hostile` if a page interprets it as markup, an attribute, a script or a template.
 */
const payloads = [
  '<img src=x onerror="window.hostile=1">',
  '"><svg onload=window.hostile=1>',
  "'-(window.hostile=1)-'",
  '</script><script>window.hostile=1</script>',
  '</title></textarea><iframe srcdoc="<script>top.hostile=1</script>">',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a template injection that must stay text
  '{{constructor.constructor("window.hostile=1")()}}${window.hostile=1}',
  '\u202E\u2066<b onmouseover=window.hostile=1>',
];

/** A hostile text for fields of up to 255 characters. */
export function hostile(field: string): string {
  return `${field} ${payloads.slice(0, 4).join('')}`;
}

/** A hostile text for fields of up to 500 characters. */
export function longHostile(field: string): string {
  return `${field} ${payloads.join('')}`;
}

/** A hostile identifier of up to 64 characters. */
export const hostileId = (field: string) => `${unique(field)}<img src=x onerror=window.hostile=1>`;

/** An allowed address that breaks out of an unescaped attribute. */
export const hostileAddress =
  "https://web.example/\"><img/src=x/onerror=window.hostile=1>?q='-(window.hostile=1)-'";

/** Markup that appears only if one of the texts above was not escaped. */
export const escaped = /<img src=x|<img\/src=x|<svg onload|<script>window|<iframe srcdoc|<b onmouseover/i;

/** Nothing listens on this port. */
const hostileUrl = 'http://127.0.0.1:9/"><img/src=x/onerror=window.hostile=1>';
const hostileUrls = { AuthURL: hostileUrl, TokenURL: hostileUrl, JWKSURL: hostileUrl };

/**
 * The bodies for `fillWithPayloads`, by operation. They contain every free-text field that the API
 * accepts.
 */
export const hostileBodies = {
  createUser: {
    LoginID: hostile('LoginID'),
    FirstName: hostile('FirstName'),
    LastName: hostile('LastName'),
    GroupName: hostile('GroupName'),
    Groups: [hostile('GroupName'), hostile('Group')],
    ManagerLoginID: hostile('ManagerLoginID'),
    Attributes: { site: hostile('Attribute') },
    Email: hostile('Email'),
    Password: hostile('Password'),
  },
  updateUser: {
    FirstName: hostile('FirstName'),
    LastName: hostile('LastName'),
    GroupName: hostile('GroupName'),
    Groups: [hostile('GroupName'), hostile('Group')],
    ManagerLoginID: hostile('ManagerLoginID'),
    Attributes: { site: hostile('Attribute') },
    Email: hostile('Email'),
    Password: hostile('Password'),
  },
  reportBounce: { EmailAddress: hostile('Email'), Kind: 'permanent', Reason: longHostile('Reason') },
  putCourse: {
    Title: longHostile('Title'),
    Description: longHostile('Description'),
    ImageURL: hostileAddress,
    URL: hostileAddress,
    Certificate: {
      On: 'passed',
      ValidFor: 'P1Y',
      ValidTo: null,
      Title: hostile('Title').slice(0, 200),
      Text: hostile('Text'),
    },
  },
  putCertificateTemplate: {
    Title: hostile('Title').slice(0, 200),
    Text: hostile('Text'),
    ValidFor: 'P1Y',
    ValidTo: null,
    Signatures: [{ Name: hostile('Name').slice(0, 100), Role: hostile('Role').slice(0, 100), Image: null }],
    Serial: `${hostile('Serial').replaceAll(/[{}]/g, '').slice(0, 40)}{Counter}`,
    On: 'completed',
  },
  placeLegalHold: { Reason: longHostile('Reason') },
  revokeCertificate: { Reason: longHostile('Reason'), ShowReason: true },
  putPath: {
    Title: hostile('Title').slice(0, 200),
  },
  putRequirement: {
    Title: hostile('Title').slice(0, 200),
    CourseIDs: [hostile('CourseID')],
    Audience: {
      Groups: [hostile('GroupName')],
      Attributes: { site: [hostile('Attribute')] },
      Managers: [hostile('LoginID')],
      LoginIDs: [hostile('LoginID')],
    },
    DueAfter: 'P30D',
    DurationID: hostile('DurationID'),
  },
  changeReminderText: {
    Subject: hostile('Subject'),
    Intro: hostile('Intro'),
    Closing: hostile('Closing'),
  },
  voidRelease: { CourseID: hostile('CourseID'), Release: 1, Before: '2020-01-01' },
  recordCompletion: {
    LoginID: hostile('LoginID'),
    CourseID: hostile('CourseID'),
    Title: longHostile('Title'),
    CompletedAt: '2020-01-01',
    Source: hostile('Source'),
    EvidenceText: longHostile('EvidenceText'),
    EvidenceURL: hostileAddress,
    Reference: hostile('Reference'),
  },
  exemptUser: { Exempt: true, Reason: longHostile('Reason') },
  reissueCertificate: { Reason: longHostile('Reason'), ShowReason: true },
  importFromURL: { URL: 'http://127.0.0.1:9/"><img/src=x/onerror=window.hostile=1>' },
  putOption: { Name: hostile('Name'), Groups: [hostile('GroupName')], Duration: 'P30D' },
  enrolWithOption: { Reference: hostile('Reference'), Metadata: { 'key"><img>': hostile('Metadata') } },
  enrol: { Reference: hostile('Reference'), Metadata: { 'key"><img>': hostile('Metadata') } },
  updateEnrolment: {
    Reference: hostile('Reference'),
    Metadata: { 'key"><img>': hostile('Metadata') },
    Override: { Reason: longHostile('Reason'), Success: 'passed' },
  },
  resetEnrolment: { Reason: longHostile('Reason') },
  /** The ID of an AU is an IRI, which cannot have angle brackets or double quotes. */
  waiveUnit: {
    UnitID: "https://web.example/au?q='-(window.hostile=1)-'",
    Reason: longHostile('Reason'),
  },
  issueEnrolmentKeys: {
    CourseIDs: [hostile('CourseID')],
    DurationIDs: [hostile('DurationID')],
    LoginID: hostile('LoginID'),
    Group: hostile('GroupName'),
    PurchaseOrder: hostile('PurchaseOrder'),
  },
  createSignInLink: { Path: '/console?q="><img/src=x/onerror=window.hostile=1>' },
  renamePasskey: { Name: '"><img src=x onerror="window.hostile=1"><svg onload=window.hostile=1>' },
  createTenant: { TenantID: hostileId('t'), Name: hostile('Name') },
  updateTenant: { Name: hostile('Name') },
  createPlatform: {
    Name: hostile('Name').slice(0, 100),
    Issuer: hostile('Issuer'),
    ClientID: hostile('ClientID'),
    DeploymentIDs: [hostile('Deployment')],
    ...hostileUrls,
  },
  updatePlatform: {
    Name: hostile('Name').slice(0, 100),
    Issuer: hostile('Issuer'),
    ClientID: hostile('ClientID'),
    DeploymentIDs: [hostile('Deployment')],
    ...hostileUrls,
  },
  putTool: {
    Title: hostile('Title').slice(0, 200),
    LoginURL: hostileUrl,
    TargetLinkURI: hostileUrl,
    RedirectURIs: [hostileUrl],
    JWKSURL: hostileUrl,
    Custom: { chapter: hostile('Custom') },
  },
  createDispatch: {
    CourseID: hostile('CourseID'),
    DurationID: hostile('DurationID'),
    Standard: 'scorm12',
    Name: hostile('Name').slice(0, 100),
  },
  updateDispatch: { Name: hostile('Name').slice(0, 100) },
  putIdentityProvider: {
    Name: hostile('Name').slice(0, 100),
    Issuer: 'http://127.0.0.1:9/"><img/src=x/onerror=window.hostile=1>',
    ClientID: hostile('ClientID'),
    ClientSecret: hostile('ClientSecret'),
    Scopes: ['openid', '<img/src=x/onerror=window.hostile=1>'],
    LoginIDClaim: hostile('claim'),
    GroupClaim: hostile('claim'),
    Claims: {
      FirstName: hostile('claim'),
      LastName: hostile('claim'),
      Email: hostile('claim'),
      GroupName: hostile('claim'),
    },
    AdministratorGroups: [hostile('group')],
    Domains: ['web.example'],
  },
  changeBranding: { Colour: '#0057b8', Logo: png().toString('base64') },
  createKey: { Name: hostile('Name') },
  createOwnKey: { Name: hostile('Name') },
  createWebhook: {
    Kind: 'xapi',
    Username: hostile('Username'),
    Password: hostile('Password'),
    TokenURL: 'http://127.0.0.1:9/token',
    Scope: hostile('Scope'),
    URL: 'http://127.0.0.1:9/"><img/src=x/onerror=window.hostile=1>',
    Description: longHostile('Description'),
  },
  updateWebhook: {
    Username: hostile('Username'),
    Password: hostile('Password'),
    TokenURL: 'http://127.0.0.1:9/token',
    Scope: hostile('Scope'),
    URL: 'http://127.0.0.1:9/"><svg/onload=window.hostile=1>',
    Description: longHostile('Description'),
  },
  createReportSchedule: {
    ...{ Report: 'completion', Every: 'day', Time: '07:00', TimeZone: 'UTC', Delivery: 'webhook' },
    Name: hostile('Name').slice(0, 100),
    CourseID: hostileId('CourseID'),
    RequirementID: null,
    GroupName: hostile('GroupName'),
  },
  updateReportSchedule: {
    Name: hostile('Name').slice(0, 100),
    Report: 'compliance',
    CourseID: null,
    RequirementID: hostileId('RequirementID'),
    GroupName: hostile('GroupName'),
    Time: '07:00',
    TimeZone: 'UTC',
  },
};

export const asXml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Waives the unit of a cmi5 course after the learner has opened the unit. */
async function waiveUnit(service: TestService, { api }: TestTenant, LoginID: string): Promise<void> {
  const CourseID = unique('cmi5');
  const title = `<langstring lang="en">${asXml(hostile('Unit'))}</langstring>`;
  const structure = courseStructure(au({ id: hostileBodies.waiveUnit.UnitID, title }));
  const zip = await packFiles({ 'cmi5.xml': structure, 'index.html': '<!doctype html><title>AU</title>' });
  expectStatus(await service.importPackage(CourseID, zip), 201);
  expectStatus(await service.api('PUT', `/course/${CourseID}/option/open`, {}), 201);
  const enrolled = await api('POST', path`/enrol/${LoginID}/${CourseID}`);
  expectStatus(enrolled, 201);
  await play(service, enrolled.body.LaunchURL);
  const address = path`/enrolment/${LoginID}/${enrolled.body.EnrollID}/waive`;
  expectStatus(await api('POST', address, hostileBodies.waiveUnit), 200);
}

/** Resets an enrolment after the learner has opened it. */
async function resetAttempt(service: TestService, { api }: TestTenant, LoginID: string): Promise<void> {
  const enrolled = await api('POST', path`/enrol/${LoginID}/${await newCourse(service)}`);
  await play(service, enrolled.body.LaunchURL);
  const address = path`/enrolment/${LoginID}/${enrolled.body.EnrollID}/reset`;
  expectStatus(await api('POST', address, hostileBodies.resetEnrolment), 200);
}

/**
 * A tenant with a hostile text in every free-text field of the API: user, course, option, enrolment, keys, endpoint.
 * The service must allow webhooks to 127.0.0.1 (`WEBHOOK_ALLOW`). `zip`, if given, is imported into the course.
 */
export async function fillWithPayloads(service: TestService, zip?: string) {
  const tenant = await newTenant(service);
  const { TenantID } = tenant;
  const bodies = hostileBodies;
  const done = (reply: Reply): Reply['body'] => {
    expectStatus(reply, reply.status === 200 ? 200 : 201);
    return reply.body;
  };
  const { LoginID } = bodies.createUser;
  const CourseID = hostile(unique('CourseID'));
  const DurationID = hostile('DurationID');
  const course = path`/course/${CourseID}`;
  done(await service.api('POST', '/tenant', bodies.createTenant));
  done(await service.api('PUT', `/tenant/${TenantID}`, bodies.updateTenant));
  done(await tenant.api('PUT', '/branding', bodies.changeBranding));
  const key = done(await service.api('POST', `/tenant/${TenantID}/key`, bodies.createKey));
  const operator = browser(service, await signInOperator(service));
  done(await operator('POST', '/key', bodies.createOwnKey, { ...ownPage, tenant: TenantID }));
  done(await tenant.api('POST', '/user', bodies.createUser));
  done(await tenant.api('PUT', path`/user/${LoginID}`, bodies.updateUser));
  done(await tenant.api('POST', '/mail/bounce', bodies.reportBounce));
  const { URL: address, ...described } = bodies.putCourse;
  done(await service.api('PUT', course, zip ? described : { ...described, URL: address }));
  done(await service.api('PUT', `${course}${path`/option/${DurationID}`}`, bodies.putOption));
  expectStatus(await service.api('POST', `${course}/import`, bodies.importFromURL), 202);
  if (zip) {
    const { readFile } = await import('node:fs/promises');
    const response = await fetch(`${service.baseUrl}${course}/package`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${service.operatorKey}`, 'content-type': 'application/zip' },
      body: await readFile(zip),
    });
    if (!response.ok) throw new Error(await response.text());
    done(await service.api('PUT', course, described));
  }
  const place = path`/enrol/${LoginID}/${CourseID}/${DurationID}`;
  const enrolment = done(await tenant.api('POST', place, bodies.enrolWithOption));
  const CourseIDs = [CourseID];
  const Audience = { ...bodies.putRequirement.Audience, Managers: [LoginID], LoginIDs: [LoginID] };
  done(
    await tenant.api('PUT', '/requirement/hostile', {
      ...bodies.putRequirement,
      CourseIDs,
      DurationID,
      Audience,
    }),
  );
  done(
    await tenant.api('PUT', '/requirement/everyone', {
      Title: 'x',
      CourseIDs,
      DurationID,
      DueAfter: 'P30D',
      Audience: {},
    }),
  );
  const Steps = [{ CourseIDs, DurationID }];
  done(await tenant.api('PUT', '/course/hostile-path/path', { ...bodies.putPath, Steps }));
  done(await tenant.api('PUT', '/reminder/text/en', bodies.changeReminderText));
  done(await tenant.api('POST', '/completion', { ...bodies.recordCompletion, LoginID, CourseID }));
  done(await tenant.api('PUT', path`/obligation/${LoginID}/everyone`, bodies.exemptUser));
  await waiveUnit(service, tenant, LoginID);
  await resetAttempt(service, tenant, LoginID);
  done(
    await tenant.api('POST', '/enrolment/key', {
      ...bodies.issueEnrolmentKeys,
      CourseIDs: [CourseID],
      DurationIDs: [DurationID],
    }),
  );
  const hook = done(await tenant.api('POST', '/webhook', bodies.createWebhook));
  done(await tenant.api('PUT', `/webhook/${hook.WebhookID}`, bodies.updateWebhook));
  await leavePasskey(service, { TenantID, LoginID }, bodies.renamePasskey.Name);
  const platform = done(await tenant.api('POST', '/platform', bodies.createPlatform));
  done(await tenant.api('PUT', `/platform/${platform.PlatformID}`, bodies.updatePlatform));
  done(await tenant.api('PUT', '/course/hostile-tool/tool', bodies.putTool));
  const dispatch = done(
    await tenant.api('POST', '/dispatch', { ...bodies.createDispatch, CourseID, DurationID }),
  );
  done(await tenant.api('PUT', `/dispatch/${dispatch.DispatchID}`, bodies.updateDispatch));
  const scheduled = done(await tenant.api('POST', '/report/schedule', bodies.createReportSchedule));
  done(await tenant.api('PUT', `/report/schedule/${scheduled.ScheduleID}`, bodies.updateReportSchedule));
  const link = done(await tenant.api('POST', path`/user/session/${LoginID}`, bodies.createSignInLink));
  return {
    tenant,
    key,
    LoginID,
    CourseID,
    DurationID,
    EnrollID: enrolment.EnrollID as string,
    LaunchURL: enrolment.LaunchURL as string,
    SignInURL: link.SignInURL as string,
    override: () =>
      tenant.api('PUT', path`/enrolment/${LoginID}/${enrolment.EnrollID}`, bodies.updateEnrolment),
  };
}
