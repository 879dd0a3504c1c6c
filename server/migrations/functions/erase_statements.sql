-- Made by npm run generate. Do not edit.
create or replace function erase_statements_0b2e6cd76637 (text, bigint[]) returns void
language plpgsql set plan_cache_mode = force_generic_plan as $body$
#variable_conflict use_column
declare
  gone record;
begin
  for gone in
    select old.position, old.keys, old.refers_to from statement old
    where old.tenant_id = $1 and old.position = any ($2)
  loop
    
    delete from statement_match using unnest(gone.keys) as own (key)
    where statement_match.tenant_id = $1 and statement_match.key = own.key and statement_match.position = gone.position;
    if gone.refers_to is not null then
      with recursive referred (target, depth) as (
        select gone.refers_to, 1
        union
        select target.refers_to, referred.depth + 1 from referred
        cross join lateral (
      select own.refers_to from statement own where own.tenant_id = $1 and own.statement_id = referred.target limit 1
    ) target
        where referred.depth < 5
      ), inherited as (
        select distinct each.key from referred
        cross join lateral (
      select own.keys from statement own where own.tenant_id = $1 and own.statement_id = referred.target limit 1
    ) target
        cross join unnest(target.keys) as each (key)
      )
      delete from statement_match using inherited
      where statement_match.tenant_id = $1 and statement_match.key = inherited.key and statement_match.position = gone.position;
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
