import Type from 'typebox';
import { ok, route } from '../../platform/routes.ts';
import { Fields } from '../../platform/schema.ts';
import { Tenant } from '../tenants/schemas.ts';
import { deleteTenant } from './delete-tenant.ts';
import { exportTenant } from './export-tenant.ts';
import { TenantDeletion } from './schemas.ts';

const params = Type.Object({ TenantID: Tenant.properties.TenantID });
const common = { tag: 'Tenants', access: 'operator', scope: 'tenants:write' } as const;

export const lifecycleRoutes = [
  route({
    ...common,
    method: 'DELETE',
    path: '/tenant/{TenantID}',
    name: 'deleteTenant',
    summary: 'Delete a suspended tenant with all of its data',
    description:
      'The tenant must be suspended. Its data is deleted in the background and cannot be recovered; use `plan` first.',
    params,
    query: Fields({
      plan: Type.Optional(
        Type.Boolean({ description: 'True: answer what would be deleted, and change nothing.' }),
      ),
    }),
    answers: {
      200: {
        description:
          'The receipt. Repeating the call while data is being deleted gives the same one; 404 when all is deleted.',
        schema: TenantDeletion,
      },
    },
    problems: ['tenant_not_found', 'tenant_not_suspended'],
    events: [],
    audits: ['tenant.deleted'],
    handle: async (ctx, { params, query }) =>
      ok(await deleteTenant(ctx, { tenantId: params.TenantID, plan: query.plan ?? false })),
  }),
  route({
    ...common,
    method: 'GET',
    path: '/tenant/{TenantID}/export',
    name: 'exportTenant',
    summary: 'Everything that is held of a tenant',
    description: 'For a client that leaves, or before a deletion. The answer is streamed.',
    params,
    answers: {
      200: {
        description:
          'A line `{ Type, Record }` for each record: users, enrolments, results, run-time data, events, keys and webhooks without secrets, audit trail. The first line is the tenant.',
        type: 'application/x-ndjson',
      },
    },
    problems: ['tenant_not_found'],
    audits: ['tenant.exported'],
    whole: true,
    handle: async (ctx, { params }) => ({
      status: 200,
      body: await exportTenant(ctx, { tenantId: params.TenantID }),
      headers: {
        'Content-Type': 'application/x-ndjson; charset=utf-8',
        'Content-Disposition': 'attachment; filename="tenant.ndjson"',
      },
    }),
  }),
];
