import type { TenantContext } from '../../../platform/context.ts';
import type { Parameters } from '../../../platform/db/parameters.ts';
import {
  foreignCursor,
  type Order,
  type PageQuery,
  page,
  readCursor,
} from '../../../platform/http/pagination.ts';
import { isId } from '../../../platform/ids.ts';
import type { Invitation } from './schemas.ts';
import { type InvitationRow, statusSql, toInvitation } from './state.ts';

type Filter = PageQuery & Order & { Count?: boolean; Status?: Invitation['Status'] };

const statusAt = (now: string) => `(select ${statusSql(now)} from "user" account, tenant client
  where account.tenant_id = $1 and account.user_id = held.user_id and client.tenant_id = $1)`;

const loginId = `select account.login_id from "user" account
  where account.tenant_id = $1 and account.user_id = held.user_id`;

/** The condition of a partial index. */
const open = 'held.accepted_at is null and held.revoked_at is null';

/** Each user's newest invitation, in the order in which they were created. */
export async function listInvitations(ctx: TenantContext, input: Filter) {
  const after = readCursor(input);
  if (after !== null && !isId(after)) throw foreignCursor();
  const { Status } = input;
  const status = ({ add }: Parameters) => statusAt(add(ctx.now()));
  return page<InvitationRow, Invitation>(
    ctx,
    input,
    {
      rows: 'invitation held where held.tenant_id = $1',
      values: [ctx.tenantId],
      where: [
        ...(Status === 'pending' || Status === 'expired' ? [() => open] : []),
        ...(Status === undefined
          ? []
          : [(parameters: Parameters) => `${status(parameters)} = ${parameters.add(Status)}`]),
      ],
      key: ['invitation_id'],
      after: after === null ? null : [after],
      newest: input.Order !== 'oldest',
      // This is a subquery, because the planner would read all users for a join.
      show: (page, parameters) =>
        `select held.*, (${loginId}) as login_id, ${status(parameters)} as status from (${page}) held`,
    },
    ({ invitation_id }) => invitation_id,
    toInvitation,
  );
}
