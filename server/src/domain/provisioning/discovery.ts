import type { Context } from '../../infra/context/context.ts';
import type { Resource } from './json.ts';
import { listOf, maxResults, schemaIds, scimPath } from './protocol.ts';

const attribute = (name: string, more: Resource = {}): Resource => ({
  name,
  type: 'string',
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...more,
});
const complex = (name: string, subAttributes: Resource[], more: Resource = {}) =>
  attribute(name, { type: 'complex', subAttributes, ...more });
const boolean = (name: string) => attribute(name, { type: 'boolean' });
const readOnly = { mutability: 'readOnly' };
const values = (name: string) =>
  complex(name, [attribute('value'), attribute('type'), attribute('display'), boolean('primary')], {
    multiValued: true,
  });

const schemas: Resource[] = [
  {
    id: schemaIds.user,
    name: 'User',
    description: 'A user. userName is the LoginID of a new user and may change later; the LoginID stays.',
    attributes: [
      attribute('userName', { required: true, uniqueness: 'server' }),
      attribute('externalId', { caseExact: true }),
      complex(
        'name',
        ['formatted', 'familyName', 'givenName', 'middleName'].map((name) => attribute(name)),
      ),
      ...['displayName', 'nickName', 'title', 'userType', 'preferredLanguage', 'locale', 'timezone'].map(
        (name) => attribute(name),
      ),
      boolean('active'),
      values('emails'),
      values('phoneNumbers'),
      complex('groups', [attribute('value', readOnly), attribute('display', readOnly)], {
        multiValued: true,
        ...readOnly,
      }),
    ],
  },
  {
    id: schemaIds.enterprise,
    name: 'EnterpriseUser',
    description: 'The manager, and attributes of the user.',
    attributes: [
      ...['employeeNumber', 'costCenter', 'organization', 'division', 'department'].map((name) =>
        attribute(name),
      ),
      complex('manager', [attribute('value'), attribute('displayName', readOnly)]),
    ],
  },
  {
    id: schemaIds.group,
    name: 'Group',
    description: `A group of users. Lists and groups with many members are shown without members.`,
    attributes: [
      attribute('displayName', { required: true, uniqueness: 'server' }),
      attribute('externalId', { caseExact: true }),
      complex(
        'members',
        [
          attribute('value', { mutability: 'immutable' }),
          attribute('display', readOnly),
          attribute('type', readOnly),
        ],
        { multiValued: true },
      ),
    ],
  },
];

const metaSchemas = 'urn:ietf:params:scim:schemas:core:2.0';

const withMeta = (ctx: Context, resourceType: string, path: string, resource: Resource): Resource => ({
  schemas: [`${metaSchemas}:${resourceType}`],
  ...resource,
  meta: { resourceType, location: `${ctx.config.baseUrl}${scimPath}${path}` },
});

const allSchemas = (ctx: Context) =>
  schemas.map((schema) => withMeta(ctx, 'Schema', `/Schemas/${schema.id}`, schema));

const allTypes = (ctx: Context) =>
  [
    {
      id: 'User',
      name: 'User',
      endpoint: '/Users',
      schema: schemaIds.user,
      schemaExtensions: [{ schema: schemaIds.enterprise, required: false }],
    },
    { id: 'Group', name: 'Group', endpoint: '/Groups', schema: schemaIds.group },
  ].map((type) => withMeta(ctx, 'ResourceType', `/ResourceTypes/${type.id}`, type));

const listed = (resources: Resource[]) =>
  listOf(resources, { startIndex: 1, count: maxResults, total: async () => resources.length });
const byId = (resources: Resource[], id: string) =>
  resources.find((resource) => String(resource.id).toLowerCase() === id.toLowerCase()) ?? null;

export const schemaList = (ctx: Context) => listed(allSchemas(ctx));
export const schemaById = (ctx: Context, id: string) => byId(allSchemas(ctx), id);
export const typeList = (ctx: Context) => listed(allTypes(ctx));
export const typeById = (ctx: Context, id: string) => byId(allTypes(ctx), id);

export const serviceProvider = (ctx: Context): Resource =>
  withMeta(ctx, 'ServiceProviderConfig', '/ServiceProviderConfig', {
    documentationUri: `${ctx.config.baseUrl}/docs/guide/provisioning`,
    patch: { supported: true },
    // authentik sends at most this many operations in a PATCH.
    bulk: { supported: false, maxOperations: 500, maxPayloadSize: 0 },
    filter: { supported: true, maxResults },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: false },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'API key',
        description: 'The secret of a key with the scope scim:write, as a bearer token.',
        primary: true,
      },
    ],
  });
