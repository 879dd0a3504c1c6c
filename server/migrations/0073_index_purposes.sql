-- What the indexes of the two largest tables serve.
comment on index enrolment_pkey is 'GET /enrolment/{LoginID}/{EnrollID}, launches, commits';
comment on index enrolment_current is 'POST /enrol/{LoginID}/{CourseID}: one current enrolment per user and course';
comment on index enrolment_of_user is 'GET /enrolment/{LoginID}, and the limit of enrolments per user';
comment on index enrolment_of_course is 'GET /enrolment by CourseID, with Status';
comment on index enrolment_of_group is 'GET /enrolment by GroupName';
comment on index enrolment_by_status is 'GET /enrolment by Status';
comment on index enrolment_changed is 'GET /enrolment by ChangedAfter';
comment on index enrolment_by_end is 'GET /enrolment by ExpiresAfter and ExpiresBefore, the job that ends enrolments, reminders';
comment on index enrolment_of_option is
  'GET /enrolment by DurationID, and PUT /course/{CourseID}/option/{DurationID}, which counts seats in all tenants';
comment on index enrolment_on_release is 'DELETE /course/{CourseID}: whether an enrolment has a release of the course';
comment on index event_pkey is 'GET /events by EventID or newest first, replays of webhooks';
comment on index event_by_position is 'GET /events, webhooks, reports';
comment on index event_of_enrolment is 'GET /events by EnrollID, GET /enrolment/{LoginID}/{EnrollID}/timeline';
comment on index event_of_user is 'GET /events by LoginID: those without an enrolment';
comment on index event_before_positions is 'GET /events with a cursor from before positions; new events have no entry';
