import { PageOf } from '../../http/pagination.ts';
import { ok, route } from '../../http/routes.ts';
import { listAudit } from './list.ts';
import { AuditEntry, auditQuery } from './schemas.ts';

export const auditRoutes = [
  route('GET /audit', 'listAudit', {
    summary: 'List audit entries',
    description:
      'Shows who changed access, people, results and the catalogue. Entries form a hash chain, so any change to them is detected.',
    tag: 'Audit',
    access: 'either',
    scope: 'audit:read',
    query: auditQuery,
    responses: {
      200: {
        description:
          'A page of entries. Without the Tenant header, the operator gets the entries of all tenants and of the deployment.',
        schema: PageOf(AuditEntry),
      },
    },
    problems: ['tenant_required'],
    handle: async (ctx, { query }) => ok(await listAudit(ctx, query)),
  }),
];
