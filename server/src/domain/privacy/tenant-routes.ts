import Type from 'typebox';
import { ok, route } from '../../http/routes.ts';
import { Fields } from '../../http/validation/schema.ts';
import { Tenant } from '../tenants/schemas.ts';
import { deleteTenant } from './delete-tenant.ts';
import { exportTenant } from './export-tenant.ts';
import { TenantDeletion } from './schemas.ts';

const params = Type.Object({ TenantID: Tenant.properties.TenantID });
const common = { tag: 'Tenants', access: 'operator', scope: 'tenants:write' } as const;

export const lifecycleRoutes = [
  route('DELETE /tenant/{TenantID}', 'deleteTenant', {
    ...common,
    summary: 'Delete a suspended tenant with all of its data',
    description:
      'The tenant must be suspended. Its data is deleted in the background and cannot be recovered, so use `Plan` first.',
    params,
    query: Fields({
      Plan: Type.Optional(
        Type.Boolean({
          description: 'If true, the response says what would be deleted, and nothing is changed.',
        }),
      ),
    }),
    responses: {
      200: {
        description:
          'The receipt. Repeating the call during the deletion returns the same receipt; afterwards the response is 404.',
        schema: TenantDeletion,
      },
    },
    problems: ['tenant_not_found', 'tenant_not_suspended'],
    events: [],
    audits: ['tenant.deleted'],
    handle: async (ctx, { params, query }) =>
      ok(await deleteTenant(ctx, { tenantId: params.TenantID, plan: query.Plan ?? false })),
  }),
  route('GET /tenant/{TenantID}/export', 'exportTenant', {
    ...common,
    summary: 'Export all data of a tenant',
    description: 'Use this before you delete a tenant, or when a client leaves. The response is streamed.',
    params,
    responses: {
      200: {
        description:
          'One line `{ Type, Record }` for each record: users, enrolments, results, run-time data, events, keys and webhooks without secrets, and the audit trail. The first line is the tenant.',
        type: 'application/x-ndjson',
      },
    },
    problems: ['tenant_not_found'],
    audits: ['tenant.exported'],
    streamsResponse: true,
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
