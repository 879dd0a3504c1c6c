import { run } from '../../../db/transaction.ts';
import type { TenantContext } from '../../../infra/context/context.ts';
import { invalid } from '../../../lib/errors.ts';
import type { Replay } from '../../events/webhooks/schemas.ts';
import type { Listed } from './batches.ts';

const named = `
select statement.statement_id, statement.position, statement.bytes from statement
where statement.tenant_id = $1 and statement.statement_id = any ($2::uuid[]) order by statement.position`;

const pageRows = 5_000;
const inRange = `
select statement.statement_id, statement.position, statement.bytes from statement
where statement.tenant_id = $1 and statement.position > $2 and statement.position < $3
order by statement.position limit ${pageRows}`;

/** Maximum number of statements in the deliveries of a replay. */
const maxReplayed = 100_000;

/** A position is the time at which a statement was stored, in microseconds. */
const microsOf = (at: Date) => at.getTime() * 1000;

export async function findPastStatements(ctx: TenantContext, input: Replay): Promise<Listed[]> {
  if (input.EventIDs) return run<Listed>(ctx, named, [ctx.tenantId, input.EventIDs]);
  const until = input.Until === undefined ? Number.MAX_SAFE_INTEGER : microsOf(new Date(input.Until));
  const found: Listed[] = [];
  let after: number | undefined = microsOf(new Date(input.From ?? 0)) - 1;
  while (after !== undefined && found.length <= maxReplayed) {
    const page: Listed[] = await run<Listed>(ctx, inRange, [ctx.tenantId, after, until]);
    found.push(...page);
    after = page.length === pageRows ? page.at(-1)?.position : undefined;
  }
  if (found.length > maxReplayed)
    throw invalid('From', `This range contains more than ${maxReplayed} statements. Choose a shorter range.`);
  return found;
}
