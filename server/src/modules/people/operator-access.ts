import type { Context } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';

/** After a sign-in there is always at least one row, because only later sign-ins remove rows. */
const findSignIn = `
select 1 from api_key where api_key.tenant_id is null and api_key.last_used_at is not null
union all
select 1 from operator_session
limit 1`;

/** Whether an operator key has ever been used, or the operator has ever signed in. */
export async function hasOperatorSignedIn(ctx: Context): Promise<boolean> {
  return (await run(ctx, { name: 'look_for_operator', text: findSignIn, values: [] })).length > 0;
}
