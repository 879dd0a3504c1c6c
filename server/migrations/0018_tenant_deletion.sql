-- The receipt of a deletion that is under way, answered when it is asked for again.
alter table tenant add column deletion jsonb;
