import { countTenantRows } from '../../db/page.ts';
import { run } from '../../db/transaction.ts';
import { batchOf, batchRows, type PersonalData } from '../../infra/context/personal-data.ts';

const ofUser = (columns: string, max: number | string) => `
select ${columns} from lti_link link join lti_score held on held.tenant_id = $1 and held.link_id = link.link_id
where link.tenant_id = $1 and link.user_id = $2 order by link.link_id limit ${max}`;

const erase = `
delete from lti_score held where held.tenant_id = $1
  and held.link_id = any(array(${ofUser('link.link_id', batchRows)})) returning 1`;

/** A person has a link for each place in a platform that they opened. */
const maxRead = 10_000;

type Row = { enroll_id: string; score: number | null; sent_at: Date | null; problem: string | null };

export const scoreData: PersonalData = {
  name: 'PlatformScores',
  tables: ['lti_score'],
  erased: 'The scores that learning platforms (LTI) were sent last. The platforms keep them.',
  retained: null,
  eraseForUser: async (ctx, { userId }) => {
    return batchOf((await run(ctx, erase, [ctx.tenantId, userId])).length);
  },
  count: (ctx, { userId, max }) => countTenantRows(ctx, ofUser('1', '$3'), [userId, max]),
  read: async function* (ctx, { userId }) {
    const columns = 'link.enroll_id, held.score, held.sent_at, held.problem';
    const rows = await run<Row>(ctx, ofUser(columns, maxRead), [ctx.tenantId, userId]);
    yield* rows.map((row) => ({
      EnrollID: row.enroll_id,
      Score: row.score,
      SentAt: row.sent_at,
      Problem: row.problem,
    }));
  },
};
