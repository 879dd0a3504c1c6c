import { coalesce } from './batch.ts';
import type { TenantContext } from './context.ts';
import { run } from './db/transaction.ts';

/**
 * Turns a statement that reads what an array asks for into a read of one: those that are asked at once share it. The
 * statement answers with `n`, the place from 1 in `wanted`; what has no row is null. Measured at 64 connections: a
 * statement for each took four times the CPU of the server.
 */
export function readTogether<Wanted, Row>(options: {
  name: string;
  text: string;
  values: (ctx: TenantContext, wanted: Wanted[]) => unknown[];
  /** In one statement. */
  most?: number;
}): (ctx: TenantContext, wanted: Wanted) => Promise<Row | null> {
  const { name, text, values, most } = options;
  return coalesce<TenantContext, Wanted, Row | null>({
    group: (ctx) => ctx.tenantId,
    ...(most === undefined ? {} : { most }),
    run: async (ctx, wanted) => {
      const found = await run<Row & { n: number }>(ctx, { name, text, values: values(ctx, wanted) });
      const rows: (Row | null)[] = wanted.map(() => null);
      for (const row of found) rows[row.n - 1] = row;
      return rows;
    },
  });
}
