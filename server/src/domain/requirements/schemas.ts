import Type from 'typebox';
import {
  DayOrInstant,
  Fields,
  Identifier,
  Instant,
  Nullable,
  OneOf,
  Text,
} from '../../http/validation/schema.ts';
import { dayPattern, periodPattern } from '../../lib/days.ts';
import { CourseID, DurationID, ReleaseNumber } from '../catalogue/schemas.ts';
import { RemindersChange } from '../tenants/schemas.ts';
import { LoginID } from '../users/schemas.ts';
import { reasons } from './because.ts';
import { obligationStatuses } from './status.ts';

export const RequirementID = Identifier('Chosen by you. Unique in the tenant.', 100);

const Day = (description: string) =>
  Type.String({ pattern: dayPattern, examples: ['2026-12-31'], maxLength: 10, description });
const Period = (description: string) =>
  Type.String({ pattern: periodPattern, examples: ['P1Y'], maxLength: 6, description });
const List = (description: string) =>
  Type.Array(Text(255, { minLength: 1 }), { minItems: 1, maxItems: 1000, uniqueItems: true, description });
const Value = Text(255, { minLength: 1 });

const AudienceFields = Fields(
  {
    Groups: Type.Optional(List('Users in one of these groups.')),
    Attributes: Type.Optional(
      Type.Record(
        Text(100, { minLength: 1 }),
        Type.Union([Value, Type.Array(Value, { minItems: 1, maxItems: 100 })]),
        { description: 'Users whose attributes have one of these values: every attribute that is named.' },
      ),
    ),
    Managers: Type.Optional(List('LoginIDs of managers: their direct reports.')),
    LoginIDs: Type.Optional(List('These users.')),
  },
  {
    title: 'Audience',
    description: 'A user belongs to it if every part that is sent matches. {} means all users.',
  },
);
export const Audience = { ...AudienceFields, examples: [{ Groups: ['Engineering'] }] };
export type Audience = Type.Static<typeof AudienceFields>;

const Cycle = Fields(
  {
    On: Type.String({ pattern: '^\\d\\d-\\d\\d$', examples: ['12-31'], description: 'Month and day.' }),
    Years: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, default: 1 })),
  },
  { title: 'RequirementCycle' },
);

const rule = {
  Title: Text(255, { minLength: 1 }),
  CourseIDs: Type.Array(CourseID, {
    minItems: 1,
    maxItems: 20,
    uniqueItems: true,
    description:
      'Completing any one of these courses satisfies the requirement. Users are enrolled on the first.',
  }),
  Audience,
  DueAfter: Nullable(
    Period('How long after the day on which the user joined the audience. DueOn replaces it.'),
  ),
  DueOn: Nullable(Day('The day on which it is due, for all users. DueAfter replaces it.')),
  ValidFor: Nullable(
    Period(
      'How long a completion counts. Without ValidFor and Cycle, it counts until its certificate ends, or permanently if it has none.',
    ),
  ),
  Cycle: Nullable({
    ...Cycle,
    description:
      'A completion counts until the next of these days. One in the Window before such a day counts for the following term.',
  }),
  Window: Nullable(
    Period(
      'How long before the end of a term a new completion counts for the next one. Users are enrolled again then. Default: ExpiringDays, if that is shorter than the term.',
    ),
  ),
  CountsFrom: OneOf(['completion', 'expiry'], {
    description:
      'Whether the next term counts from the new completion, or from the end of the previous term if it was completed in time.',
  }),
  CountsEarlier: Type.Union([Type.Boolean(), Day('The day from which completions count.')], {
    examples: [true],
    description:
      'Whether completions before the assignment count, if they are still valid: true, false, or the day from which they count.',
  }),
  DueSoonDays: Type.Integer({ minimum: 0, maximum: 365 }),
  ExpiringDays: Type.Integer({ minimum: 0, maximum: 365 }),
  DurationID: Nullable({
    ...DurationID,
    description: 'The enrolment option of the first course. Required if the course has several.',
  }),
  Reminders: Nullable({
    ...RemindersChange,
    description:
      'When people are reminded of this requirement. What is left out is as in the settings of the tenant; null: everything.',
  }),
  RetainYears: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      examples: [null],
      description:
        'How many years after a completion of its courses it stays known who completed them, even if the person is erased. null: as the course says.',
    }),
  ),
  Status: OneOf(['active', 'retired'], {
    description: 'Retiring a requirement closes its open obligations and keeps their records.',
  }),
};

const Voided = {
  CourseID,
  Release: { ...ReleaseNumber, description: 'The release of the course.' },
  Before: Instant('Completions before this time are void.'),
};

