import Type from 'typebox';
import { Fields, Instant, Nullable, OneOf, Text } from '../../../http/validation/schema.ts';
import { CourseID } from '../../catalogue/schemas.ts';
import { RequirementID } from '../../requirements/schemas.ts';
import { units } from '../periods.ts';
import { GroupName, lineBy } from '../schemas.ts';
import { frequencies, weekdays } from './times.ts';

export const maxSchedules = 20;
export const maxRecipients = 10;

/** What each line can cover; the first one is the default. An activity report has periods instead. */
export const linesOf = {
  completion: lineBy,
  activity: [],
  access: lineBy,
  compliance: ['requirement', 'group', 'manager', 'total'],
} as const;
export const reports = ['completion', 'activity', 'access', 'compliance'] as const;

/** Why a run failed. `time_zone`: the service's database of time zones no longer has the zone. */
const problems = ['no_recipients', 'mail_not_configured', 'unavailable', 'time_zone', 'failed'] as const;
export type ScheduleProblem = (typeof problems)[number];

const fields = {
  Name: Text(100, {
    minLength: 1,
    description: 'Shown in the console and in the subject of emails.',
    examples: ['Monday report'],
  }),
  Report: OneOf(reports, {
    description:
      '`completion`: the figures at the end of the day before the run, as in `GET /report/completion`. `activity`: the days before the run, as in `GET /report/activity`. `access`: the figures at the time when the report is read or its email is sent, as in `GET /report/access`. `compliance`: the figures at the end of the day before the run, as in `GET /report/compliance`. Days are in UTC, for `compliance` in the TimeZone of the tenant.',
  }),
  By: Nullable(
    OneOf([...lineBy, 'requirement', 'manager'], {
      description:
        'What each line covers. `completion` and `access`: course (default), group, course_and_group or total. `compliance`: requirement (default), group, manager or total. Not for `activity`.',
    }),
  ),
  Unit: Nullable(OneOf(units, { description: 'Only for `activity`: length of the periods. Default: day.' })),
  Days: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: 366,
      description: 'Only for `activity`: number of days before the run. Default: 30.',
    }),
  ),
  CourseID: Nullable({ ...CourseID, description: 'Only this course. Not for `compliance`.' }),
  RequirementID: Nullable({ ...RequirementID, description: 'Only this requirement. Only for `compliance`.' }),
  GroupName: Nullable(GroupName),
  Every: OneOf(frequencies, { description: 'How often the report runs.' }),
  Weekday: Nullable(
    OneOf(weekdays, { description: 'The day on which a weekly report runs; required if `Every` is `week`.' }),
  ),
  MonthDay: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: 31,
      description:
        'The day on which a monthly report runs; required if `Every` is `month`. In shorter months, it runs on the last day.',
    }),
  ),
  Time: Type.String({
    pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
    examples: ['07:00'],
    description:
      'The time of day in `TimeZone`, such as 07:00. A time that clocks skip is moved forward; a time that they show twice is used once.',
  }),
  TimeZone: Text(64, {
    minLength: 1,
    description: 'UTC, or a name with a slash from the IANA time zone database, such as Europe/Berlin.',
  }),
  Delivery: OneOf(['email', 'webhook'], {
    description:
      '`email`: the recipients get the report as a CSV file. `webhook`: the event `report.ready` has the URL of the report.',
  }),
  Recipients: Type.Array(Text(255, { minLength: 1 }), {
    maxItems: maxRecipients,
    uniqueItems: true,
    description: `LoginIDs of up to ${maxRecipients} enabled administrators with an email address. Required if \`Delivery\` is \`email\`, otherwise empty.`,
  }),
  Status: OneOf(['active', 'paused'], { description: 'A paused report runs only on request.' }),
};

const ScheduleID = Type.String({ format: 'uuid', description: 'Opaque.' });
export const scheduleParams = Type.Object({ ScheduleID: Text(255) });

export const ReportSchedule = Fields(
  {
    ScheduleID,
    ...fields,
    NextRunAt: Nullable(Instant('When the report runs next, or is tried again after a failure.')),
    LastRunAt: Nullable(Instant('The last run or attempt.')),
    LastProblem: Nullable(
      OneOf(problems, {
        description:
          'Why the last run failed; null if it succeeded. `no_recipients`: no recipient is still an enabled administrator with an email address who may read enrolments, or for `compliance` requirements. `unavailable`: the figures were not complete. After `unavailable` and `failed`, the run is tried again for about an hour and a half. Whether the mail server accepted an email is in `GET /mail`.',
      }),
    ),
    CreatedAt: Instant(),
    UpdatedAt: Instant(),
  },
  { title: 'ReportSchedule', description: 'A report that is sent regularly.' },
);
export type ReportSchedule = Type.Static<typeof ReportSchedule>;

const { Name, Report, Every, Time, TimeZone, Delivery, ...others } = fields;
const required = { Name, Report, Every, Time, TimeZone, Delivery };

export const NewReportSchedule = Fields(
  { ...required, ...Type.Partial(Type.Object(others)).properties },
  { title: 'NewReportSchedule' },
);
export type NewReportSchedule = Type.Static<typeof NewReportSchedule>;

export const ReportScheduleChange = Fields(Type.Partial(Type.Object(fields)).properties, {
  title: 'ReportScheduleChange',
});
export type ReportScheduleChange = Type.Static<typeof ReportScheduleChange>;
