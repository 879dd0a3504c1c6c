import type pg from 'pg';
import { complete, rowOf } from '../server/src/modules/xapi/stored-statement.ts';
import { readStatement } from '../standards/xapi/statements.ts';
import { statement, statementPeriod } from './statement-operations.ts';

const tenant = 'bench';
const edition = '1.0.3';
const authority = {
  objectType: 'Agent' as const,
  account: { homePage: 'https://hr.example', name: 'bench' },
};
const batch = 200_000;

/** A statement as the service would store it: what precedes and follows its ID, and its search keys. */
function sampleOf(n: number) {
  const read = readStatement(JSON.parse(statement({ run: 'filled' }, n)), edition);
  const { id, payload, keys } = rowOf(complete(read, { id: read.id ?? '', authority, edition }));
  const [head = '', tail = ''] = payload.split(id);
  return { n, head, tail, keys };
}

const samplesText = `create unlogged table sample as
select n, head, tail, keys::uuid[] as keys
from jsonb_to_recordset($1::jsonb) as made (n integer, head text, tail text, keys text[])`;

const id = `('00000000-0000-4000-8000-' || lpad(to_hex(filled.n), 12, '0'))::uuid`;
const rows = `generate_series($1::bigint, $2::bigint) filled (n) join sample on sample.n = filled.n % ${statementPeriod}`;
const position = '$3::bigint + filled.n * 1000000';

/** One statement for each second up to now. $3: the position of the first one. */
const statementsText = `insert into statement (tenant_id, statement_id, position, payload, bytes, keys)
select '${tenant}', ${id}, ${position}, head || ${id} || tail, octet_length(head || tail) + 36, keys from ${rows}`;

const matchesText = `insert into statement_match (tenant_id, key, position, source)
select '${tenant}', key, ${position}, ${position} from ${rows} cross join unnest(keys) key`;

/**
 * Inserts statements with a few SQL statements, which takes a fraction of the time that the service would need. The
 * index of the search keys is built afterwards.
 */
export async function fillStatements(
  client: pg.Client,
  count: number,
  say: (line: string) => void,
): Promise<void> {
  const samples = Array.from({ length: statementPeriod }, (_, n) => sampleOf(n));
  const first = (Math.floor(Date.now() / 1_000) - count - 60) * 1_000_000;
  await client.query('set session_replication_role = replica');
  await client.query("set maintenance_work_mem = '512MB'");
  await client.query(samplesText, [JSON.stringify(samples)]);
  await client.query('create unique index on sample (n)');
  await client.query('analyze sample');
  await client.query('alter table statement_match drop constraint statement_match_pkey');
  for (let from = 0; from < count; from += batch) {
    const values = [from, Math.min(count, from + batch) - 1, first];
    await client.query(statementsText, values);
    await client.query(matchesText, values);
    say(`${values[1]} of ${count} statements`);
  }
  await client.query('alter table statement_match add primary key (tenant_id, key, position, source)');
  await client.query(
    'insert into statement_log (tenant_id, position) values ($1, $2) on conflict (tenant_id) do update set position = excluded.position',
    [tenant, first + count * 1_000_000],
  );
  await client.query('drop table sample');
  for (const table of ['statement', 'statement_match', 'statement_log'])
    await client.query(`vacuum analyze ${table}`);
}
