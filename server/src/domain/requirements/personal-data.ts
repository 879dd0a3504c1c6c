import { ownRows } from '../../db/own-rows.ts';
import { countTenantRows, pagesOf } from '../../db/page.ts';
import { run } from '../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { batchOf, batchRows, type PersonalData } from '../../infra/context/personal-data.ts';
import { recountAlone } from './counts.ts';
import { keepEarlier } from './earlier.ts';
import type { ObligationRow } from './evaluate.ts';
import { toObligation } from './obligations.ts';

const ofUserSql = (max: number | string) => `
select held.obligation_id, held.closed_at from obligation held where held.tenant_id = $1 and held.user_id = $2 limit ${max}`;

const anonymize = `
update obligation held set user_id = null, exempt_reason = null, enroll_id = null, met_by = null, next_change_at = null,
  closed_at = coalesce(held.closed_at, $3), closed_reason = coalesce(held.closed_reason, 'erased'), announced = 'closed',
  manager_login_id = null, attributes = '{}', earlier = made.earlier
from jsonb_to_recordset($2::jsonb) as made (obligation_id uuid, earlier jsonb)
where held.tenant_id = $1 and held.obligation_id = made.obligation_id`;

/** What the obligations said earlier, without what could tell whose they were. */
async function withoutPeople(ctx: TenantContext, ids: readonly string[]) {
  const rows = await ownRows(ctx, 'obligation')
    .select(['obligation_id', 'earlier'])
    .where('obligation_id', 'in', ids)
    .execute();
  return rows.map(({ obligation_id, earlier }) => ({
    obligation_id,
    earlier: (earlier as Record<string, unknown>[]).map(
      ({ manager_login_id: _, attributes: __, exempt_reason: ___, ...kept }) => kept,
    ),
  }));
}

const leaveAudiences = `
update requirement own
set rule = jsonb_set(own.rule, array['Audience', $4], (own.rule #> array['Audience', $4]) - $2::text), updated_at = $3
where own.tenant_id = $1 and own.rule #> array['Audience', $4] ? $2`;

export const obligationData: PersonalData = {
  name: 'Obligations',
  tables: ['obligation', 'requirement'],
  erased:
    'The connection between the person and the dates of their obligations, the reasons for exemptions, and their LoginID in audiences of requirements.',
  retained: {
    what: 'When an obligation was due, completed and valid, and for which group.',
    why: 'Reports of earlier days must not change.',
  },
  eraseForUser: async (ctx, { userId, loginId, until }) => {
    for (const part of ['LoginIDs', 'Managers']) {
      await run(ctx, leaveAudiences, [ctx.tenantId, loginId, until, part]);
    }
    const own = await run<{ obligation_id: string; closed_at: Date | null }>(ctx, ofUserSql(batchRows), [
      ctx.tenantId,
      userId,
    ]);
    const ids = own.map(({ obligation_id }) => obligation_id);
    const open = own.filter(({ closed_at }) => closed_at === null);
    if (ids.length > 0)
      await recountAlone(ctx, ids, async () => {
        await keepEarlier(
          ctx,
          open.map(({ obligation_id }) => obligation_id),
        );
        const rows = JSON.stringify(await withoutPeople(ctx, ids));
        await run(ctx, anonymize, [ctx.tenantId, rows, until]);
      });
    return batchOf(ids.length);
  },
  count: (ctx, { userId, max }) => countTenantRows(ctx, ofUserSql('$3'), [userId, max]),
  read: async function* (ctx, { userId, loginId }) {
    const titles = await ownRows(ctx, 'requirement').select(['requirement_id', 'rule']).execute();
    const titleOf = new Map(
      titles.map(({ requirement_id, rule }) => [requirement_id, (rule as { Title: string }).Title]),
    );
    const keyset = {
      table: 'obligation',
      of: { user_id: userId },
      key: ['requirement_id', 'cycle'],
      rows: 200,
    };
    for await (const page of pagesOf<ObligationRow>(ctx, keyset))
      yield* page.map((row) => ({
        ...toObligation(
          { ...row, login_id: loginId, title: titleOf.get(row.requirement_id) ?? row.requirement_id },
          tenantNow(ctx),
        ),
      }));
  },
};
