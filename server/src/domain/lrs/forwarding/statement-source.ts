import { run } from '../../../db/transaction.ts';
import type { Source } from '../../events/webhooks/source.ts';
import { deliveriesOf, type Listed } from './batches.ts';
import { beginDeriving, deriveStatements, hasUnderivedEvents } from './derive-statements.ts';
import { testMessage } from './lrs-message.ts';
import { findPastStatements } from './past-statements.ts';
import { forgetToken, sendAuthorized } from './send-authorized.ts';
import { sendStatements } from './send-statements.ts';

/** The number of statements read from the log at a time. */
const maxStatements = 2_000;

const readText = `
select statement.statement_id, statement.position, statement.bytes from statement
where statement.tenant_id = $1 and statement.position > $2 order by statement.position limit ${maxStatements}`;

/**
 * Statements for another LRS, in the order in which they were stored. Each endpoint has a single
 * lane to keep this order.
 */
export const statementSource: Source = {
  hasMore: `(exists (
    select from statement_log where statement_log.tenant_id = hook.tenant_id and statement_log.position > hook.position)
    or ${hasUnderivedEvents})`,
  end: `coalesce((select statement_log.position from statement_log where statement_log.tenant_id = $1), 0)`,
  begin: beginDeriving,
  keepsOrder: true,
  readLog: async (ctx, { endpoint, after }) => {
    const hasMoreEvents = await deriveStatements(ctx);
    const rows = await run<Listed>(ctx, readText, [ctx.tenantId, after]);
    return {
      deliveries: deliveriesOf(endpoint.webhook_id, rows),
      position: rows.at(-1)?.position ?? after,
      hasMore: hasMoreEvents || rows.length === maxStatements,
    };
  },
  send: sendStatements,
  ping: async (ctx, sending) => {
    forgetToken(ctx, sending.endpoint);
    return { ...(await sendAuthorized(ctx, sending, testMessage(sending.endpoint))), body: null };
  },
  findPast: async (ctx, { endpoint, ...input }) =>
    deliveriesOf(endpoint.webhook_id, await findPastStatements(ctx, input)),
};
