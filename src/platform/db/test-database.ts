import { type Database, kyselyOn } from './dialect.ts';
import type { Engine } from './engine.ts';
import { migrate } from './migrate.ts';
import { openPglite } from './pglite.ts';
import { guardTenants } from './tenant-guard.ts';

export async function openTestDatabase(): Promise<{ engine: Engine; db: Database }> {
  const engine = guardTenants(await openPglite({ folder: null }));
  await migrate(engine);
  return { engine, db: kyselyOn(engine) };
}
