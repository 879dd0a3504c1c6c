-- outside a transaction
-- What ends, for lists by end and for the job that records it, instead of an index for each. Enrolments without an end
-- are in neither.
drop index concurrently if exists enrolment_by_end;
create index concurrently enrolment_by_end on enrolment (tenant_id, expires_at, enroll_id)
  where ended_at is null and expires_at is not null;
drop index concurrently if exists enrolment_ending;
drop index concurrently if exists enrolment_due;
