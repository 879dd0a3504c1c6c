-- Made by npm run generate. Do not edit.
create or replace function erase_statements_13d0a49e92a2 (text, bigint[]) returns void
language plpgsql set plan_cache_mode = force_generic_plan as $body$
#variable_conflict use_column
declare
  gone record;
begin
  for gone in
    select old.statement_id, old.position, old.keys, old.refers_to from statement old
    where old.tenant_id = $1 and old.position = any ($2)
  loop
    
    with recursive referring (position, id, depth) as (
      select gone.position, gone.statement_id, 0
      union
      select earlier.position, earlier.statement_id, referring.depth + 1 from referring
      cross join lateral (
      select earlier.position, earlier.statement_id, earlier.voids from statement earlier
      where earlier.tenant_id = $1 and earlier.refers_to = referring.id order by earlier.position limit 500
    ) earlier
      where referring.depth < 20
    ), first_referring as (select referring.position from referring limit 500)
    delete from statement_match held using first_referring cross join unnest(gone.keys) as each (key)
    where held.tenant_id = $1 and held.key = each.key and held.position = first_referring.position
      and held.source = gone.position;
    if gone.refers_to is not null then
      with recursive referred (target, depth) as (
        select gone.refers_to, 1
        union
        select target.refers_to, referred.depth + 1 from referred
        cross join lateral (
      select own.refers_to from statement own where own.tenant_id = $1 and own.statement_id = referred.target limit 1
    ) target
        where referred.depth < 20
      ), inherited as (
        select distinct each.key from referred
        cross join lateral (
      select own.keys from statement own where own.tenant_id = $1 and own.statement_id = referred.target limit 1
    ) target
        cross join unnest(target.keys) as each (key)
      )
      delete from statement_match held using inherited
      where held.tenant_id = $1 and held.key = inherited.key and held.position = gone.position;
    end if;
  end loop;
  -- Passed as an array, so that the planner expects few rows and looks up each of them.
  delete from statement_attachment file where file.tenant_id = $1 and file.statement_id = any (array(
    select old.statement_id from statement old where old.tenant_id = $1 and old.position = any ($2)
  ));
  delete from voided_statement where tenant_id = $1 and position = any ($2);
  delete from statement where tenant_id = $1 and position = any ($2);
end
$body$;
