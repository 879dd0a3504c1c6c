import { type NewDelivery, statementType } from '../../events/webhooks/source.ts';

export type Listed = { statement_id: string; position: number; bytes: number };

const maxStatements = 50;
/** A batch of several statements has at most this size. A larger statement, with its attachments, is sent alone. */
const maxBytes = 1024 ** 2;

/** The statements of each delivery, in order. */
function batchesOf(statements: readonly Listed[]): Listed[][] {
  const batches: Listed[][] = [];
  let bytes = 0;
  for (const statement of statements) {
    const last = batches.at(-1);
    bytes += statement.bytes;
    if (last && last.length < maxStatements && bytes <= maxBytes) last.push(statement);
    else {
      batches.push([statement]);
      bytes = statement.bytes;
    }
  }
  return batches;
}

/** All deliveries of an endpoint are in one lane, so that the statements arrive in order. */
export function deliveriesOf(webhookId: string, statements: readonly Listed[]): NewDelivery[] {
  return batchesOf(statements).map((batch) => {
    const ids = batch.map(({ statement_id }) => statement_id);
    return { event_id: ids[0] ?? '', type: statementType, lane: webhookId, statement_ids: ids };
  });
}
