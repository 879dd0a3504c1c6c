import { countTenantRows, pagesOf } from '../../db/page.ts';
import { run } from '../../db/transaction.ts';
import { batchOf, batchRows, type PersonalData } from '../../infra/context/personal-data.ts';

const matching = (table: string, key: string, max: number | string) =>
  `select own.${key} from ${table} own where own.tenant_id = $1 and own.user_id = $2 limit ${max}`;

const anonymize = `
update lti_launch held set user_id = null
where held.tenant_id = $1 and held.user_id = $2 and held.launch_id = any(array(${matching('lti_launch', 'launch_id', batchRows)})) returning 1`;

const erase = `
delete from lti_link held
where held.tenant_id = $1 and held.enroll_id = any(array(${matching('lti_link', 'enroll_id', batchRows)})) returning 1`;

type LinkRow = {
  enroll_id: string;
  platform_id: string;
  resource_link_id: string;
  subject: string;
  launched_at: Date;
};

export const ltiData: PersonalData = {
  name: 'PlatformLinks',
  tables: ['lti_link', 'lti_launch'],
  erased: "The person's IDs at learning platforms (LTI), and the person in the log of launches.",
  retained: null,
  eraseForUser: async (ctx, { userId }) => {
    const values = [ctx.tenantId, userId];
    const links = await run(ctx, erase, values);
    const launches = await run(ctx, anonymize, values);
    const { next } = batchOf(Math.max(links.length, launches.length));
    return { records: links.length, next };
  },
  count: (ctx, { userId, max }) =>
    countTenantRows(ctx, matching('lti_link', 'enroll_id', '$3'), [userId, max]),
  read: async function* (ctx, { userId }) {
    const pages = pagesOf<LinkRow>(ctx, {
      table: 'lti_link',
      of: { user_id: userId },
      key: ['enroll_id', 'platform_id', 'resource_link_id'],
      rows: 50,
    });
    for await (const page of pages)
      yield* page.map((row) => ({
        EnrollID: row.enroll_id,
        PlatformID: row.platform_id,
        ResourceLinkID: row.resource_link_id,
        Subject: row.subject,
        LaunchedAt: row.launched_at,
      }));
  },
};
