-- Made by npm run generate. Do not edit.
create or replace function start_launch_0c1a1ad523b9 (text, uuid, timestamptz, text, text, uuid, uuid) returns table (started enrolment, course_title text, course_url text, course_language text, login_id text,
  first_name text, last_name text, launch_id uuid, tree_state text, last_unit_id text, has_more_units boolean,
  units json)
language plpgsql set plan_cache_mode = force_generic_plan as $body$
#variable_conflict use_column
declare
  own enrolment;
  played record;
  known record;
  bookmark record;
  new_end timestamptz;
  events jsonb[] := '{}';
  log_end bigint;
begin
  select held.* into own from enrolment held where held.tenant_id = $1 and held.enroll_id = $2 for no key update;
  if not found or (case when own.expires_at <= $3 then (case when own.status = 'enrolled' then 'expired' when own.status = 'in_progress' then 'expired' else own.status end) else own.status end) in ('withdrawn', 'expired') or own.expires_at <= $3
    or (own.attempt_rules is not null and own.attempt_state ->> 'FinishedAt' is not null
    and (own.attempt_rules ->> 'After' = 'finished'
      or (own.attempt_state #>> '{Result,Success}' = 'failed' and not coalesce(own.override ->> 'Success', own.success) = 'passed'))) then
    return;
  end if;
  select course.title, course.url, course.language, course.release_id into played
  from course where course.course_id = own.course_id;
  select person.login_id, person.first_name, person.last_name into known
  from "user" person where person.tenant_id = $1 and person.user_id = own.user_id and person.enabled;
  if not found or coalesce(own.release_id::text, played.release_id::text, played.url) is null then
    return;
  end if;
  perform from launch tenth where tenth.tenant_id = $1 and tenth.enroll_id = $2
    and tenth.number = own.launches - 9 and tenth.started_at > $3 - interval '1 minute';
  if found then
    return;
  end if;
  new_end := (case when own.starts_on = 'launch' and own.started_at is null and own.expires_at is null
    then case when own.duration is not null then least(least($3, '9999-12-31T00:00:00Z'::timestamptz) + least(own.duration::interval, interval '9999 years'), '9999-12-31T00:00:00Z'::timestamptz) end else own.expires_at end);
  update enrolment set launches = enrolment.launches + 1,
    release_id = coalesce(enrolment.release_id, played.release_id), status = (case when enrolment.status = 'enrolled' then 'in_progress' else enrolment.status end),
    started_at = coalesce(enrolment.started_at, $3), last_accessed_at = $3, changed_at = $3, expires_at = new_end
  where enrolment.tenant_id = $1 and enrolment.enroll_id = $2
  returning enrolment.* into started;
  insert into launch (tenant_id, enroll_id, number, launch_id, started_at, last_seen_at, return_url, user_agent)
  values ($1, $2, started.launches, $7, $3, $3, $4, $5);
  select attempt.tree_state, attempt.last_unit_id into bookmark
  from attempt where attempt.tenant_id = $1 and attempt.enroll_id = $2;
  course_title := played.title;
  course_url := played.url;
  course_language := played.language;
  login_id := known.login_id;
  first_name := known.first_name;
  last_name := known.last_name;
  launch_id := $7;
  tree_state := bookmark.tree_state;
  last_unit_id := bookmark.last_unit_id;
  select count(*) > 50 or coalesce(sum(greatest(first.bytes, first.stored)), 0) > 65536
  into has_more_units from (
    select unit.bytes, pg_column_size(unit.data) as stored from attempt_unit unit
    where unit.tenant_id = $1 and unit.enroll_id = $2 limit 51
  ) first;
  if not has_more_units then
    select json_object_agg(unit.unit_id, json_build_object('data', unit.data, 'evidence', unit.evidence)) into units
    from attempt_unit unit where unit.tenant_id = $1 and unit.enroll_id = $2;
  end if;
  events := events ||
      jsonb_build_object('id', $6, 'type', 'enrolment.launched', 'user', started.user_id, 'enrolment', $2, 'course', started.course_id, 'data', jsonb_build_object('Launch', started.launches, 'Status', started.status));
  
  if cardinality(events) > 0 then
    if true then
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
  return next;
end
$body$;
