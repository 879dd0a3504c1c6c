-- Made by npm run generate. Do not edit.
create or replace function enrol_1e7e832b268c (text, jsonb, timestamptz, boolean, integer, text[]) returns table (n integer, user_found boolean, user_enabled boolean, course_status text, course_title text,
  options jsonb, chosen text, action text, is_full boolean, held enrolment)
language plpgsql set plan_cache_mode = force_generic_plan as $body$
#variable_conflict use_column
declare
  request record;
  fact record;
  former record;
  former_id uuid;
  events jsonb[] := '{}';
  log_end bigint;
  processed integer := $5;
  has_seat boolean := $5 > 0;
  is_plan boolean := $6 is not null;
  planned text[] := coalesce($6, '{}');
  seat text;
  new_end timestamptz;
  new_duration text;
  current_group text;
  is_known boolean;
  is_made boolean;
begin
  for request in
    select * from jsonb_to_recordset($2) as r (n integer, enroll_id uuid, first_event uuid, second_event uuid,
      login_id text, course_id text, duration_id text, if_enrolled text, reference text, metadata jsonb)
    order by r.course_id, r.duration_id, r.login_id
  loop
    exit when has_seat and processed >= 10;
    processed := processed + 1;
    
    select known.user_id, known.enabled, known.group_name, course.status as course_status, course.title,
      ongoing.enroll_id, coalesce(ongoing.expires_at <= $3, false) as lapsed,
      choice.duration_id, choice.duration, choice.starts_on, choice.seats, choice.seats_taken, choice.attempts, choice.offered
    into fact
    from (values (request.login_id, request.course_id, request.duration_id)) as wanted (login_id, course_id, duration_id)
    left join lateral (
      select own.user_id, own.enabled, own.group_name from "user" own
      where own.tenant_id = $1 and own.login_id = wanted.login_id limit 1
    ) known on true
    left join course on course.course_id = wanted.course_id and (course.status <> 'draft' and (course.tenants is null or $1 = any(course.tenants)))
    left join lateral (
      select own.enroll_id, own.expires_at from enrolment own
      where own.tenant_id = $1 and own.user_id = known.user_id and own.course_id = wanted.course_id
        and own.ended_at is null limit 1
    ) ongoing on true
    left join lateral (
      select option.duration_id, option.duration, option.starts_on, option.seats, option.seats_taken, option.attempts,
        count(*) over () as offered
      from enrol_option option
      where option.course_id = course.course_id and (option.status = 'published' and (option.groups is null or known.group_name = any(option.groups)))
        and option.duration_id = coalesce(wanted.duration_id, option.duration_id)
      limit 1
    ) choice on true;
    n := request.n;
    user_found := fact.user_id is not null;
    user_enabled := fact.enabled;
    course_status := fact.course_status;
    course_title := fact.title;
    options := '[]';
    chosen := null;
    action := 'refuse';
    is_full := false;
    held := null;
    if fact.enabled is distinct from true or fact.course_status is distinct from 'published' then
      return next;
      continue;
    end if;
    if fact.offered is distinct from 1 then
      
      select coalesce(jsonb_agg(to_jsonb(option) order by option.created_at, option.duration_id), '[]') into options
      from enrol_option option
      where option.course_id = request.course_id and (option.status = 'published' and (option.groups is null or fact.group_name = any(option.groups)));
      return next;
      continue;
    end if;
    chosen := fact.duration_id;
    if fact.enroll_id is not null and not fact.lapsed and request.if_enrolled in ('return', 'fail') then
      select own.* into held from enrolment own where own.tenant_id = $1 and own.enroll_id = fact.enroll_id;
      action := 'keep';
      return next;
      continue;
    end if;
    
    select known.group_name into current_group from "user" known
    where known.tenant_id = $1 and known.user_id = fact.user_id for key share;
    is_known := found;
    
    former_id := fact.enroll_id;
    if former_id is null and request.if_enrolled = 'extend' then
      select latest.enroll_id into former_id from (
        select own.enroll_id, own.status from enrolment own
        where own.tenant_id = $1 and own.user_id = fact.user_id and own.course_id = request.course_id
        order by own.enroll_id desc limit 1
      ) latest where latest.status <> 'withdrawn';
    end if;
    action := 'create';
    if former_id is not null then
      select own.*, own.expires_at <= $3 as lapsed into former from enrolment own
      where own.tenant_id = $1 and own.enroll_id = former_id
        and (own.ended_at is null) = (fact.enroll_id is not null) and own.status <> 'withdrawn'
      for no key update;
      action := (case when not found then 'again' when request.if_enrolled = 'extend' then 'extend'
        when former.lapsed then 'replace' when request.if_enrolled = 'renew' then 'renew' else 'again' end);
    end if;
    if action = 'again' then
      return next;
      continue;
    end if;
    
    if action = 'extend' then
      new_end := (case when former.expires_at is not null
        then case when fact.duration is not null then least(least(greatest(former.expires_at, $3), '9999-12-31T00:00:00Z'::timestamptz) + least(fact.duration::interval, interval '9999 years'), '9999-12-31T00:00:00Z'::timestamptz) end end);
      new_duration := (case when (former.starts_on = 'launch' and former.started_at is null and former.expires_at is null)
        then (least(former.duration::interval, interval '9999 years') + least(fact.duration::interval, interval '9999 years'))::text else former.duration end);
      update enrolment set expires_at = new_end, end_set_at = $3, duration = new_duration,
        reference = coalesce(request.reference, enrolment.reference),
        metadata = coalesce(request.metadata, enrolment.metadata),
        status = (case when enrolment.status = 'expired' then coalesce(enrolment.status_before_end, 'enrolled') when enrolment.status = 'withdrawn' then coalesce(enrolment.status_before_end, 'enrolled') else enrolment.status end), ended_at = null, changed_at = $3,
        revision = enrolment.revision + 1
      where enrolment.tenant_id = $1 and enrolment.enroll_id = former_id
      returning enrolment.* into held;
      events := events ||
      jsonb_build_object('id', request.second_event, 'type', 'enrolment.extended', 'user', fact.user_id, 'enrolment', former_id, 'course', request.course_id, 'data', jsonb_build_object('DurationID', chosen, 'ExpiresAt', to_char(held.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'Status', held.status, 'Reference', request.reference));
      return next;
      continue;
    end if;
    
    if exists (select from enrolment own where own.tenant_id = $1 and own.user_id = fact.user_id
        offset 1999) then
      action := 'limit';
      return next;
      continue;
    end if;
    
    if fact.seats is not null then
      seat := request.course_id || E'\n' || chosen;
      is_full := fact.seats_taken + cardinality(array_positions(planned, seat)) >= fact.seats;
      if not is_full and not is_plan then
        exit when processed > 10;
        update enrol_option option
      set seats_taken = option.seats_taken + 1
      where option.course_id = request.course_id and option.duration_id = chosen and (option.seats is null or option.seats_taken < option.seats);
        is_full := not found;
        perform set_config('lock_timeout', '300ms', true);
        has_seat := has_seat or found;
      end if;
      if is_full then
        return next;
        continue;
      end if;
    end if;
    
    if action in ('replace', 'renew') then
      update enrolment set ended_at = least(enrolment.expires_at, $3), expires_at = least(enrolment.expires_at, $3),
        changed_at = $3, status = (case when enrolment.status = 'enrolled' then 'expired' when enrolment.status = 'in_progress' then 'expired' else enrolment.status end), status_before_end = enrolment.status
      where enrolment.tenant_id = $1 and enrolment.enroll_id = former_id
      returning enrolment.* into held;
      if action = 'renew' then
        events := events ||
      jsonb_build_object('id', request.first_event, 'type', 'enrolment.renewed', 'user', fact.user_id, 'enrolment', former_id, 'course', request.course_id, 'data', jsonb_build_object('NewEnrollID', request.enroll_id, 'Status', held.status));
      elsif held.status = 'expired' then
        events := events ||
      jsonb_build_object('id', request.first_event, 'type', 'enrolment.expired', 'user', fact.user_id, 'enrolment', former_id, 'course', request.course_id, 'data', jsonb_build_object('Status', held.status));
      end if;
    end if;
    
    is_made := is_known;
    if is_made and fact.seats is null then
      perform from enrol_option option where option.course_id = request.course_id and option.duration_id = chosen and option.seats is null for key share;
      is_made := found;
    end if;
    if is_made then
      new_end := (case when fact.starts_on = 'enrolment' then case when fact.duration is not null then least(least($3, '9999-12-31T00:00:00Z'::timestamptz) + least(fact.duration::interval, interval '9999 years'), '9999-12-31T00:00:00Z'::timestamptz) end end);
      insert into enrolment (tenant_id, enroll_id, user_id, course_id, duration_id, duration, starts_on, enrolled_at,
        changed_at, expires_at, reference, metadata, group_name, attempt_rules)
      values ($1, request.enroll_id, fact.user_id, request.course_id, chosen, fact.duration, fact.starts_on, $3, $3,
        new_end, request.reference, coalesce(request.metadata, '{}'), current_group,
        fact.attempts)
      on conflict (tenant_id, user_id, course_id) where ended_at is null do nothing
      returning enrolment.* into held;
      is_made := found;
    end if;
    if not is_made then
      if action <> 'create' then
        raise exception 'The user was erased by another request.' using errcode = 'foreign_key_violation';
      end if;
      update enrol_option option
      set seats_taken = option.seats_taken - 1 where option.course_id = request.course_id and option.duration_id = chosen and fact.seats is not null and not is_plan;
      action := 'again';
      return next;
      continue;
    end if;
    if is_plan and fact.seats is not null then
      planned := planned || seat;
    end if;
    events := events ||
      jsonb_build_object('id', request.second_event, 'type', 'enrolment.created', 'user', fact.user_id, 'enrolment', request.enroll_id, 'course', request.course_id, 'data', jsonb_build_object('DurationID', chosen, 'Reference', request.reference));
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
