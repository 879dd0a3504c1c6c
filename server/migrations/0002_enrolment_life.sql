-- Counted while seats is not null; setting a limit counts anew.
alter table enrol_option add column seats_taken integer not null default 0;

-- False: withdrawn within the grace, so that the seat can be sold again.
alter table enrolment add column holds_seat boolean not null default true;
update enrolment set holds_seat = false where status = 'withdrawn';

-- What the clock has yet to end.
create index enrolment_due on enrolment (expires_at) where ended_at is null;
