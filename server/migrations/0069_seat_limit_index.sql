-- outside a transaction
-- Makes limits_set part of a key.
drop index concurrently if exists enrol_option_limits;
create unique index concurrently enrol_option_limits on enrol_option (course_id, duration_id, limits_set);
