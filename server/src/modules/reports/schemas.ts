import Type from 'typebox';
import { Fields, Instant, Nullable, OneOf } from '../../platform/http/schema.ts';

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
    Completions: Count('Courses completed: events `enrolment.completed`.'),
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
          'Endpoints that are failing, or were disabled because they failed; null if the key lacks the scope webhooks:write.',
      }),
    ),
    Seats: Type.Array(ScarceOption, {
      description:
        'Published options with at most a tenth of their seats left, up to 50. Those with the fewest seats left come first.',
    }),
    Expiring: Fields({
      Enrolments: CountOfMost('Current enrolments that are not completed and end between now and Until.'),
      More: Type.Boolean({ description: 'true if there may be more than were counted.' }),
      Until: Instant('One week from now.'),
    }),
    FailedDeliveries: Nullable(
      CountOfMost(
        'Webhook deliveries that were given up in the last 24 hours; null if the key lacks the scope webhooks:write.',
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

export const overviewQuery = Fields({
  Days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 366, default: 30, description: 'Number of days, including today.' }),
  ),
});
