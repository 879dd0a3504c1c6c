import Type from 'typebox';
import { pageQuery } from '../../http/pagination.ts';
import { Fields, Instant, Nullable, OneOf, Text } from '../../http/validation/schema.ts';
import { CourseID } from '../catalogue/schemas.ts';
import { peopleQuery } from '../users/schemas.ts';
import { units } from './periods.ts';

export const maxCounted = 1_000;

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const CountOfMost = (description: string) =>
  Type.Integer({
    minimum: 0,
    maximum: maxCounted,
    description: `${description} Counting stops at ${maxCounted}.`,
  });

export const Day = Fields(
  {
    Day: Type.String({ format: 'date', description: 'The day in UTC.' }),
    Enrolments: Count('Enrolments created: events `enrolment.created`.'),
    Starts: Count('Enrolments started for the first time: events `enrolment.launched` with Launch 1.'),
    Completions: Count(
      'Courses completed without failing them: events `enrolment.completed` whose Outcome is not `failed`.',
    ),
  },
  { title: 'Day' },
);
export type Day = Type.Static<typeof Day>;

const WebhookAtFault = Fields({
  WebhookID: Type.String(),
  URL: Type.String(),
  Status: OneOf(['enabled', 'disabled']),
  FailingSince: Nullable(Instant()),
});

const ScarceOption = Fields({
  CourseID: Type.String(),
  Title: Type.String({ description: 'Title of the course.' }),
  DurationID: Type.String(),
  Name: Type.String({ description: 'Name of the enrolment option.' }),
  Seats: Type.Integer(),
  SeatsLeft: Type.Integer(),
});

export const Attention = Fields(
  {
    Webhooks: Nullable(
      Type.Array(WebhookAtFault, {
        description:
          'Endpoints that are failing or were disabled after failing; null if the key lacks the scope webhooks:write.',
      }),
    ),
    Seats: Type.Array(ScarceOption, {
      description: 'Up to 50 published options with at most a tenth of their seats left, fewest seats first.',
    }),
    Expiring: Fields({
      Enrolments: CountOfMost('Current enrolments that are not completed and end between now and Until.'),
      More: Type.Boolean({ description: 'true if there may be more enrolments than were counted.' }),
      Until: Instant('One week from now.'),
    }),
    FailedDeliveries: Nullable(
      CountOfMost(
        'Webhook deliveries that were abandoned in the last 24 hours; null if the key lacks the scope webhooks:write.',
      ),
    ),
  },
  { title: 'Attention', description: 'What needs attention.' },
);
export type Attention = Type.Static<typeof Attention>;

export const Overview = Fields(
  {
    Days: Type.Array(Day, {
      description: 'One entry per day, oldest first. The last one is today, up to now.',
    }),
    Attention,
  },
  { title: 'Overview' },
);
export type Overview = Type.Static<typeof Overview>;

export const lineBy = ['course', 'group', 'course_and_group', 'total'] as const;
export type LineBy = (typeof lineBy)[number];

/** What a line of a report covers. */
const place = {
  CourseID: Nullable(Type.String({ description: 'null if the line covers all courses.' })),
  CourseTitle: Nullable(Type.String()),
  GroupName: Nullable(
    Type.String({ description: 'null if the line covers all groups, or the users without a group.' }),
  ),
};

const AsOf = Type.String({
  format: 'date',
  description: 'The day of the figures, in UTC. For a test tenant, today depends on its clock.',
});

