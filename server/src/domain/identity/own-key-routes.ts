import Type from 'typebox';
import { PageOf, pageQuery } from '../../http/pagination.ts';
import { created, ok, path, route } from '../../http/routes.ts';
import { Fields, Text } from '../../http/validation/schema.ts';
import { listKeys, revokeKey } from './keys.ts';
import { createOwnKey, maxKeys } from './own-keys.ts';
import { Key, KeyWithSecret, NewKey } from './schemas.ts';

/** A key gives access to the tenant, so managing keys requires users:admin, like all operations that give access. */
const common = {
  tag: 'Access',
  access: 'tenant',
  sessionsOnly: true,
  additionalScopes: ['users:admin'],
} as const;

export const ownKeyRoutes = [
  route('POST /key', 'createOwnKey', {
    ...common,
    scope: 'users:write',
    summary: 'Create a key for your own tenant',
    description: `For administrators who are signed in to the console; keys cannot create keys. The key can have only scopes that the session has. Without \`Scopes\`, it has all of them. The secret is shown only in this response. The key belongs to the tenant: it keeps working if the administrator leaves. A tenant can have ${maxKeys} usable keys.`,
    example: ['Scopes'],
    body: NewKey,
    responses: { 201: { description: 'The key, with its secret shown only once.', schema: KeyWithSecret } },
    problems: ['key_limit'],
    events: [],
    audits: ['key.created'],
    handle: async (ctx, { body }) => {
      const key = await createOwnKey(ctx, body);
      return created(key, path`/key/${key.KeyID}`);
    },
  }),
  route('GET /key', 'listOwnKeys', {
    ...common,
    scope: 'users:read',
    summary: 'List the keys of your own tenant',
    description: 'Includes revoked and expired keys, and those that the operator created.',
    query: Fields(pageQuery),
    responses: { 200: { description: 'A page of keys, without their secrets.', schema: PageOf(Key) } },
    handle: async (ctx, { query }) => ok(await listKeys(ctx, { ...query, tenantId: ctx.tenantId })),
  }),
  route('DELETE /key/{KeyID}', 'revokeOwnKey', {
    ...common,
    scope: 'users:write',
    summary: 'Revoke a key of your own tenant',
    description:
      'Revokes any key of the tenant, no matter who created it. Access tokens issued for the key stop working as well.',
    params: Type.Object({ KeyID: Text(255) }),
    responses: {
      200: { description: 'The revoked key, which is rejected on every node within 5 s.', schema: Key },
    },
    problems: ['key_not_found'],
    events: [],
    audits: ['key.revoked'],
    handle: async (ctx, { params }) =>
      ok(await revokeKey(ctx, { keyId: params.KeyID, tenantId: ctx.tenantId })),
  }),
];
