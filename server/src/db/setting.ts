import type { Database } from './transaction.ts';

/** A value that all nodes share; undefined if it was never kept. */
export async function readSetting({ db }: { db: Database }, name: string): Promise<string | undefined> {
  const row = await db.selectFrom('setting').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value;
}

/** Keeps a value for all nodes, instead of an earlier one if it `replaces` that. */
export async function keepSetting(
  { db }: { db: Database },
  name: string,
  value: string,
  replaces = true,
): Promise<void> {
  await db
    .insertInto('setting')
    .values({ name, value })
    .onConflict((conflict) => {
      const known = conflict.column('name');
      return replaces ? known.doUpdateSet({ value }) : known.doNothing();
    })
    .execute();
}
