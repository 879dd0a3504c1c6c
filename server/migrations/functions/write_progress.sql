-- Made by npm run generate. Do not edit.
create or replace function write_progress_47d17b37f7fd (text, jsonb, timestamptz, text) returns setof integer
language plpgsql set plan_cache_mode = force_generic_plan as $body$
#variable_conflict use_column
declare
  request record;
  moved record;
  event record;
  listed_since constant timestamptz := $3 - interval '5 minutes';
  events jsonb[] := '{}';
  log_end bigint;
begin
  for request in
    select r.*, given.data::json as data from jsonb_to_recordset($2) as r (n integer, "enrollId" uuid, launch integer, number integer,
      "bodyHash" text, "isLive" boolean, "expectedRevision" integer, "expectedStatus" text,
      "expectedChange" timestamptz, "unitId" text, bytes integer, evidence jsonb,
      "treeState" text, shared text, root jsonb, exit boolean, completion text, success text, score double precision,
      progress double precision, "totalSeconds" double precision, status text, "completedAt" timestamptz,
      warnings text[], claimed jsonb, events jsonb, "attemptState" jsonb)
    join unnest(string_to_array($4, e'\n')) with ordinality as given (data, line) on given.line = r.n + 1
    order by r."enrollId"
  loop
    update enrolment set commits = greatest(enrolment.commits, request.number), revision = enrolment.revision + 1,
      completion = request.completion, success = request.success, score = request.score, progress = request.progress,
      total_seconds = request."totalSeconds", status = request.status, completed_at = request."completedAt",
      attempt_state = nullif(request."attemptState", 'null'),
      last_accessed_at = $3,
      changed_at = (case when enrolment.changed_at > listed_since and enrolment.status = request.status then enrolment.changed_at else $3 end)
    from "user" known
    where enrolment.tenant_id = $1 and enrolment.enroll_id = request."enrollId"
      and enrolment.revision = request."expectedRevision" and enrolment.status = request."expectedStatus"
      and (request."expectedChange" is null or greatest(enrolment.changed_at, enrolment.last_accessed_at) = request."expectedChange")
      and known.tenant_id = $1 and known.user_id = enrolment.user_id and known.enabled
    returning enrolment.user_id, enrolment.course_id into moved;
    continue when not found;
    update attempt_unit unit set
      launch = (case
        when request.bytes > 0 and (request.launch, request.number) > (unit.launch, unit.commit_number) then request.launch else unit.launch end),
      commit_number = (case
        when request.bytes > 0 and (request.launch, request.number) > (unit.launch, unit.commit_number) then request.number else unit.commit_number end),
      data = (case
        when request.bytes > 0 and (request.launch, request.number) > (unit.launch, unit.commit_number) then request.data else unit.data end),
      bytes = (case
        when request.bytes > 0 and (request.launch, request.number) > (unit.launch, unit.commit_number) then request.bytes else unit.bytes end),
      evidence = request.evidence, updated_at = $3
    where unit.tenant_id = $1 and unit.enroll_id = request."enrollId" and unit.unit_id = request."unitId";
    if not found then
      insert into attempt_unit (tenant_id, enroll_id, unit_id, launch, commit_number, data, bytes, evidence, updated_at)
      values ($1, request."enrollId", request."unitId", request.launch, request.number, request.data, request.bytes,
        request.evidence, $3);
    end if;
    update attempt whole set launch = request.launch, commit_number = request.number,
      tree_state = coalesce(request."treeState", whole.tree_state), shared = coalesce(request.shared, whole.shared),
      last_unit_id = request."unitId", root = coalesce(request.root, whole.root)
    where whole.tenant_id = $1 and whole.enroll_id = request."enrollId" and (request.launch, request.number) > (whole.launch, whole.commit_number);
    if not found then
      insert into attempt (tenant_id, enroll_id, launch, commit_number, tree_state, shared, last_unit_id, root)
      values ($1, request."enrollId", request.launch, request.number, request."treeState", request.shared,
        request."unitId", request.root)
      on conflict (tenant_id, enroll_id) do nothing;
    end if;
    insert into run_time_commit
      (tenant_id, enroll_id, number, launch, body_hash, unit_id, evidence, warnings, claimed, committed_at)
    values ($1, request."enrollId", request.number, request.launch, request."bodyHash", request."unitId",
      request.evidence - 'Supports', request.warnings, nullif(request.claimed, 'null'), $3)
    on conflict (tenant_id, enroll_id, launch, number) do update set refused = null, body_hash = excluded.body_hash,
      unit_id = excluded.unit_id, evidence = excluded.evidence, warnings = excluded.warnings,
      claimed = excluded.claimed, committed_at = excluded.committed_at;
    if request."isLive" or request.exit then
      update launch set last_seen_at = (case when request."isLive" then $3 else launch.last_seen_at end),
        ended_at = (case when request.exit then $3 else launch.ended_at end),
        exit_number = (case when request.exit then request.number else launch.exit_number end)
      where launch.tenant_id = $1 and launch.enroll_id = request."enrollId" and launch.number = request.launch;
    end if;
    if request.events <> '[]' then
      for event in select e.id, e.type, e.data
        from jsonb_to_recordset(request.events) as e (id uuid, type text, data jsonb)
      loop
        events := events ||
      jsonb_build_object('id', event.id, 'type', event.type, 'user', moved.user_id, 'enrolment', request."enrollId", 'course', moved.course_id, 'data', event.data);
      end loop;
    end if;
    return next request.n;
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
end
$body$;
