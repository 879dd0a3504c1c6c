import { databaseFunction, functionForTenants } from '../../platform/db/functions.ts';
import type { Scope } from '../../platform/scopes.ts';
import { eventBuffer, eventType } from '../events/write.ts';
import type { FoldedUser } from './record.ts';

/** A user to create. */
export type NewUserRow = {
  user_id: string;
  event_id: string;
  login_id: string;
  first_name: string | null;
  last_name: string | null;
  group_name: string | null;
  email: string | null;
  is_admin: boolean;
  register: boolean;
  enabled: boolean;
  password_hash: string;
  admin_scopes: readonly Scope[] | null;
} & FoldedUser;

const columns =
  'user_id, login_id, first_name, last_name, group_name, email, is_admin, register, enabled, password_hash, admin_scopes, folded_email, sort_name, folded';

const requested = columns.replaceAll(/\w+/g, 'request.$&');

/**
 * Creates users of the tenant `$1` at the time `$3`, unless `may_create` is false. Returns all of
 * them, including existing ones. `$4` is true if nothing else follows in the transaction.
 */
export const createUserFunction = databaseFunction({
  name: 'create_user',
  parameters: 'text, jsonb, timestamptz, boolean',
  returns: 'table (n integer, is_new boolean, held "user")',
  body: `
declare
  request record;
  ${eventBuffer.declare}
begin
  for request in
    select * from jsonb_to_recordset($2) as r (n integer, may_create boolean, event_id uuid, user_id uuid, login_id text,
      first_name text, last_name text, group_name text, email text, is_admin boolean, register boolean,
      enabled boolean, password_hash text, admin_scopes text[], folded_email text, sort_name text, folded text)
    order by r.login_id
  loop
    n := request.n;
    is_new := false;
    if request.may_create then
      insert into "user" as own (tenant_id, ${columns}, created_at, updated_at)
      values ($1, ${requested}, $3, $3)
      on conflict (tenant_id, login_id) do nothing
      returning own.* into held;
      is_new := found;
    end if;
    if is_new then
      ${eventBuffer.add({
        id: 'request.event_id',
        type: eventType('user.created'),
        user: 'request.user_id',
        enrolment: 'null',
        course: 'null',
        data: "jsonb_build_object('LoginID', request.login_id)",
      })}
    else
      select own.* into held from "user" own where own.tenant_id = $1 and own.login_id = request.login_id;
      continue when not found;
    end if;
    return next;
  end loop;
  ${eventBuffer.write('$4')}
end`,
});

export const createUsersForTenants = functionForTenants(
  createUserFunction,
  'outcome.n, outcome.is_new, (outcome.held).*',
);
