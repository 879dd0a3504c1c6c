-- Made by npm run generate. Do not edit.
create or replace function store_statements_4a9fc7a8f90f (text, integer[], uuid[], text, integer[], text, uuid[], boolean[], integer) returns table (request integer, statement_id uuid, payload text, followed integer)
language plpgsql set plan_cache_mode = force_generic_plan as $body$
#variable_conflict use_column
declare
  last bigint;
  added integer;
  conflicting integer[] := '{}';
  late record;
  rows_left integer := $9;
  followed_keys uuid[];
  followed_positions bigint[];
  followed_sources bigint[];
begin
  
  perform pg_advisory_xact_lock(hashtextextended('statements ' || $1, 0));
  select log.position into last from statement_log log where log.tenant_id = $1;
  last := greatest(last, floor(extract(epoch from clock_timestamp()) * 1000000)::bigint);
  
  for request, statement_id, payload in
    select conflict.request, conflict.statement_id,
      case when sum(octet_length(conflict.payload)) over (order by conflict.n) <= 8388608 then conflict.payload end
    from (
      select given.request, given.n, held.statement_id, held.payload from unnest($2, $3, string_to_array($4, e'\n'), $5, string_to_array($6, e'\n'), $7, $8)
    with ordinality as given (request, id, payload, bytes, keys, refers_to, voids, n)
      cross join lateral (
      select own.statement_id, own.payload from statement own where own.tenant_id = $1 and own.statement_id = given.id limit 1
    ) held
    ) conflict
  loop
    conflicting := conflicting || request;
    return next;
  end loop;
  
  insert into statement (tenant_id, statement_id, position, payload, bytes, keys, refers_to, voids)
  select $1, given.id, last + given.n, given.payload, given.bytes, given.keys::uuid[], given.refers_to, given.voids
  from unnest($2, $3, string_to_array($4, e'\n'), $5, string_to_array($6, e'\n'), $7, $8)
    with ordinality as given (request, id, payload, bytes, keys, refers_to, voids, n) where given.request <> all (conflicting);
  get diagnostics added = row_count;
  insert into statement_match (tenant_id, key, position, source)
  select $1, own.key, last + given.n, last + given.n
  from unnest($2, $3, string_to_array($4, e'\n'), $5, string_to_array($6, e'\n'), $7, $8)
    with ordinality as given (request, id, payload, bytes, keys, refers_to, voids, n) cross join unnest(given.keys::uuid[]) as own (key) where given.request <> all (conflicting);
  if added = 0 then
    return;
  end if;
  insert into statement_log as log (tenant_id, position) values ($1, last + cardinality($3))
  on conflict (tenant_id) do update set position = excluded.position;
  
  for late in
    select given.id, last + given.n as position, given.refers_to, given.voids,
      awaiting.statement_id is not null as is_awaited
    from unnest($2, $3, string_to_array($4, e'\n'), $5, string_to_array($6, e'\n'), $7, $8)
    with ordinality as given (request, id, payload, bytes, keys, refers_to, voids, n) left join lateral (
      select earlier.position, earlier.statement_id, earlier.voids from statement earlier
      where earlier.tenant_id = $1 and earlier.refers_to between given.id and given.id
      order by earlier.refers_to, earlier.position limit 1
    ) awaiting on true
    where given.request <> all (conflicting) and (given.refers_to is not null or awaiting.statement_id is not null)
    order by given.n
  loop
    
    if late.voids then
      insert into voided_statement (tenant_id, position)
      select $1, target.position from (
      select own.position, own.voids from statement own where own.tenant_id = $1 and own.statement_id = late.refers_to limit 1
    ) target
      where not target.voids on conflict do nothing;
    end if;
    if late.refers_to is not null then
      with recursive referred (position, target, depth) as (
      select late.position, late.refers_to, 1
      union
      select target.position, target.refers_to, referred.depth + 1 from referred
      cross join lateral (
      select own.position, own.refers_to from statement own where own.tenant_id = $1 and own.statement_id = referred.target limit 1
    ) target
      where referred.depth < 5
    )
      select array_agg(chosen.key), array_agg(chosen.position), array_agg(chosen.source)
      into followed_keys, followed_positions, followed_sources
      from (select each.key, late.position, referred.position as source from referred
      cross join lateral (
      select own.keys from statement own where own.tenant_id = $1 and own.position = referred.position limit 1
    ) target cross join unnest(target.keys) as each (key) limit rows_left) chosen;
      insert into statement_match (tenant_id, key, position, source)
      select $1, chosen.key, chosen.position, chosen.source
      from unnest(followed_keys, followed_positions, followed_sources) as chosen (key, position, source)
      on conflict do nothing;
      rows_left := rows_left - coalesce(cardinality(followed_keys), 0);
    end if;
    
    if late.is_awaited then
      insert into voided_statement (tenant_id, position)
      select $1, late.position where not late.voids and exists (
        select from (
      select earlier.position, earlier.statement_id, earlier.voids from statement earlier
      where earlier.tenant_id = $1 and earlier.refers_to between late.id and late.id
      order by earlier.refers_to, earlier.position limit 500
    ) earlier where earlier.voids
      ) on conflict do nothing;
      with recursive referring (position, id, depth) as (
        select earlier.position, earlier.statement_id, 1 from (
      select earlier.position, earlier.statement_id, earlier.voids from statement earlier
      where earlier.tenant_id = $1 and earlier.refers_to between late.id and late.id
      order by earlier.refers_to, earlier.position limit 500
    ) earlier
        union
        select earlier.position, earlier.statement_id, referring.depth + 1 from referring
        cross join lateral (
      select earlier.position, earlier.statement_id, earlier.voids from statement earlier
      where earlier.tenant_id = $1 and earlier.refers_to between referring.id and referring.id
      order by earlier.refers_to, earlier.position limit 500
    ) earlier
        where referring.depth < 5
      ), first_referring as (select referring.position from referring limit 500), referred (position, target, depth) as (
      select late.position, late.refers_to, 1
      union
      select target.position, target.refers_to, referred.depth + 1 from referred
      cross join lateral (
      select own.position, own.refers_to from statement own where own.tenant_id = $1 and own.statement_id = referred.target limit 1
    ) target
      where referred.depth < 5
    )
      select array_agg(chosen.key), array_agg(chosen.position), array_agg(chosen.source)
      into followed_keys, followed_positions, followed_sources
      from (select each.key, first_referring.position, referred.position as source
      from first_referring cross join referred
      cross join lateral (
      select own.keys from statement own where own.tenant_id = $1 and own.position = referred.position limit 1
    ) target cross join unnest(target.keys) as each (key) limit rows_left) chosen;
      insert into statement_match (tenant_id, key, position, source)
      select $1, chosen.key, chosen.position, chosen.source
      from unnest(followed_keys, followed_positions, followed_sources) as chosen (key, position, source)
      on conflict do nothing;
      rows_left := rows_left - coalesce(cardinality(followed_keys), 0);
    end if;
  end loop;
  if rows_left < $9 then
    followed := $9 - rows_left;
    return next;
  end if;
end
$body$;
