import { countTenantRows } from '../../db/page.ts';
import { run } from '../../db/transaction.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { batchOf, batchRows, type PersonalData } from '../../infra/context/personal-data.ts';

/** Uses one query per index. */
const matchingSql = (max: number | string) => `
  (select held.import_id, held.line from import_row held join "user" person
    on person.tenant_id = $1 and person.user_id = $2::uuid and held.login_id = person.login_id
    where held.tenant_id = $1 limit ${max})
  union
  (select held.import_id, held.line from import_row held join "user" person
    on person.tenant_id = $1 and person.user_id = $2::uuid and held.nearest = person.login_id
    where held.tenant_id = $1 limit ${max})
  limit ${max}`;

const anonymizeText = `
with found as (
  (select held.import_id, held.line from import_row held where held.tenant_id = $1 and held.login_id = $2 limit ${batchRows})
  union
  (select held.import_id, held.line from import_row held where held.tenant_id = $1 and held.nearest = $2 limit ${batchRows})
  limit ${batchRows}
)
update import_row own set login_id = nullif(own.login_id, $2), nearest = null,
  fields = case when own.login_id = $2 then '{}'::jsonb else own.fields end,
  plan = own.plan - '{loginId,nearest,notes,detail}'::text[],
  result = own.result - '{loginId,nearest,notes,detail}'::text[]
from found where own.tenant_id = $1 and own.import_id = found.import_id and own.line = found.line returning 1`;

const readText = `
select held.import_id, held.line, file.name, file.created_at, held.fields from import_row held
join import file on file.tenant_id = $1 and file.import_id = held.import_id
where held.tenant_id = $1 and held.login_id = $2 order by held.import_id, held.line`;

type Found = { import_id: string; line: number; name: string; created_at: Date; fields: object };

export const importData: PersonalData = {
  name: 'Imports',
  tables: ['import', 'import_row'],
  erased: "The person's rows in imported files.",
  retained: {
    what: 'The imports, and how many rows each of them has processed.',
    why: 'They show what has been done with a file.',
  },
  eraseForUser: async (ctx, { loginId }) => {
    return batchOf((await run(ctx, anonymizeText, [ctx.tenantId, loginId])).length);
  },
  count: (ctx: TenantContext, { userId, max }) => countTenantRows(ctx, matchingSql('$3'), [userId, max]),
  read: async function* (ctx, { loginId }) {
    const rows = await run<Found>(ctx, readText, [ctx.tenantId, loginId]);
    for (const { import_id, line, name, created_at, fields } of rows)
      yield {
        ImportID: import_id,
        Name: name,
        Line: line,
        CreatedAt: created_at.toISOString(),
        Fields: fields,
      };
  },
};
