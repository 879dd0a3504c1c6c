-- Counts how often a limit was set. Setting one changes this number, which is part of a unique index, so it waits for the
-- enrolments that have locked the key of the option and are not committed: see catalogue/seats.ts.
alter table enrol_option add column limits_set integer not null default 0;
