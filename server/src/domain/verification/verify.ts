import { forTenant, run } from '../../db/transaction.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { readNumber } from '../certificates/record/number.ts';
import type { CertificateRow } from '../certificates/record/record.ts';
import { knownTenant } from '../tenants/tenants.ts';

const find = `/* across tenants: a number does not reveal its tenant */
select own.* from certificate own where own.number = $1`;

/** Finds a certificate by its number, in any tenant. Null if the number is unknown, or its tenant is being deleted. */
export async function findByNumber(
  ctx: Context,
  typed: string,
): Promise<{ ctx: TenantContext; row: CertificateRow } | null> {
  const number = readNumber(typed);
  if (number === null) return null;
  const [row] = await run<CertificateRow>(ctx, find, [number]);
  if (!row || (await knownTenant.get(ctx, row.tenant_id)) === null) return null;
  return { ctx: forTenant(ctx, row.tenant_id), row };
}
