-- The option's key already requires the course.
alter table enrolment drop constraint enrolment_course_id_fkey;
