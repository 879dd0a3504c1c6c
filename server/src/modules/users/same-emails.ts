import type { TenantContext } from '../../platform/context.ts';
import { runInOrder } from '../../platform/db/batches.ts';
import type { RowDone } from '../../platform/rows/work-rows.ts';
import { hasScope } from '../../platform/scopes.ts';
import { foldCase } from '../../platform/unicode.ts';
import type { NewUser } from './schemas.ts';

/**
 * Up to two users with each address, because one of them may be the user in the row. The range and the order are those
 * of the index `user_by_email`, for `runInOrder`.
 */
export const sameEmailsText = `
select one.folded, array(
  select own.login_id from "user" own where own.tenant_id = $1 and own.folded_email is not null
    and own.folded_email >= one.folded and own.folded_email <= one.folded
  order by own.folded_email, own.login_id limit 2
) as login_ids
from (select distinct sent.folded collate "C" as folded from unnest($2::text[]) sent (folded)) one`;

type Known = { folded: string; login_ids: string[] };
type Planned = PromiseSettledResult<RowDone>;
/** `email` is folded. */
type Asked = { loginId: string; email: string };

/** The address that a planned row would give to its user. */
function askedIn(planned: Planned, row: NewUser | undefined): Asked | null {
  if (planned.status !== 'fulfilled' || !row?.Email) return null;
  const { Status, Changed } = planned.value;
  if (Status !== 201 && !Changed?.includes('Email')) return null;
  return { loginId: row.LoginID, email: foldCase(row.Email) };
}

/**
 * Adds `SameEmailLoginID` to each planned row that would give its user an address that another user has, or that an
 * earlier one of these rows would give to another user.
 */
export async function withSameEmails<Row extends Planned>(
  ctx: TenantContext,
  planned: Row[],
  rows: readonly NewUser[],
): Promise<Row[]> {
  const asked = planned.map((one, at) => askedIn(one, rows[at]));
  const emails = asked.flatMap((one) => (one ? [one.email] : []));
  // Without this scope, a caller must not learn to whom an address belongs.
  if (emails.length === 0 || !hasScope(ctx, 'users:read')) return planned;
  const values = [ctx.tenantId, emails];
  const found = await runInOrder<Known>(ctx, { name: 'same_emails', text: sameEmailsText, values });
  const known = new Map(found.map((one) => [one.folded, one]));
  const earlier = new Map<string, string>();
  return planned.map((one, at) => {
    const own = asked[at];
    const same = own && known.get(own.email);
    if (!same || one.status !== 'fulfilled') return one;
    const first = earlier.get(same.folded);
    if (first === undefined) earlier.set(same.folded, own.loginId);
    const other = [...same.login_ids, ...(first === undefined ? [] : [first])].find(
      (loginId) => loginId !== own.loginId,
    );
    return other === undefined ? one : { ...one, value: { ...one.value, SameEmailLoginID: other } };
  });
}
