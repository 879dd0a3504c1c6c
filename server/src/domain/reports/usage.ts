import Type from 'typebox';
import { forTenant, run } from '../../db/transaction.ts';
import { type Page, PageOf, type PageQuery, pageQuery } from '../../http/pagination.ts';
import { ok, route } from '../../http/routes.ts';
import { Fields, Identifier } from '../../http/validation/schema.ts';
import { keepUsage, takeUsage, type Use } from '../../infra/calls/limits.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { readTenant } from '../tenants/tenants.ts';
import { listActivity } from './figures.ts';
import { DateOf, ranges } from './schemas.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });

const UsageDay = Fields(
  {
    Day: DateOf('The day, in UTC.'),
    People: Count('Users of the tenant when it was first used on this day; 0 if it was not used.'),
    Enrolments: Count('New enrolments.'),
    Launches: Count('Launches.'),
    Completions: Count('Completed enrolments.'),
    Calls: Count('API calls of keys and sessions that belong to the tenant or name it.'),
    Commits: Count('Commits from players.'),
    Bytes: Count('Bytes of course files that were sent, before compression.'),
  },
  { title: 'UsageDay' },
);
type UsageDay = Type.Static<typeof UsageDay>;

/** Adds to the counts of the day. A tenant whose data has been deleted has no row, and gets none here. */
const storeText = `
insert into tenant_usage as own (tenant_id, day, people, calls, commits, bytes)
select client.tenant_id, made.day,
  case when exists (select from tenant_usage old where old.tenant_id = $1 and old.day = made.day) then 0
    else (select count(*)::integer from "user" known where known.tenant_id = $1) end,
  made.calls, made.commits, made.bytes
from tenant client
cross join jsonb_to_recordset($2::jsonb) as made (day date, calls bigint, commits bigint, bytes bigint)
where client.tenant_id = $1 and client.status <> 'deleting'
on conflict (tenant_id, day) do update set calls = own.calls + excluded.calls,
  commits = own.commits + excluded.commits, bytes = own.bytes + excluded.bytes`;

/** Stores what this node has counted. What cannot be stored is kept for the next time. */
export async function storeUsage(ctx: Context): Promise<void> {
  for (const [tenantId, days] of takeUsage(ctx)) {
    const rows = [...days].map(([day, use]) => ({ day, ...use }));
    await run(forTenant(ctx, tenantId), storeText, [tenantId, JSON.stringify(rows)]).catch(
      (error: unknown) => {
        keepUsage(ctx, tenantId, days);
        ctx.log.warn({ err: error, tenant: tenantId }, 'usage could not be stored; it will be retried');
      },
    );
  }
}

const readText = `
select to_char(own.day, 'YYYY-MM-DD') as day, own.people, own.calls::float8 as calls, own.commits::float8 as commits, own.bytes::float8 as bytes
from tenant_usage own where own.tenant_id = $1 and own.day between $2::date and $3::date`;

type UsageQuery = PageQuery & { From?: string; To?: string };

async function listUsage(ctx: TenantContext, query: UsageQuery): Promise<Page<UsageDay>> {
  await storeUsage(ctx);
  const page = await listActivity(ctx, query);
  const rows = await run<Use & { day: string; people: number }>(ctx, readText, [
    ctx.tenantId,
    page.Items[0]?.From ?? null,
    page.Items.at(-1)?.To ?? null,
  ]);
  const used = new Map(rows.map((row) => [row.day, row]));
  return {
    ...page,
    Items: page.Items.map(({ From, Enrolments, Launches, Completions }) => {
      const use = used.get(From);
      return {
        ...{ Day: From, People: use?.people ?? 0, Enrolments, Launches, Completions },
        ...{ Calls: use?.calls ?? 0, Commits: use?.commits ?? 0, Bytes: use?.bytes ?? 0 },
      };
    }),
  };
}

export const usageRoute = route('GET /tenant/{TenantID}/usage', 'listUsage', {
  summary: "List a tenant's usage by day",
  description:
    'For invoices and planning. Send `Accept: text/csv` for a file. Other nodes add their counts within a minute.',
  tag: 'Tenants',
  access: 'operator',
  scope: 'tenants:write',
  params: Type.Object({ TenantID: Identifier('The tenant.') }),
  query: Fields({ ...pageQuery, ...ranges }),
  responses: { 200: { description: 'A page of days, oldest first.', schema: PageOf(UsageDay) } },
  problems: ['tenant_not_found'],
  handle: async (ctx, { params, query }) => {
    await readTenant(ctx, { tenantId: params.TenantID });
    return ok(await listUsage(forTenant(ctx, params.TenantID), query));
  },
});
