import { countTenantRows } from '../../../db/page.ts';
import { run } from '../../../db/transaction.ts';
import { batchOf, batchRows, type PersonalData } from '../../../infra/context/personal-data.ts';

const eraseText = `
delete from lti_member held where held.tenant_id = $1 and (held.platform_id, held.context_id) in (
  select own.platform_id, own.context_id from lti_member own
  where own.tenant_id = $1 and own.login_id = $2 limit ${batchRows}
) and held.login_id = $2 returning 1`;

const countText = `
select 1 from lti_member own
join "user" person on person.tenant_id = $1 and person.login_id = own.login_id
where own.tenant_id = $1 and person.user_id = $2 limit $3`;

const readText = `
select own.platform_id, own.context_id, known.title, own.is_present from lti_member own
join lti_context known on known.tenant_id = $1 and known.platform_id = own.platform_id
  and known.context_id = own.context_id
where own.tenant_id = $1 and own.login_id = $2 order by own.platform_id, own.context_id limit 10000`;

type Row = { platform_id: string; context_id: string; title: string | null; is_present: boolean };

export const rosterData: PersonalData = {
  name: 'PlatformMemberships',
  tables: ['lti_member'],
  erased: 'Courses of learning platforms (LTI) that the person was a member of.',
  retained: null,
  eraseForUser: async (ctx, { loginId }) => {
    return batchOf((await run(ctx, eraseText, [ctx.tenantId, loginId])).length);
  },
  count: (ctx, { userId, max }) => countTenantRows(ctx, countText, [userId, max]),
  read: async function* (ctx, { loginId }) {
    const rows = await run<Row>(ctx, readText, [ctx.tenantId, loginId]);
    yield* rows.map((row) => ({
      PlatformID: row.platform_id,
      ContextID: row.context_id,
      Title: row.title,
      Member: row.is_present,
    }));
  },
};