export const VoidRelease = Fields(
  {
    CourseID: Type.Optional({ ...CourseID, description: 'Default: the first of the CourseIDs.' }),
    Release: Voided.Release,
    Before: Type.Optional(
      DayOrInstant(
        'Completions before this day or time are void. Default: now. A later day also concerns learners who are still taking this release.',
      ),
    ),
  },
  { title: 'VoidRelease' },
);
export type VoidRelease = Type.Static<typeof VoidRelease>;

export const Requirement = Fields(
  {
    RequirementID,
    ...rule,
    Voided: Type.Array(Fields(Voided), {
      description: 'Releases whose earlier completions no longer count.',
    }),
    Pending: Type.Boolean({
      description:
        'true while a change is still being applied to its users, for example many new obligations.',
    }),
    CreatedAt: Instant(),
    UpdatedAt: Instant(),
  },
  { title: 'Requirement' },
);
export type Requirement = Type.Static<typeof Requirement>;

const optional = Object.fromEntries(
  Object.entries(rule).map(([name, schema]) => [name, Type.Optional(schema)]),
) as { [N in keyof typeof rule]: Type.TOptional<(typeof rule)[N]> };

/** Required for a new requirement: Title, CourseIDs, Audience, and DueAfter or DueOn. */
export const RequirementChange = Fields(optional, { title: 'RequirementChange' });
export type RequirementChange = Type.Static<typeof RequirementChange>;

/** A rule as stored: attributes are lists of values. */
export type Rule = Omit<Requirement, 'RequirementID' | 'Voided' | 'Pending' | 'CreatedAt' | 'UpdatedAt'>;

const At = Nullable(Instant());

const reason = {
  Because: OneOf(reasons, {
    title: 'ObligationReason',
    description: 'The same as a name, for clients that say it in other languages.',
  }),
  Values: Type.Record(Type.String(), Type.String(), {
    description: 'What the sentence names: days, a period, a certificate, or titles of courses, one a line.',
  }),
};

export const ObligationStatus = OneOf(obligationStatuses, {
  title: 'ObligationStatus',
  description:
    'not_due, due_soon and overdue: not completed yet. met and expiring: completed and valid. expired: the completion no longer counts. closed: no longer required, or replaced by the next cycle.',
});

export const PlannedChange = Fields({
  LoginID,
  Change: OneOf(['open', 'close', 'move', 'meet', 'reopen']),
  Status: ObligationStatus,
  DueAt: At,
  DueAtBefore: At,
  ValidUntil: At,
  ValidUntilBefore: At,
  Reason: Type.String(),
  ...reason,
});
export type PlannedChange = Type.Static<typeof PlannedChange>;

export const maxPlanned = 1_000;

export const RequirementPlan = Fields(
  {
    Opens: Type.Integer({
      description:
        'Obligations that would open, or whose completion would be void. Send it as Confirm if it exceeds 100.',
    }),
    Changes: Type.Array(PlannedChange, { description: `The changes for up to ${maxPlanned} users.` }),
    More: Type.Boolean({ description: 'true if there are more users than Changes covers.' }),
  },
  { title: 'RequirementPlan' },
);
export type RequirementPlan = Type.Static<typeof RequirementPlan>;

const obligationIds = { LoginID: Nullable(LoginID), RequirementID };
const Name = (description: string) =>
  Nullable(Type.String({ description: `${description} Null for a key without the scope users:read.` }));

const obligation = {
  Title: rule.Title,
  Cycle: Type.Integer({ description: 'Counts the terms of this user and requirement, from 1.' }),
  Status: ObligationStatus,
  OpenedAt: Instant(),
  DueAt: Instant('The last second of the day in the time zone of the tenant.'),
  MetAt: Nullable(Instant('When the course was completed.')),
  ValidUntil: Nullable(Instant('Until when the completion counts; null if permanently, or not completed.')),
  EnrollID: Nullable(
    Type.String({ description: 'null if the user could not be enrolled: see EnrolProblem.' }),
  ),
  EnrolProblem: Nullable(
    Type.String({
      description: 'The error code of the last attempt to enrol the user, which is repeated daily.',
    }),
  ),
  External: Type.Boolean({ description: 'true if a completion from elsewhere satisfied it.' }),
  ExemptReason: Nullable(Type.String()),
  ExemptUntil: Nullable(
    Instant('The last second of the exemption; null if it has no end, or the user is not exempt.'),
  ),
  ClosedAt: At,
  ClosedReason: Nullable(
    OneOf(['left', 'retired', 'renewed', 'exempt', 'voided', 'not_needed', 'erased'], {
      description:
        'left: the user left the audience or was disabled. renewed: the next cycle replaced it. not_needed: the previous completion turned out to count for longer, or not at all.',
    }),
  ),
};

