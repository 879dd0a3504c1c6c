import Type from 'typebox';
import { moveOns } from '../../../../../standards/cmi5/vocabulary.ts';
import { closingReasons } from '../../../../../standards/unavailable.ts';
import {
  Address,
  DayOrInstant,
  Fields,
  Instant,
  Nullable,
  OneOf,
  Text,
} from '../../../http/validation/schema.ts';
import { actorKinds } from '../../../infra/context/context.ts';
import { AttemptRules, AttemptRulesChange } from '../../catalogue/attempt-rules.ts';
import { CourseID, DescribedRule, DurationID } from '../../catalogue/schemas.ts';
import { LoginID, TimeFactor as UserTimeFactor } from '../../users/schemas.ts';
import { sentDetails, shownDetails } from './details.ts';
import { outcomes, statuses } from './states.ts';

export const EnrollID = Type.String({ maxLength: 64, description: 'Opaque ID of the enrolment.' });

export const completions = ['unknown', 'incomplete', 'completed'] as const;
export const successes = ['unknown', 'passed', 'failed'] as const;

const Completion = OneOf(completions, { title: 'CompletionStatus' });
const Success = OneOf(successes, { title: 'SuccessStatus' });
const Score = Nullable(
  Type.Number({ minimum: 0, maximum: 100, description: '0–100; null if the course has reported none.' }),
);

const overriding = {
  Completion,
  Success,
  Score,
  Reason: Text(1000, { minLength: 1, description: 'Why the result was overridden. Required.' }),
};

type OverrideRequest = {
  Completion?: Type.Static<typeof Completion>;
  Success?: Type.Static<typeof Success>;
  Score?: number | null;
  Reason: string;
};

/** An administrator's decision, with at least one field of the result. */
const OverrideRequest = Type.Unsafe<OverrideRequest | null>({
  type: ['object', 'null'],
  description:
    'Overrides the result: the values sent here replace those that the course has recorded or will record. null removes the override.',
  additionalProperties: false,
  required: ['Reason'],
  minProperties: 2,
  examples: [{ Success: 'passed', Reason: 'Passed the practical exam.' }],
  properties: overriding,
});

const Override = Type.Unsafe<(OverrideRequest & { At: string }) | null>({
  type: ['object', 'null'],
  description: 'The override that replaces the recorded result; null if there is none.',
  additionalProperties: false,
  required: ['Reason', 'At'],
  properties: { ...overriding, At: Instant('When the result was overridden.') },
});

const TimeFactor = {
  ...UserTimeFactor,
  description:
    "By how much the course's time limits are extended: the enrolment's own factor, or the user's.",
};

const ids = { EnrollID, LoginID, CourseID, DurationID };

const PathEnrollID = Nullable(
  Type.String({
    description:
      'The enrolment on the path of which this course is a part. It ends, is withdrawn and extended with that enrolment. Null if the user was enrolled on the course itself.',
  }),
);

const enrolment = {
  CourseTitle: Text(500),
  Status: OneOf(statuses, { title: 'EnrolmentStatus', description: 'The state of access.' }),
  Outcome: OneOf(outcomes, {
    title: 'EnrolmentOutcome',
    description:
      'How the learner is doing, the first that is true: passed or failed (Success), completed (Completion, without a result), withdrawn, expired, in_progress, not_started. A result outlives the end of access. An override counts as the result.',
  }),
  Completion,
  Success,
  Score,
  Override,
  Recorded: Fields(
    { Completion, Success, Score },
    { description: 'The result that the course recorded, even if an override replaces it.' },
  ),
  Progress: Type.Number({ description: '0–100.' }),
  TotalSeconds: Type.Number({ description: 'Time spent in the course.' }),
  EnrolledAt: Instant(),
  StartedAt: Nullable(Instant()),
  LastAccessedAt: Nullable(Instant()),
  CompletedAt: Nullable(Instant()),
  ExpiresAt: Nullable(Instant('When access ends; null means never.')),
  Launches: Type.Integer(),
  Attempts: AttemptRules,
  Attempt: Type.Integer({ description: 'Number of the current attempt, counted from 1.' }),
  AttemptsUsed: Type.Integer({
    description: 'Attempts started since the last reset, including the current one.',
  }),
  TimeFactor,
  PathEnrollID,
  ...shownDetails,
  LaunchURL: Nullable(
    Address(
      'Starts the course for the user. Append &returnURL= and a URL to bring the learner back there. Null for a key without the scope enrolments:launch, and in lists without Include=LaunchURL.',
    ),
  ),
};

export const Enrolment = Fields({ ...ids, ...enrolment }, { title: 'Enrolment' });
export type Enrolment = Type.Static<typeof Enrolment>;

const Name = (description: string) =>
  Nullable(Type.String({ description: `${description} Null for a key without the scope users:read.` }));

