import { createsEnrolment } from './actions.ts';

/**
 * The rows that create enrolments: all of them if the option has no limit, otherwise the first ones up to the seats
 * left.
 */
export const seated = `seated as materialized (
  select step.*, limited.seats_left, ${createsEnrolment('step')} and case
    when limited.duration_id is null then unlimited.duration_id is not null
    else limited.seats_left is null or row_number()
      over (partition by step.course_id, step.chosen, ${createsEnrolment('step')} order by step.n) <= limited.seats_left
    end as begins
  from step
  left join limited on limited.course_id = step.course_id and limited.duration_id = step.chosen
  left join unlimited on unlimited.course_id = step.course_id and unlimited.duration_id = step.chosen
)`;

/** SQL: the row created no enrolment because all seats are taken. */
export const isFull = `not seated.begins and seated.seats_left <= (
    select count(*) from inserted
    where inserted.course_id = seated.course_id and inserted.duration_id = seated.chosen
  ) and ${createsEnrolment('seated')}`;
