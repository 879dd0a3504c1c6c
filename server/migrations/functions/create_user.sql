-- Made by npm run generate. Do not edit.
create or replace function create_user_b79d7b213145 (text, jsonb, timestamptz, boolean) returns table (n integer, is_new boolean, held "user")
language plpgsql set plan_cache_mode = force_generic_plan as $body$
#variable_conflict use_column
declare
  request record;
  events jsonb[] := '{}';
  log_end bigint;
begin
  for request in
    select * from jsonb_to_recordset($2) as r (n integer, may_create boolean, event_id uuid, user_id uuid, login_id text,
      first_name text, last_name text, group_name text, email text, is_admin boolean, register boolean,
      enabled boolean, password_hash text, admin_scopes text[], folded_email text, sort_name text)
    order by r.login_id
  loop
    n := request.n;
    is_new := false;
    if request.may_create then
      insert into "user" as own (tenant_id, user_id, login_id, first_name, last_name, group_name, email, is_admin, register, enabled, password_hash, admin_scopes, folded_email, sort_name, created_at, updated_at)
      values ($1, request.user_id, request.login_id, request.first_name, request.last_name, request.group_name, request.email, request.is_admin, request.register, request.enabled, request.password_hash, request.admin_scopes, request.folded_email, request.sort_name, $3, $3)
      on conflict (tenant_id, login_id) do nothing
      returning own.* into held;
      is_new := found;
    end if;
    if is_new then
      events := events ||
      jsonb_build_object('id', request.event_id, 'type', 'user.created', 'user', request.user_id, 'enrolment', null, 'course', null, 'data', jsonb_build_object('LoginID', request.login_id));
    else
      select own.* into held from "user" own where own.tenant_id = $1 and own.login_id = request.login_id;
      continue when not found;
    end if;
    return next;
  end loop;
  
  if cardinality(events) > 0 then
    if $4 then
      insert into event_log as log (tenant_id, position)
  values ($1, cardinality(events)) on conflict (tenant_id) do update set position = log.position + excluded.position
  returning log.position into log_end;
    end if;
    insert into event (tenant_id, event_id, type, occurred_at, user_id, enroll_id, course_id, data, position)
    select $1, (made.entry ->> 'id')::uuid, made.entry ->> 'type', $3, (made.entry ->> 'user')::uuid,
      (made.entry ->> 'enrolment')::uuid, made.entry ->> 'course', made.entry -> 'data',
      log_end - cardinality(events) + made.n
    from unnest(events) with ordinality as made (entry, n);
  end if;
end
$body$;
