import type { Engine, Statement } from '../../src/db/engine/engine.ts';

/**
 * The rows that a transaction reads and writes, including those read and written by triggers and cascades, but not
 * index entries of deleted rows.
 */
export type Touched = {
  rows: number;
  /** How many parts of large values were read. PostgreSQL stores these separately, 2 kB each (TOAST). */
  parts: number;
  texts: string[];
};

/**
 * PostgreSQL counts a row found through an index as fetched by that index, or by its table if the plan uses a
 * bitmap.
 */
const count: Statement = {
  name: 'test_count',
  text: `/* across tenants: a test counts what was read and written */
    select sum(pg_stat_get_xact_tuples_fetched(oid) + case relkind when 'r' then pg_stat_get_xact_tuples_returned(oid)
      + pg_stat_get_xact_tuples_inserted(oid) + pg_stat_get_xact_tuples_updated(oid) + pg_stat_get_xact_tuples_deleted(oid)
      else 0 end) filter (where relnamespace = 'public'::regnamespace)::integer as rows,
      coalesce(sum(pg_stat_get_xact_tuples_fetched(oid)) filter (where relnamespace = 'pg_toast'::regnamespace), 0)::integer as parts
    from pg_class where relnamespace in ('public'::regnamespace, 'pg_toast'::regnamespace) and relkind in ('r', 'i')`,
  values: [],
};

/** Without this, the counts would include earlier transactions of the connection. */
const begin: Statement = {
  name: 'test_begin_count',
  text: '/* across tenants: a test counts what was read and written */ select pg_stat_force_next_flush()',
  values: [],
};

/** Reports how many rows each transaction touched, and each statement outside of a transaction. */
export function countTouched(engine: Engine, report: (touched: Touched) => void): Engine {
  const transaction: Engine['transaction'] = (work, tenantId) =>
    engine.transaction(async (connection) => {
      const texts: string[] = [];
      await connection.query(begin);
      const note = async () => {
        const { rows } = await connection.query<{ rows: number; parts: number }>(count);
        report({ rows: rows[0]?.rows ?? 0, parts: rows[0]?.parts ?? 0, texts });
      };
      try {
        const result = await work({
          query: (statement) => {
            texts.push(statement.text);
            return connection.query(statement);
          },
        });
        await note();
        return result;
      } catch (error) {
        // Failed statements cannot be counted.
        await note().catch(() => {});
        throw error;
      }
    }, tenantId);
  return {
    ...engine,
    transaction,
    query: (statement, tenantId) => transaction((connection) => connection.query(statement), tenantId),
  };
}