export const ListedEnrolment = Fields(
  {
    ...ids,
    FirstName: Name('First name of the user.'),
    LastName: Name('Last name of the user.'),
    Email: Name('Email address of the user.'),
    GroupName: Name("The user's current group."),
    ...enrolment,
  },
  { title: 'ListedEnrolment' },
);
export type ListedEnrolment = Type.Static<typeof ListedEnrolment>;

export const EnrolRequest = Fields(
  {
    IfEnrolled: Type.Optional(
      OneOf(['return', 'extend', 'renew', 'fail'], {
        title: 'IfEnrolled',
        description:
          "What happens to a current enrolment. return (default): it is returned. extend: the option's duration is added to the later of now and its ExpiresAt; an expired enrolment is reactivated, and Reference and Metadata are replaced if sent. renew: it is ended and a new one is created. fail: 409 already_enrolled. With extend and renew, send an Idempotency-Key so that a retry has no further effect.",
      }),
    ),
    ExpiresAt: Type.Optional(
      DayOrInstant(
        "When access ends, instead of after the option's duration: an instant, or a day, at whose end in the tenant's TimeZone it ends; must be in the future. With IfEnrolled set to extend, access is extended until then, unless it already ends later. If its duration has not started yet, this time replaces the duration. A current enrolment that is returned keeps its own end.",
      ),
    ),
    ...sentDetails,
  },
  { title: 'EnrolRequest' },
);
export type EnrolRequest = Type.Static<typeof EnrolRequest>;

const TimeFactorChange = Type.Unsafe<number | null | 'user'>({
  description:
    "By how much the course's time limits are extended for this enrolment, instead of the user's TimeFactor: 1 keeps the limits, 1.5 gives half as long again, null removes them. user applies the user's TimeFactor again. Applies from the next launch on.",
  examples: [1.5],
  anyOf: [{ type: 'number', minimum: 1, maximum: 100 }, { type: 'null' }, { type: 'string', enum: ['user'] }],
});

export const EnrolmentChange = Fields(
  {
    ExpiresAt: Type.Optional(
      Nullable(DayOrInstant('Changes when access ends: an instant or the last day; null means never.')),
    ),
    Withdrawn: Type.Optional(Type.Boolean({ description: 'true ends access, false restores it.' })),
    ...sentDetails,
    Override: Type.Optional(OverrideRequest),
    Attempts: Type.Optional(AttemptRulesChange),
    TimeFactor: Type.Optional(TimeFactorChange),
    IfUntouched: Type.Optional(
      Type.Boolean({
        description:
          'If true, the enrolment is only changed if it was created within the last hour and has not been launched or changed since. Otherwise, the response is 409 touched, and its reason is older, changed or used.',
      }),
    ),
  },
  { title: 'EnrolmentChange' },
);
export type EnrolmentChange = Type.Static<typeof EnrolmentChange>;

export const ruleCodes = [
  'user_enabled',
  'not_withdrawn',
  'not_expired',
  'course_available',
  'course_playable',
  'attempts_left',
  'cool_down_over',
  'signed_in',
] as const;

export const partStatuses = ['completed', 'failed', 'in_progress', 'open', 'closed'] as const;

/** Why a course of a path is closed. Those after the launch rules are error codes of an enrolment. */
export const partRuleCodes = [
  'earlier_step',
  ...ruleCodes,
  'no_seats_left',
  'course_not_found',
  'course_retired',
  'no_enrolment_option',
  'multiple_enrolment_options',
  'option_not_found',
] as const;

/** The result that a page claimed for a course. */
const claimed = {
  Completion,
  Success,
  Score,
  Progress: Nullable(Type.Number({ description: '0–100.' })),
};

/** The timestamp of the unit's statement. The unit sets this timestamp itself. */
const Reported = Nullable(Type.String({ description: "The timestamp of the unit's statement." }));

const commitNumber = 'Number of the commit; null for refused calls of cmi5 and xAPI units.';

