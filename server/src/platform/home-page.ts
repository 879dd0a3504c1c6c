import { type Kysely, sql } from 'kysely';
import type { Schema } from './db/generated.ts';

const name = 'home_page';

const hasRecords = sql<{ exists: boolean }>`/* across tenants: all have the same home page */
  select exists (select 1 from statement) or exists (select 1 from xapi_document) or exists (select 1 from au_session) as exists`;

/**
 * Returns the `BASE_URL` with which the database got its first learning records. The IDs of learners and
 * courses in xAPI statements begin with it. They must not change when the service moves to another address:
 * a learner's records would no longer be found, not even to erase them.
 */
export async function openHomePage(db: Kysely<Schema>, baseUrl: string): Promise<string> {
  const { rows } = await hasRecords.execute(db);
  const first = db.insertInto('setting').values({ name, value: baseUrl });
  await first
    .onConflict((conflict) => {
      const known = conflict.column('name');
      return rows[0]?.exists ? known.doNothing() : known.doUpdateSet({ value: baseUrl });
    })
    .execute();
  const { value } = await db
    .selectFrom('setting')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return value;
}
