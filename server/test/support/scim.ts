import type { TestService } from './service.ts';
import { expectStatus, newTenant } from './tenant.ts';

const core = 'urn:ietf:params:scim:schemas:core:2.0';
export const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const patch = (...Operations: object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
});

/** A new tenant and its directory, which has a key with the scope scim:write only. */
export async function directory(service: TestService) {
  const tenant = await newTenant(service);
  const key = await service.api('POST', `/tenant/${tenant.TenantID}/key`, {
    Name: 'scim',
    Scopes: ['scim:write'],
  });
  const scim = (method: string, path: string, body?: unknown, type = 'application/scim+json') => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    return service.api(method, `/scim/v2${path}`, text, key.body.Secret, { 'content-type': type });
  };
  const create = async (userName: string, fields: object = {}) => {
    const user = { schemas: [`${core}:User`], userName, active: true, ...fields };
    const reply = await scim('POST', '/Users', user);
    expectStatus(reply, 201);
    return reply.body;
  };
  const find = async (filter: string, path = '/Users') =>
    (await scim('GET', `${path}?filter=${encodeURIComponent(filter)}`)).body;
  return { tenant, scim, create, find, secret: key.body.Secret as string };
}

/**
 * A request of a directory and what must come of it. `{user}`, `{boss}` and `{group}` stand for IDs; `total` is
 * totalResults of a list, `user` has fields of GET /user afterwards, `members` the LoginIDs in the group.
 */
export type Exchange = {
  send: [method: string, path: string, body?: unknown];
  status: number;
  total?: number;
  user?: Record<string, unknown>;
  members?: string[];
};

const schemas = [`${core}:User`, enterprise];
const groupSchemas = [`${core}:Group`];
const work = (value: string, type = 'work') => [{ primary: true, type, value }];
const filter = (path: string, text: string, more = '') => `${path}?filter=${encodeURIComponent(text)}${more}`;
const one = (value: unknown) => [{ value }];
const asked = (path: string, text: string, total: number, more = ''): Exchange => ({
  send: ['GET', filter(path, text, more)],
  status: 200,
  total,
});
const patched = (operations: object[], user: Record<string, unknown>): Exchange => ({
  send: ['PATCH', '/Users/{user}', patch(...operations)],
  status: 200,
  user,
});
const regrouped = (operations: object[], members: string[]): Exchange => ({
  send: ['PATCH', '/Groups/{group}', patch(...operations)],
  status: 204,
  members,
});

/**
 * learn.microsoft.com (use-scim-to-provision-users-and-groups, application-provisioning-config-problem-scim-compatibility)
 * and issues: scimmy#51, scimple#1244, ssoready#167 and #182, microsoft Q&A 1684621.
 */
