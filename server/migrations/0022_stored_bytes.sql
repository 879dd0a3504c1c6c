-- The bytes of `data` as JSON: all units of an enrolment together have a limit. What was stored before counts from the
-- next commit of its unit.
alter table attempt_unit add column bytes integer not null default 0;
