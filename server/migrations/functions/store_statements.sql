-- Made by npm run generate. Do not edit.
create or replace function store_statements_481bdd3f5ed1 (text, json) returns table (request integer, statement_id uuid, payload text)
language plpgsql set plan_cache_mode = force_generic_plan as $body$
#variable_conflict use_column
declare
  last bigint;
  added bigint;
  clashed integer[] := '{}';
  late record;
begin
  
  perform pg_advisory_xact_lock(hashtextextended('statements ' || $1, 0));
  select log.position into last from statement_log log where log.tenant_id = $1;
  last := greatest(last, floor(extract(epoch from clock_timestamp()) * 1000000)::bigint);
  
  for request, statement_id, payload in
    select given.request, held.statement_id, held.payload from json_to_recordset($2) as given (n integer, request integer, id uuid, payload text, bytes integer,
      keys uuid[], refers_to uuid, voids boolean)
    join statement held on held.tenant_id = $1 and held.statement_id = given.id
  loop
    clashed := clashed || request;
    return next;
  end loop;
  
  insert into statement (tenant_id, statement_id, position, payload, bytes, keys, refers_to, voids)
  select $1, given.id, last + given.n, given.payload, given.bytes, given.keys, given.refers_to, given.voids
  from json_to_recordset($2) as given (n integer, request integer, id uuid, payload text, bytes integer,
      keys uuid[], refers_to uuid, voids boolean) where given.request <> all (clashed);
  insert into statement_match (tenant_id, key, position, source)
  select $1, own.key, last + given.n, last + given.n
  from json_to_recordset($2) as given (n integer, request integer, id uuid, payload text, bytes integer,
      keys uuid[], refers_to uuid, voids boolean) cross join unnest(given.keys) as own (key) where given.request <> all (clashed);
  select max(held.position) into added from statement held where held.tenant_id = $1 and held.position > last;
  if added is null then
    return;
  end if;
  insert into statement_log as log (tenant_id, position) values ($1, added)
  on conflict (tenant_id) do update set position = excluded.position;
  
  insert into voided_statement (tenant_id, position)
  select $1, target.position from statement fresh
  join statement target on target.tenant_id = $1 and target.statement_id = fresh.refers_to and not target.voids
  where fresh.tenant_id = $1 and fresh.position > last and fresh.voids
  on conflict do nothing;
  with recursive chain (position, target, depth) as (
    select fresh.position, fresh.refers_to, 1 from statement fresh
    where fresh.tenant_id = $1 and fresh.position > last and fresh.refers_to is not null
    union
    select chain.position, target.refers_to, chain.depth + 1 from chain
    join statement target on target.tenant_id = $1 and target.statement_id = chain.target
    where target.refers_to is not null and chain.depth < 20
  )
  insert into statement_match (tenant_id, key, position, source)
  select $1, own.key, chain.position, target.position from chain
  join statement target on target.tenant_id = $1 and target.statement_id = chain.target
  cross join unnest(target.keys) as own (key)
  on conflict do nothing;
  
  for late in select held.statement_id, held.position, held.voids, held.refers_to from statement held
    where held.tenant_id = $1 and held.position > last
      and exists (select from statement earlier where earlier.tenant_id = $1 and earlier.refers_to = held.statement_id)
  loop
    insert into voided_statement (tenant_id, position)
    select $1, late.position where not late.voids and exists (
      select from statement voiding
      where voiding.tenant_id = $1 and voiding.refers_to = late.statement_id and voiding.voids
    ) on conflict do nothing;
    with recursive referring (position, id, depth) as (
      select earlier.position, earlier.statement_id, 1 from statement earlier
      where earlier.tenant_id = $1 and earlier.refers_to = late.statement_id
      union
      select earlier.position, earlier.statement_id, referring.depth + 1 from referring
      join statement earlier on earlier.tenant_id = $1 and earlier.refers_to = referring.id
      where referring.depth < 20
    ), referred (position, target, depth) as (
      select late.position, late.refers_to, 1
      union
      select target.position, target.refers_to, referred.depth + 1 from referred
      join statement target on target.tenant_id = $1 and target.statement_id = referred.target
      where referred.depth < 20
    ), first_referring as (select referring.position from referring limit 500)
    insert into statement_match (tenant_id, key, position, source)
    select $1, own.key, first_referring.position, source.position
    from first_referring cross join referred
    join statement source on source.tenant_id = $1 and source.position = referred.position
    cross join unnest(source.keys) as own (key)
    on conflict do nothing;
  end loop;
end
$body$;
