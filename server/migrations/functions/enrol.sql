-- Made by npm run generate. Do not edit.
create or replace function enrol_4881e21e360a (text, jsonb, timestamptz, boolean, integer, text[]) returns table (n integer, user_found boolean, user_enabled boolean, course_status text, course_title text,
  options jsonb, chosen text, action text, is_full boolean, held enrolment)
language plpgsql set plan_cache_mode = force_generic_plan as $body$
#variable_conflict use_column
declare
  request record;
  learner record;
  offering record;
  ongoing record;
  choice record;
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
      login_id text, course_id text, duration_id text, if_enrolled text, expires_at timestamptz, reference text,
      metadata jsonb)
    order by r.course_id, r.duration_id, r.login_id
  loop
    exit when has_seat and processed >= 10;
    processed := processed + 1;
    
    select own.user_id, own.enabled, own.group_name into learner from "user" own
    where own.tenant_id = $1 and own.login_id = request.login_id limit 1;
    select known.status, known.title into offering from course known
    where known.course_id = request.course_id and (known.status <> 'draft' and (known.tenants is null or $1 = any(known.tenants))) limit 1;
    select own.enroll_id, own.expires_at <= $3 as lapsed into ongoing from enrolment own
    where own.tenant_id = $1 and own.user_id = learner.user_id and own.course_id = request.course_id
      and own.ended_at is null limit 1;
    select option.duration_id, option.duration, option.starts_on, option.seats, option.seats_taken, option.attempts,
      count(*) over () as offered
    into choice from enrol_option option
    where option.course_id = request.course_id and (option.status = 'published' and (option.groups is null or learner.group_name = any(option.groups)))
      and option.duration_id = coalesce(request.duration_id, option.duration_id) limit 1;
    n := request.n;
    user_found := learner.user_id is not null;
    user_enabled := learner.enabled;
    course_status := offering.status;
    course_title := offering.title;
    options := '[]';
    chosen := null;
    action := 'refuse';
    is_full := false;
    held := null;
    if learner.enabled is distinct from true or offering.status is distinct from 'published' then
      return next;
      continue;
    end if;
    if choice.offered is distinct from 1 then
      
      select coalesce(jsonb_agg(to_jsonb(option) order by option.created_at, option.duration_id), '[]') into options
      from enrol_option option
      where option.course_id = request.course_id and (option.status = 'published' and (option.groups is null or learner.group_name = any(option.groups)));
      return next;
      continue;
    end if;
    chosen := choice.duration_id;
    if ongoing.enroll_id is not null and ongoing.lapsed is not true and request.if_enrolled in ('return', 'fail') then
      select own.* into held from enrolment own where own.tenant_id = $1 and own.enroll_id = ongoing.enroll_id;
      action := 'keep';
      return next;
      continue;
    end if;
    
    select known.group_name into current_group from "user" known
    where known.tenant_id = $1 and known.user_id = learner.user_id for key share;
    is_known := found;
    
    former_id := ongoing.enroll_id;
    if former_id is null and request.if_enrolled = 'extend' then
      select latest.enroll_id into former_id from (
        select own.enroll_id, own.status from enrolment own
        where own.tenant_id = $1 and own.user_id = learner.user_id and own.course_id = request.course_id
        order by own.enroll_id desc limit 1
      ) latest where latest.status <> 'withdrawn';
    end if;
    action := 'create';
    if former_id is not null then
      select own.*, own.expires_at <= $3 as lapsed into former from enrolment own
      where own.tenant_id = $1 and own.enroll_id = former_id
        and (own.ended_at is null) = (ongoing.enroll_id is not null) and own.status <> 'withdrawn'
      for no key update;
      action := (case when not found then 'again' when request.if_enrolled = 'extend' then 'extend'
        when former.lapsed then 'replace' when request.if_enrolled = 'renew' then 'renew' else 'again' end);
    end if;
    if action = 'again' then
      return next;
      continue;
    end if;
    
    if action = 'extend' then
      new_end := (case when former.expires_at is null and (request.expires_at is null or not (former.starts_on = 'launch' and former.started_at is null and former.expires_at is null)) then null
        when request.expires_at is not null then greatest(former.expires_at, request.expires_at)
        else case when choice.duration is not null then least(least(greatest(former.expires_at, $3), '9999-12-31T00:00:00Z'::timestamptz) + least(choice.duration::interval, interval '9999 years'), '9999-12-31T00:00:00Z'::timestamptz) end end);
      new_duration := (case when (former.starts_on = 'launch' and former.started_at is null and former.expires_at is null) and request.expires_at is null
        then (least(former.duration::interval, interval '9999 years') + least(choice.duration::interval, interval '9999 years'))::text else former.duration end);
      update enrolment set expires_at = new_end, end_set_at = $3, duration = new_duration,
        reference = coalesce(request.reference, enrolment.reference),
        metadata = coalesce(request.metadata, enrolment.metadata),
        status = (case when enrolment.status = 'expired' then coalesce(enrolment.status_before_end, 'enrolled') when enrolment.status = 'withdrawn' then coalesce(enrolment.status_before_end, 'enrolled') else enrolment.status end), ended_at = null, changed_at = $3,
        revision = enrolment.revision + 1
      where enrolment.tenant_id = $1 and enrolment.enroll_id = former_id
      returning enrolment.* into held;
      events := events ||
      jsonb_build_object('id', request.second_event, 'type', 'enrolment.extended', 'user', learner.user_id, 'enrolment', former_id, 'course', request.course_id, 'data', jsonb_build_object('DurationID', chosen, 'ExpiresAt', to_char(held.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'Status', held.status, 'Reference', request.reference));
      return next;
      continue;
    end if;
    
    if exists (select from enrolment own where own.tenant_id = $1 and own.user_id = learner.user_id
        offset 1999) then
      action := 'limit';
      return next;
      continue;
    end if;
    
    if choice.seats is not null then
      seat := request.course_id || E'\n' || chosen;
      is_full := choice.seats_taken + cardinality(array_positions(planned, seat)) >= choice.seats;
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
      jsonb_build_object('id', request.first_event, 'type', 'enrolment.renewed', 'user', learner.user_id, 'enrolment', former_id, 'course', request.course_id, 'data', jsonb_build_object('NewEnrollID', request.enroll_id, 'Status', held.status));
      elsif held.status = 'expired' then
        events := events ||
      jsonb_build_object('id', request.first_event, 'type', 'enrolment.expired', 'user', learner.user_id, 'enrolment', former_id, 'course', request.course_id, 'data', jsonb_build_object('Status', held.status));
      end if;
    end if;
    
    is_made := is_known;
    if is_made then
      new_end := (case when request.expires_at is not null then request.expires_at
        when choice.starts_on = 'enrolment' then case when choice.duration is not null then least(least($3, '9999-12-31T00:00:00Z'::timestamptz) + least(choice.duration::interval, interval '9999 years'), '9999-12-31T00:00:00Z'::timestamptz) end end);
      insert into enrolment (tenant_id, enroll_id, user_id, course_id, duration_id, duration, starts_on, enrolled_at,
        changed_at, expires_at, reference, metadata, group_name, attempt_rules)
      values ($1, request.enroll_id, learner.user_id, request.course_id, chosen, choice.duration, choice.starts_on, $3, $3,
        new_end, request.reference, coalesce(request.metadata, '{}'), current_group,
        choice.attempts)
      on conflict (tenant_id, user_id, course_id) where ended_at is null do nothing
      returning enrolment.* into held;
      is_made := found;
    end if;
    if is_made and choice.seats is null then
      perform from enrol_option option where option.course_id = request.course_id and option.duration_id = chosen and option.seats is null;
      if not found then
        delete from enrolment where enrolment.tenant_id = $1 and enrolment.enroll_id = request.enroll_id;
        held := null;
        is_made := false;
      end if;
    end if;
    if not is_made then
      if action <> 'create' then
        raise exception 'The user was erased by another request.' using errcode = 'foreign_key_violation';
      end if;
      update enrol_option option
      set seats_taken = option.seats_taken - 1 where option.course_id = request.course_id and option.duration_id = chosen and choice.seats is not null and not is_plan;
      action := 'again';
      return next;
      continue;
    end if;
    if is_plan and choice.seats is not null then
      planned := planned || seat;
    end if;
    events := events ||
      jsonb_build_object('id', request.second_event, 'type', 'enrolment.created', 'user', learner.user_id, 'enrolment', request.enroll_id, 'course', request.course_id, 'data', jsonb_build_object('DurationID', chosen, 'Reference', request.reference));
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
