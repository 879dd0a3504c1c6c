import { keepSetting, readSetting } from '../db/setting.ts';
import { type Database, run } from '../db/transaction.ts';

const name = 'home_page';

const hasRecords = `/* across tenants: all have the same home page */
select exists (select 1 from statement) or exists (select 1 from xapi_document) or exists (select 1 from au_session) as found`;

/**
 * Returns the `BASE_URL` that was set when the first learning record was stored. The IDs of learners and
 * courses in xAPI statements begin with it. They must not change when the service moves to another address.
 * Otherwise, a learner's earlier records could no longer be found, not even to erase them.
 */
export async function openHomePage(
  ctx: { db: Database },
  { baseUrl, isService }: { baseUrl: string; isService: boolean },
): Promise<string> {
  const known = await readSetting(ctx, name);
  // On Citus, finding out and writing need all worker nodes, and a start must not.
  if (!isService || known === baseUrl) return known ?? baseUrl;
  // Only the service sets it, because a command may run without the service's configuration.
  const [records] = await run<{ found: boolean }>(ctx, hasRecords);
  await keepSetting(ctx, name, baseUrl, !records?.found);
  return (await readSetting(ctx, name)) ?? baseUrl;
}
