-- Made by npm run generate. Do not edit.
create or replace function expire_enrolments_95d94c37bbea (text, jsonb, timestamptz) returns integer
language plpgsql set plan_cache_mode = force_generic_plan as $body$
#variable_conflict use_column
declare
  due record;
  ended enrolment;
  count integer := 0;
  events jsonb[] := '{}';
  log_end bigint;
begin
  perform set_config('lock_timeout', '300ms', true);
  for due in select * from jsonb_to_recordset($2) as r (enroll_id uuid, event_id uuid) loop
    select own.* into ended from enrolment own
    where own.tenant_id = $1 and own.enroll_id = due.enroll_id and own.ended_at is null and own.expires_at <= $3
    for no key update skip locked;
    continue when not found;
    update enrolment set ended_at = enrolment.expires_at, changed_at = $3, status = (case when enrolment.status = 'enrolled' then 'expired' when enrolment.status = 'in_progress' then 'expired' else enrolment.status end),
      status_before_end = enrolment.status
    where enrolment.tenant_id = $1 and enrolment.enroll_id = due.enroll_id
    returning enrolment.* into ended;
    count := count + 1;
    continue when ended.status <> 'expired';
    events := events ||
      jsonb_build_object('id', due.event_id, 'type', 'enrolment.expired', 'user', ended.user_id, 'enrolment', ended.enroll_id, 'course', ended.course_id, 'data', jsonb_build_object('Status', ended.status));
  end loop;
  
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
  return count;
end
$body$;
