import Type from 'typebox';
import { CountedPageOf, countQuery, PageOf, pageQuery } from '../../http/pagination.ts';
import { created, ok, path, route } from '../../http/routes.ts';
import { Fields, Identifier, Text } from '../../http/validation/schema.ts';
import { createKey, listKeys, revokeKey } from '../identity/keys.ts';
import { Key, KeyWithSecret, NewKey } from '../identity/schemas.ts';
import { NewTenant, Tenant, TenantChange } from './schemas.ts';
import { createTenant, listTenants, readTenant, updateTenant } from './tenants.ts';

const TenantID = Identifier('The tenant.');
const params = Type.Object({ TenantID });
const common = { tag: 'Tenants', access: 'operator', scope: 'tenants:write' } as const;

export const tenantRoutes = [
  route('POST /tenant', 'createTenant', {
    ...common,
    summary: 'Create a tenant',
    description: 'Repeating the request with the same fields is safe. Next, create a key for the tenant.',
    example: ['Name'],
    body: NewTenant,
    responses: {
      201: { description: 'Created.', schema: Tenant },
      200: { description: 'The tenant already exists with the same fields.', schema: Tenant },
    },
    problems: ['tenant_exists', 'tenant_being_deleted', 'passkeys_unavailable'],
    events: [],
    audits: ['tenant.created', 'audit.began'],
    handle: async (ctx, { body }) => {
      const { tenant, isNew } = await createTenant(ctx, body);
      return isNew ? created(tenant, path`/tenant/${tenant.TenantID}`) : ok(tenant);
    },
  }),
  route('GET /tenant', 'listTenants', {
    ...common,
    summary: 'List tenants',
    description: 'Ordered by TenantID.',
    query: Fields({
      ...pageQuery,
      ...countQuery,
      Search: Type.Optional(
        Text(255, {
          description: 'Words that must all be contained in TenantID or Name, ignoring case and accents.',
        }),
      ),
    }),
    responses: { 200: { description: 'A page of tenants.', schema: CountedPageOf(Tenant) } },
    handle: async (ctx, { query }) => ok(await listTenants(ctx, query)),
  }),
  route('GET /tenant/{TenantID}', 'readTenant', {
    ...common,
    summary: 'Read a tenant',
    description: 'Includes its settings for passwords, return URLs and frames.',
    params,
    responses: { 200: { description: 'The tenant.', schema: Tenant } },
    problems: ['tenant_not_found'],
    handle: async (ctx, { params }) => ok(await readTenant(ctx, { tenantId: params.TenantID })),
  }),
  route('PUT /tenant/{TenantID}', 'updateTenant', {
    ...common,
    summary: 'Change, suspend or resume a tenant',
    description:
      'Suspending a tenant stops its keys, sessions and links within 5 seconds on all nodes. Nothing is lost.',
    example: ['Name'],
    params,
    body: TenantChange,
    responses: { 200: { description: 'The changed tenant.', schema: Tenant } },
    problems: ['tenant_not_found', 'not_a_test_tenant', 'passkeys_unavailable', 'sign_in_unavailable'],
    events: [],
    audits: ['tenant.changed', 'tenant.suspended', 'tenant.resumed'],
    handle: async (ctx, { params, body }) =>
      ok(await updateTenant(ctx, { ...body, tenantId: params.TenantID })),
  }),
  route('POST /tenant/{TenantID}/key', 'createKey', {
    ...common,
    summary: 'Create a key for a tenant',
    description:
      "The secret is shown only in this response. Without `Scopes` the key has all of a tenant's scopes.",
    example: ['Scopes'],
    params,
    body: NewKey,
    responses: { 201: { description: 'The key, with its secret shown only once.', schema: KeyWithSecret } },
    problems: ['tenant_not_found'],
    events: [],
    audits: ['key.created'],
    handle: async (ctx, { params, body }) => {
      const { TenantID: tenantId } = await readTenant(ctx, { tenantId: params.TenantID });
      const key = await createKey(ctx, { ...body, tenantId });
      return created(key, path`/tenant/${tenantId}/key/${key.KeyID}`);
    },
  }),
  route('GET /tenant/{TenantID}/key', 'listKeys', {
    ...common,
    summary: 'List the keys of a tenant',
    description: 'Includes revoked and expired keys.',
    params,
    query: Fields(pageQuery),
    responses: { 200: { description: 'A page of keys, without their secrets.', schema: PageOf(Key) } },
    problems: ['tenant_not_found'],
    handle: async (ctx, { params, query }) => {
      const { TenantID: tenantId } = await readTenant(ctx, { tenantId: params.TenantID });
      return ok(await listKeys(ctx, { ...query, tenantId }));
    },
  }),
  route('DELETE /tenant/{TenantID}/key/{KeyID}', 'revokeKey', {
    ...common,
    summary: 'Revoke a key of a tenant',
    description: 'Access tokens issued for the key stop working as well.',
    params: Type.Object({ TenantID, KeyID: Text(255) }),
    responses: {
      200: { description: 'The revoked key, which is rejected on every node within 5 s.', schema: Key },
    },
    problems: ['key_not_found'],
    events: [],
    audits: ['key.revoked'],
    handle: async (ctx, { params }) =>
      ok(await revokeKey(ctx, { keyId: params.KeyID, tenantId: params.TenantID })),
  }),
];
