import type { TenantContext } from '../../../platform/context.ts';
import { countRows } from '../../../platform/db/list-count.ts';
import { type List, scanRows } from '../../../platform/db/list-scan.ts';
import type { Parameters } from '../../../platform/db/parameters.ts';
import {
  foreignCursor,
  type Order,
  type PageQuery,
  pageLimit,
  readCursor,
  toPage,
  withCount,
} from '../../../platform/http/pagination.ts';
import { isId } from '../../../platform/ids.ts';
import type { Invitation } from './schemas.ts';
import { type InvitationRow, statusSql, toInvitation } from './state.ts';

type Filter = PageQuery & Order & { Count?: boolean; Status?: Invitation['Status'] };

const status = `(select ${statusSql('$2')} from "user" account, tenant client
  where account.tenant_id = $1 and account.user_id = held.user_id and client.tenant_id = $1)`;

const loginId = `select account.login_id from "user" account
  where account.tenant_id = $1 and account.user_id = held.user_id`;

/** The condition of a partial index. */
const open = 'held.accepted_at is null and held.revoked_at is null';

/** Each user's newest invitation, in the order in which they were created. */
export async function listInvitations(ctx: TenantContext, input: Filter) {
  const limit = pageLimit(input);
  const after = readCursor(input);
  if (after !== null && !isId(after)) throw foreignCursor();
  const isOpen = input.Status === 'pending' || input.Status === 'expired';
  const filter = ({ add }: Parameters) =>
    input.Status === undefined ? 'true' : `${status} = ${add(input.Status)}`;
  const list: List = {
    rows: 'invitation held where held.tenant_id = $1',
    values: [ctx.tenantId, ctx.now()],
    key: ['invitation_id'],
    after: after === null ? null : [after],
    newest: input.Order !== 'oldest',
    accessPaths: [() => ({ ranges: [isOpen ? open : 'true'] })],
    filter,
    // This is a subquery, because the planner would read all users for a join.
    show: (page) => `select held.*, (${loginId}) as login_id, ${status} as status from (${page}) held`,
    wanted: limit,
  };
  const { rows, end } = await scanRows<InvitationRow>(ctx, list);
  const page = toPage(rows, limit, ({ invitation_id }) => invitation_id, toInvitation, end);
  // Without a status, the count does not use the time, and PostgreSQL rejects unused parameters.
  const values = input.Status === undefined ? [ctx.tenantId] : list.values;
  return withCount(input, page, () => countRows(ctx, { ...list, values }));
}