export const Obligation = Fields({ ...obligationIds, ...obligation }, { title: 'Obligation' });
export const ListedObligation = Fields(
  {
    ...obligationIds,
    FirstName: Name('First name of the user.'),
    LastName: Name('Last name of the user.'),
    Email: Name('Email address of the user.'),
    GroupName: Name('The first group of the user.'),
    ManagerLoginID: Name('The manager of the user.'),
    ...obligation,
  },
  { title: 'ListedObligation' },
);
export type ListedObligation = Type.Static<typeof ListedObligation>;
export type Obligation = Type.Static<typeof Obligation>;

export const Exemption = Fields(
  {
    Exempt: Type.Boolean(),
    Reason: Type.Optional(Text(1000, { minLength: 1, description: 'Required to exempt a user.' })),
    Until: Type.Optional(
      Nullable(
        DayOrInstant(
          'The last day of the exemption, today or later. The obligation counts again after it, with the same due date. null, and the default: until you end it.',
        ),
      ),
    ),
  },
  { title: 'Exemption' },
);
export type Exemption = Type.Static<typeof Exemption>;

export const ObligationExplanation = Fields(
  {
    LoginID,
    RequirementID,
    Title: rule.Title,
    InAudience: Type.Boolean(),
    Enabled: Type.Boolean({ description: 'false: the account is disabled, so nothing is required.' }),
    Audience: Type.Array(
      Fields({
        ...{ Part: Type.String(), Values: Type.Array(Type.String()), Matches: Type.Boolean() },
        Matching: Type.Array(Type.String(), {
          description: "Those of Values that are the user's: the groups, attributes or manager that match.",
        }),
      }),
      { description: 'The parts of the audience, and whether each matches this user.' },
    ),
    Status: Nullable(ObligationStatus),
    Dates: Type.Array(Fields({ Name: Type.String(), At, Derivation: Type.String(), ...reason }), {
      description: 'Each date of the present cycle, and how it follows from the requirement.',
    }),
    SatisfiedBy: Nullable(
      Fields({
        EnrollID: Nullable(Type.String()),
        CompletionID: Nullable(Type.String()),
        CourseID: Nullable(Type.String()),
        At: Instant(),
      }),
    ),
    Failed: Nullable(
      Fields(
        {
          EnrollID: Nullable(Type.String()),
          CompletionID: Nullable(Type.String()),
          CourseID: Type.String(),
          At: Instant(),
          Score: Nullable(Type.Number()),
        },
        { description: 'The latest failed attempt, if the obligation is not met.' },
      ),
    ),
    Renewal: Nullable(
      Fields(
        { Cycle: obligation.Cycle, DueAt: Instant(), EnrollID: Nullable(Type.String()) },
        { description: 'The next cycle, if it is open beside this one.' },
      ),
    ),
    WouldSatisfy: Type.String({ description: 'What the user has to do next.' }),
    Next: Fields(reason),
    EnrolProblem: Nullable(Fields({ Code: Type.String(), Detail: Type.String(), RetryAt: At })),
  },
  { title: 'ObligationExplanation' },
);
export type ObligationExplanation = Type.Static<typeof ObligationExplanation>;

const Count = Type.Integer({ minimum: 0 });

export const Compliance = Fields(
  {
    RequirementID: Nullable(RequirementID),
    Title: Nullable(Type.String({ description: 'Title of the requirement.' })),
    GroupName: Nullable(
      Type.String({ description: 'null if the line is not about a group, or for users without one.' }),
    ),
    ManagerLoginID: Nullable(Type.String()),
    AttributeValue: Nullable(Type.String()),
    AsOf: Type.String({ format: 'date', description: "The day of the figures, in the tenant's time zone." }),
    Obligations: {
      ...Count,
      description: 'All users whom the requirements concern, once for each requirement.',
    },
    NotDue: Count,
    DueSoon: Count,
    Overdue: { ...Count, description: 'Due, and never completed.' },
    Met: Count,
    Expiring: Count,
    Expired: { ...Count, description: 'Completed, but the completion no longer counts.' },
    Exempt: Count,
    ValidPercent: Nullable(
      Type.Number({ description: 'Met and Expiring, of all that are not exempt; null if there are none.' }),
    ),
  },
  { title: 'Compliance' },
);
export type Compliance = Type.Static<typeof Compliance>;