export const Explanation = Fields(
  {
    EnrollID,
    LoginID,
    CourseID,
    MayLaunch: Type.Boolean({
      description: 'true if every rule passes. A click on the launch link is checked against the same rules.',
    }),
    TimeFactor,
    TimeFactorFrom: OneOf(['enrolment', 'user'], { description: 'Where TimeFactor is set.' }),
    NextAttemptAt: Nullable(
      Instant('When a cool-down allows the next attempt; null if the learner need not wait for one.'),
    ),
    Rules: Type.Array(
      Fields({
        Rule: OneOf(ruleCodes, { title: 'LaunchRule' }),
        Passed: Type.Boolean(),
        Detail: Type.String({
          description: 'Explains the outcome of the rule and, if it failed, what to do.',
        }),
      }),
      { description: 'The rules in the order of evaluation.' },
    ),
    Unavailable: Type.Array(
      Fields({
        UnitID: Type.String(),
        Title: Type.String(),
        Because: OneOf(closingReasons, {
          description:
            '`fixed_order`: the unit opens only in the order of the course. `neighbours_only`: from Of, only the units next to it can be chosen. `unfinished`: Of must be finished first.',
        }),
        Of: Type.String({
          description: 'Title of the unit or group whose rule or limit it is.',
          examples: ['Getting out'],
        }),
        Rule: Nullable(DescribedRule),
        Detail: Type.String({
          description: 'A description of the rule or limit.',
          examples: ['Getting out opens after How fires start is passed.'],
        }),
      }),
      {
        description:
          'The units that a rule or limit of the course keeps closed at the next launch, up to 100, in the order of the course.',
      },
    ),
    Parts: Type.Array(
      Fields({
        Step: Type.Integer({ description: 'Number of the step, counted from 1.' }),
        CourseID,
        CourseTitle: Text(500),
        Needed: Type.Boolean({
          description: 'false if the path can be completed without this course, or is done with its step.',
        }),
        Status: OneOf(partStatuses, {
          title: 'PathPartStatus',
          description: '`open`: the learner can start the course. `closed`: Rule says why not.',
        }),
        EnrollID: Nullable(EnrollID),
        Rule: Nullable(
          OneOf(partRuleCodes, {
            title: 'PathPartRule',
            description:
              'The rule that closes the course. `earlier_step`: an earlier step is not done. The others are rules of a launch, or what prevents the enrolment.',
          }),
        ),
        Detail: Type.String({ description: 'What the learner can do, or has to do first.' }),
      }),
      { description: 'The courses of a path, in its order; empty for other courses.' },
    ),
    Claims: Type.Array(
      Fields({
        At: Instant(),
        Launch: Nullable(Type.Integer({ description: 'Number of the launch.' })),
        Commit: Type.Integer({ description: 'Number of the commit.' }),
        UnitID: Type.String(),
        ...claimed,
      }),
      {
        description:
          "The results that the course's page claimed but its data does not support, newest first, up to 10. They do not count.",
      },
    ),
    Refused: Type.Array(
      Fields({
        At: Instant(),
        Launch: Nullable(Type.Integer({ description: 'Number of the launch.' })),
        Commit: Nullable(Type.Integer({ description: commitNumber })),
        UnitID: Type.String(),
        Code: Type.String({ description: 'The error code.', examples: ['cmi5_violation'] }),
        Detail: Nullable(Type.String({ description: 'The reason that the unit received.' })),
      }),
      {
        description:
          'Commits, statements and other reports that were refused, newest first, up to 10. They do not count.',
      },
    ),
    Units: Type.Array(
      Fields({
        UnitID: Type.String(),
        Title: Type.String(),
        MoveOn: OneOf(moveOns, { title: 'MoveOn', description: 'The criterion that satisfies the unit.' }),
        Satisfied: Type.Boolean(),
        CompletedAt: Reported,
        PassedAt: Reported,
        FailedAt: Reported,
        WaivedAt: Nullable(Type.String({ description: 'When an administrator waived the unit.' })),
        Score: Nullable(Type.Number({ description: '0–1, as the unit reported it.' })),
      }),
      { description: 'cmi5: what satisfies each unit, and what it has reported. Empty for other standards.' },
    ),
  },
  { title: 'Explanation' },
);
export type Explanation = Type.Static<typeof Explanation>;

export const TimelineEntry = Fields(
  {
    At: Instant(),
    Kind: OneOf(['launch', 'unit', 'commit', 'event'], {
      description: '`unit`: a session of a cmi5, xAPI or AICC unit, or a waiver.',
    }),
    Type: Nullable(Type.String({ description: 'The type of the event, if the entry is an event.' })),
    Launch: Nullable(
      Type.Integer({
        description:
          'Number of the launch; null for a commit whose launch is no longer on record, for example after restoring a backup.',
      }),
    ),
    Commit: Nullable(Type.Integer({ description: commitNumber })),
    UnitID: Nullable(Type.String()),
    Data: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
    Warnings: Type.Array(Type.String()),
    Refused: Nullable(
      Type.String({
        description:
          'The error code with which a commit, or a call of a cmi5 or xAPI unit, was rejected. Its result in `Data` does not count; for calls, `Data` has the call and its verbs, and `Warnings` the reason. Null for all other entries.',
      }),
    ),
    Claimed: Nullable(
      Fields(claimed, {
        description:
          "The result that the commit's page claimed for the course but its data does not support. It does not count. Null for all other entries.",
      }),
    ),
    Actor: Nullable(
      OneOf(actorKinds, {
        title: 'ActorKind',
        description:
          'Who changed the enrolment manually, as in GET /audit; null if the change was not manual.',
      }),
    ),
    ActorName: Nullable(
      Type.String({ description: 'LoginID of the administrator or name of the key; not shown to learners.' }),
    ),
  },
  { title: 'TimelineEntry' },
);
export type TimelineEntry = Type.Static<typeof TimelineEntry>;