const entra: Exchange[] = [
  asked('/Users', 'userName eq "3f1c2a9e-7c1b-4a53-9d7a-000000000000"', 0),
  asked('/Users', 'emails[type eq "work"].value eq "kim@acme.example"', 0),
  {
    send: [
      'POST',
      '/Users',
      {
        ...{ schemas, externalId: 'kim.k', userName: 'kim@acme.example', active: true, roles: [] },
        ...{ emails: work('kim@acme.example'), meta: { resourceType: 'User' } },
        name: { formatted: 'Kim K', familyName: 'K', givenName: 'Kim' },
      },
    ],
    status: 201,
    user: { FirstName: 'Kim', LastName: 'K', Email: 'kim@acme.example', Enabled: true },
  },
  asked('/Users', 'emails[type eq "work"].value eq "KIM@acme.example"', 1),
  asked('/Users', 'externalId eq "kim.k"', 1),
  patched(
    [
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'kim.new@acme.example' },
      { op: 'Replace', path: 'name.familyName', value: 'Kay' },
    ],
    { Email: 'kim.new@acme.example', LastName: 'Kay', FirstName: 'Kim' },
  ),
  patched([{ op: 'Replace', path: 'userName', value: 'kim.kay@acme.example' }], { Enabled: true }),
  asked('/Users', 'userName eq "kim.kay@acme.example"', 1),
  patched([{ op: 'Replace', path: 'active', value: 'False' }], { Enabled: false }),
  patched([{ op: 'Add', path: 'active', value: 'True' }], { Enabled: true }),
  patched(
    [
      { op: 'Add', path: `${enterprise}:manager`, value: '{boss}' },
      { op: 'Add', path: `${enterprise}:department`, value: 'Law' },
    ],
    { ManagerLoginID: 'boss', Attributes: { Department: 'Law' } },
  ),
  asked('/Users', 'id eq "{user}" and manager eq "{boss}"', 1, '&attributes=id'),
  asked('/Users', 'id eq "{boss}" and manager eq "{user}"', 0, '&attributes=id'),
  patched(
    [
      {
        op: 'Add',
        value: { 'name.givenName': 'Kimi', displayName: 'Kimi Kay', [`${enterprise}:employeeNumber`]: '9' },
      },
    ],
    { FirstName: 'Kimi', Attributes: { Department: 'Law', EmployeeNumber: '9' } },
  ),
  patched(
    [
      { op: 'Replace', path: 'roles[primary eq "True"].value', value: 'Manager' },
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '555' },
      { op: 'Add', path: 'addresses[type eq "work"].locality', value: 'Leeds' },
    ],
    { FirstName: 'Kimi', Enabled: true },
  ),
  patched([{ op: 'Remove', path: `${enterprise}:manager` }], { ManagerLoginID: null }),
  asked('/Groups', 'displayName eq "Sales"', 0, '&excludedAttributes=members'),
  {
    send: [
      'POST',
      '/Groups',
      {
        schemas: [
          ...groupSchemas,
          'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group',
        ],
        ...{ externalId: 'g-1', displayName: 'Sales', meta: { resourceType: 'Group' } },
      },
    ],
    status: 201,
  },
  regrouped([{ op: 'Add', path: 'members', value: [{ $ref: null, value: '{user}' }] }], ['kim@acme.example']),
  asked('/Groups', 'id eq "{group}" and members eq "{user}"', 1, '&attributes=id'),
  regrouped([{ op: 'Replace', path: 'displayName', value: 'Sales and service' }], ['kim@acme.example']),
  regrouped([{ op: 'Remove', path: 'members', value: [{ $ref: null, value: '{user}' }] }], []),
  { send: ['DELETE', '/Groups/{group}'], status: 204 },
  { send: ['DELETE', '/Users/{user}'], status: 204, user: { Enabled: false } },
  { send: ['GET', '/Users/{user}'], status: 404 },
];

/** developer.okta.com (SCIM 2.0 reference) and issues: okta-blog-archive#1956, SimpleIdServer#247. */
const oktaUser = {
  schemas: [`${core}:User`],
  ...{ userName: 'kim@acme.example', name: { givenName: 'Kim', familyName: 'K' } },
  ...{
    emails: work('kim@acme.example'),
    displayName: 'Kim K',
    locale: 'en-US',
    externalId: '00ujl29u0le5T6Aj1',
  },
};
const okta: Exchange[] = [
  { send: ['GET', '/Users?startIndex=1&count=2'], status: 200 },
  { send: ['GET', '/Groups?startIndex=1&count=100'], status: 200, total: 0 },
  asked('/Users', 'userName eq "kim@acme.example"', 0, '&startIndex=1&count=100'),
  {
    send: ['POST', '/Users', { ...oktaUser, groups: [], password: '1mz050nq', active: true }],
    status: 201,
    user: { FirstName: 'Kim', Enabled: true },
  },
  {
    send: [
      'PUT',
      '/Users/{user}',
      {
        ...{
          ...oktaUser,
          id: '{user}',
          active: true,
          groups: [],
          name: { givenName: 'Kimi', familyName: 'K' },
        },
        meta: { resourceType: 'User' },
      },
    ],
    status: 200,
    user: { FirstName: 'Kimi', Enabled: true },
  },
  patched([{ op: 'replace', value: { active: false } }], { Enabled: false }),
  patched([{ op: 'replace', value: { active: true } }], { Enabled: true }),
  patched([{ op: 'replace', value: { password: 'vj8m2d4k' } }], { Enabled: true }),
  {
    send: ['POST', '/Groups', { schemas: groupSchemas, displayName: 'Sales', members: [] }],
    status: 201,
    members: [],
  },
  regrouped([{ op: 'replace', value: { id: '{group}', displayName: 'Sales EMEA' } }], []),
  regrouped(
    [{ op: 'add', path: 'members', value: [{ value: '{user}', display: 'kim@acme.example' }] }],
    ['kim@acme.example'],
  ),
  regrouped([{ op: 'remove', path: 'members[value eq "{user}"]' }], []),
  regrouped([{ op: 'replace', path: 'members', value: one('{user}') }], ['kim@acme.example']),
  {
    send: [
      'PUT',
      '/Groups/{group}',
      { schemas: groupSchemas, id: '{group}', displayName: 'Sales EMEA', members: [] },
    ],
    status: 200,
    members: [],
  },
  { send: ['DELETE', '/Groups/{group}'], status: 204 },
];