export const Completion = Fields(
  {
    ...place,
    Enrolments: Count(
      'All enrolments covered by the line. A user who was enrolled again counts once for each enrolment.',
    ),
    NotStarted: Count('Outcome `not_started`.'),
    InProgress: Count('Outcome `in_progress`.'),
    Completed: Count('Outcome `passed` or `completed`.'),
    Expired: Count('Outcome `expired`: access ended before there was a result.'),
    Withdrawn: Count('Outcome `withdrawn`: withdrawn before there was a result.'),
    Passed: Count('Outcome `passed`. They are part of Completed.'),
    Failed: Count('Outcome `failed`. They are not part of Completed.'),
    CompletionRate: Nullable(
      Type.Number({
        minimum: 0,
        maximum: 100,
        description:
          'Completed as a percentage of all enrolments except Withdrawn; null if there are none. Failed enrolments do not count as completed.',
      }),
    ),
    AsOf,
  },
  { title: 'Completion' },
);
export type Completion = Type.Static<typeof Completion>;

export const Access = Fields(
  {
    ...place,
    Open: Count('Enrolments that are neither completed nor ended: status `enrolled` or `in_progress`.'),
    EndsWithin7Days: Nullable(
      Count(
        'Open enrolments whose access ends today or on one of the next 7 days, in UTC; null for a past day.',
      ),
    ),
    EndsWithin30Days: Nullable(
      Count(
        'Open enrolments whose access ends today or on one of the next 30 days, including EndsWithin7Days; null for a past day.',
      ),
    ),
    Overdue: Count('Status `expired`: access ended before the course was completed.'),
    AsOf,
  },
  { title: 'Access' },
);
export type Access = Type.Static<typeof Access>;

export const GroupName = Text(255, { description: 'A group of users.' });

export const linesQuery = Fields({
  ...pageQuery,
  By: Type.Optional(OneOf(lineBy, { description: 'What each line covers. Default: course.' })),
  CourseID: Type.Optional(CourseID),
  GroupName: Type.Optional(GroupName),
  ...peopleQuery,
  AsOf: Type.Optional(
    Type.String({
      format: 'date',
      pattern: '^(?!0000)',
      description:
        'The figures at the end of this day in UTC, such as 2026-01-31. Default: the latest figures.',
    }),
  ),
});

/** Five years. */
export const maxDays = 1_827;

/** A day of four-digit years, so that days can be compared as texts. */
export const DateOf = (description: string) =>
  Type.String({ format: 'date', pattern: '^[12]', description, examples: ['2026-01-31'] });

export const Activity = Fields(
  {
    From: DateOf('First day of the period, in UTC.'),
    To: DateOf('Last day of the period, in UTC.'),
    Enrolments: Count('Enrolments created: events `enrolment.created`.'),
    Starts: Count('Enrolments started for the first time: events `enrolment.launched` with Launch 1.'),
    Launches: Count('All launches: events `enrolment.launched`.'),
    Completions: Count(
      'Courses completed without failing them: events `enrolment.completed` whose Outcome is not `failed`.',
    ),
    Passed: Count('Courses passed: events `enrolment.passed`.'),
    Failed: Count('Courses failed: events `enrolment.failed`.'),
    Expired: Count('Enrolments that expired before they were completed: events `enrolment.expired`.'),
    Withdrawn: Count('Enrolments withdrawn: events `enrolment.withdrawn`.'),
  },
  { title: 'ActivityPeriod' },
);
export type Activity = Type.Static<typeof Activity>;

export const ranges = {
  From: Type.Optional(DateOf('First day of the report. Default: 29 days before To.')),
  To: Type.Optional(
    DateOf(`Last day of the report, at most ${maxDays - 1} days after From. Default: today.`),
  ),
};

const activityFields = {
  Unit: Type.Optional(
    OneOf(units, {
      description: 'Length of the periods: days (default), weeks from Monday, or calendar months, in UTC.',
    }),
  ),
  CourseID: Type.Optional(CourseID),
  GroupName: Type.Optional(GroupName),
  ...peopleQuery,
  ...ranges,
};
const ActivityQuery = Fields(activityFields);
export type ActivityQuery = Type.Static<typeof ActivityQuery>;
export const activityQuery = Fields({ ...pageQuery, ...activityFields });

export const overviewQuery = Fields({
  Days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 366, default: 30, description: 'Number of days, including today.' }),
  ),
});
