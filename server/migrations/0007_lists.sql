-- An index for each filter and order that a list offers: docs/adr/0023-lists.md.

-- By code points, so that what begins with a text lies together in the index, whatever the locale of the database.
alter table "user" alter column login_id type text collate "C";
alter table "user" alter column group_name type text collate "C";

-- Search: the name in both orders, and the address. 60 characters, so that a row fits into every index.
create index user_by_last_name on "user"
  (tenant_id, (lower(left(last_name || coalesce(' ' || first_name, ''), 60)) collate "C"), login_id)
  where last_name is not null;
create index user_by_first_name on "user"
  (tenant_id, (lower(left(first_name || coalesce(' ' || last_name, ''), 60)) collate "C"), login_id)
  where first_name is not null;
drop index user_by_email;
create index user_by_email on "user" (tenant_id, (lower(email) collate "C"), login_id) where email is not null;
create index user_disabled on "user" (tenant_id, login_id) where not enabled;

-- The user's current group. A change of it takes the enrolments along; enrolling locks the user, so that none is missed.
alter table enrolment add column group_name text collate "C";
update enrolment set group_name = "user".group_name from "user"
where "user".tenant_id = enrolment.tenant_id and "user".user_id = enrolment.user_id and "user".group_name is not null;
create function follow_group() returns trigger language plpgsql as $$
begin
  update enrolment set group_name = new.group_name where tenant_id = new.tenant_id and user_id = new.user_id;
  return null;
end $$;
create trigger follow_group after update of group_name on "user"
  for each row when (old.group_name is distinct from new.group_name) execute function follow_group();

create index enrolment_of_group on enrolment (tenant_id, group_name, enroll_id) where group_name is not null;
create index enrolment_by_status on enrolment (tenant_id, status, enroll_id);
create index enrolment_ending on enrolment (tenant_id, expires_at, enroll_id) where ended_at is null;
drop index enrolment_of_course;
create index enrolment_of_course on enrolment (tenant_id, course_id, status, enroll_id);
drop index enrolment_of_option;
create index enrolment_of_option on enrolment (course_id, duration_id, tenant_id, enroll_id);

drop index webhook_delivery_pending;
create index webhook_delivery_by_status on webhook_delivery (tenant_id, webhook_id, status, number);
create index webhook_delivery_of_lane on webhook_delivery (tenant_id, webhook_id, lane, number);
create index webhook_delivery_of_event on webhook_delivery (tenant_id, webhook_id, event_id, number);
create index webhook_delivery_failed on webhook_delivery (tenant_id, attempted_at) where status = 'failed';

create index enrolment_key_open on enrolment_key (tenant_id, key_id) where redeemed_at is null and revoked_at is null;
create index enrolment_key_redeemed on enrolment_key (tenant_id, key_id) where redeemed_at is not null;
create index enrolment_key_revoked on enrolment_key (tenant_id, key_id)
  where revoked_at is not null and redeemed_at is null;