/** scimitar#142: Google sends application/json. Its requests are not documented, so these are those of RFC 7644. */
const google: Exchange[] = [
  asked('/Users', 'userName eq "kim@acme.example"', 0),
  {
    send: ['POST', '/Users', { ...oktaUser, active: true, [enterprise]: { department: 'Law' } }],
    status: 201,
    user: { Attributes: { Department: 'Law' } },
  },
  {
    send: ['PUT', '/Users/{user}', { ...oktaUser, active: true, [enterprise]: { department: 'Sales' } }],
    status: 200,
    user: { Attributes: { Department: 'Sales' } },
  },
  patched([{ op: 'replace', path: 'active', value: false }], { Enabled: false }),
  { send: ['DELETE', '/Users/{user}'], status: 204, user: { Enabled: false } },
];

/** jumpcloud.com (custom SCIM identity management): users by PUT, members by values. */
const jumpcloud: Exchange[] = [
  asked('/Users', 'userName eq "kim@acme.example"', 0),
  { send: ['POST', '/Users', { ...oktaUser, active: true }], status: 201, user: { Enabled: true } },
  {
    send: ['PUT', '/Users/{user}', { ...oktaUser, title: 'Clerk', active: true }],
    status: 200,
    user: { Attributes: { Title: 'Clerk' } },
  },
  asked('/Groups', 'displayName eq "Sales"', 0),
  { send: ['POST', '/Groups', { schemas: groupSchemas, displayName: 'Sales' }], status: 201 },
  regrouped([{ op: 'add', path: 'members', value: one('{user}') }], ['kim@acme.example']),
  regrouped([{ op: 'remove', path: 'members', value: one('{user}') }], []),
  { send: ['PUT', '/Users/{user}', { ...oktaUser, active: false }], status: 200, user: { Enabled: false } },
];

/** goauthentik/authentik, authentik/providers/scim/clients: users by PUT, one operation for each member. */
const authentik: Exchange[] = [
  { send: ['GET', '/ServiceProviderConfig'], status: 200 },
  {
    send: [
      'POST',
      '/Users',
      {
        ...{ schemas: [`${core}:User`], userName: 'kim', externalId: '7a9c', active: true, photos: [] },
        ...{ name: { formatted: 'Kim K', givenName: 'Kim', familyName: 'K' }, displayName: 'Kim K' },
        emails: work('kim@acme.example', 'other'),
      },
    ],
    status: 201,
    user: { FirstName: 'Kim', Email: 'kim@acme.example' },
  },
  { send: ['POST', '/Users', { schemas, userName: 'kim', externalId: '7a9c' }], status: 409 },
  asked('/Users', 'userName eq "kim"', 1),
  {
    send: ['PUT', '/Users/{user}', { schemas, userName: 'kim', name: { givenName: 'Kimi' }, active: true }],
    status: 200,
    user: { FirstName: 'Kimi', LastName: 'K' },
  },
  {
    send: ['POST', '/Groups', { schemas: groupSchemas, displayName: 'Sales', externalId: 'b2' }],
    status: 201,
  },
  regrouped(
    [{ op: 'replace', value: { schemas: groupSchemas, displayName: 'Sales', externalId: 'b3' } }],
    [],
  ),
  regrouped(
    [
      { op: 'add', path: 'members', value: one('{user}') },
      { op: 'add', path: 'members', value: one('{boss}') },
    ],
    ['boss', 'kim'],
  ),
  regrouped(
    [
      { op: 'add', path: 'members', value: one('{user}') },
      { op: 'remove', path: 'members', value: one('{boss}') },
    ],
    ['kim'],
  ),
  { send: ['DELETE', '/Groups/{group}'], status: 204 },
];

/** Requests of directories, in their order, written from public documents and issues. */
export const dialects: Record<string, Exchange[]> = { entra, okta, google, jumpcloud, authentik };
