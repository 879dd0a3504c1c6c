-- Bytes of run-time data that this attempt and all earlier ones of the enrolment keep, so that nobody has to add them up.
alter table earlier_attempt add column kept_bytes integer not null default 0;
