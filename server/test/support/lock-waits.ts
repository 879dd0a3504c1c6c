import { isDistributed } from '../../src/db/distribute.ts';
import type { Engine } from '../../src/db/engine/engine.ts';

/** The number of statements that wait for a lock and contain this text. On Citus, they can wait on any node. */
export async function lockWaits(engine: Engine, containing = ''): Promise<number> {
  const activity = (await isDistributed(engine)) ? 'citus_stat_activity' : 'pg_stat_activity';
  const { rows } = await engine.query<{ waiting: number }>({
    text: `select count(*)::integer as waiting from ${activity}
      where wait_event_type = 'Lock' and datname = current_database() and query like '%' || $1 || '%'`,
    values: [containing],
  });
  return rows[0]?.waiting ?? 0;
}
