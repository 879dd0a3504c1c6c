import Type from 'typebox';
import { Fields, Identifier, Instant, Nullable, OneOf, Text } from '../../http/validation/schema.ts';
import { CourseID } from '../catalogue/schemas.ts';
import { outcomes, statuses } from '../enrolments/record/states.ts';
import { reminderPlaceholders } from '../mail/reminder-text.ts';
import { Obligation, ObligationStatus, RequirementID } from '../requirements/schemas.ts';
import { languages } from '../tenants/schemas.ts';
import { AttributeFilter, LoginID } from '../users/schemas.ts';

export const maxListed = 1_000;

const LoginIDs = Type.Array(LoginID, {
  minItems: 1,
  maxItems: maxListed,
  uniqueItems: true,
  description: 'These people only.',
});

export const RemindRequest = Fields(
  {
    LoginIDs: Type.Optional(LoginIDs),
    RequirementID: Type.Optional({ ...RequirementID, description: 'People for whom it is open.' }),
    CourseID: Type.Optional({ ...CourseID, description: 'People with an open enrolment on it.' }),
    Status: Type.Optional(
      Text(100, {
        description:
          'People with an open obligation of this status: overdue, due_soon or not_due, or several separated by commas. With expiring or expired, those who have to renew a completion.',
      }),
    ),
    GroupName: Type.Optional(Text(255, { description: 'People in this group.' })),
    ManagerLoginID: Type.Optional(Text(255, { description: 'Direct reports of this manager.' })),
    Attribute: Type.Optional(AttributeFilter),
    Present: Type.Optional(Type.Boolean({ description: 'If true, only for what reports count.' })),
    DueBefore: Type.Optional(
      Text(40, { description: 'Due before this day such as 2026-12-31, or before this time.' }),
    ),
  },
  {
    title: 'RemindRequest',
    description: 'Whom to remind. Send at least one member; all that are sent must match.',
  },
);
export type RemindRequest = Type.Static<typeof RemindRequest>;

export const TeamRemindRequest = Fields(
  { LoginIDs: Type.Optional(LoginIDs) },
  { title: 'TeamRemindRequest', description: 'Default: everybody in the team for whom something is open.' },
);

export const leftOutReasons = [
  'unknown_user',
  'disabled',
  'nothing_due',
  'reminded_today',
  'no_email',
  'email_bounced',
  'no_mail_server',
] as const;
export type LeftOutReason = (typeof leftOutReasons)[number];

const Count = Type.Integer({ minimum: 0 });

export const RemindResult = Fields(
  {
    Reminded: { ...Count, description: 'How many people get an email.' },
    LeftOut: Count,
    People: Type.Array(
      Fields({
        LoginID,
        Reason: Nullable(
          OneOf(leftOutReasons, {
            title: 'NoReminderReason',
            description:
              'Why somebody is left out; null if they get an email. reminded_today: an email is queued or was sent today. unknown_user: there is no such user, or not in this team.',
          }),
        ),
      }),
      { description: `Those left out first; up to ${maxListed} people.` },
    ),
  },
  { title: 'RemindResult' },
);
export type RemindResult = Type.Static<typeof RemindResult>;

const placeholders = reminderPlaceholders.map((name) => `{${name}}`).join(', ');

const words = {
  Subject: Text(200, { minLength: 1, description: `Can contain ${placeholders}.` }),
  Intro: Text(1000, { minLength: 1, description: 'The paragraph before the list of courses.' }),
  Closing: Text(1000, { minLength: 1, description: 'The paragraph below it.' }),
};

export const Language = OneOf(languages, { title: 'Language' });

export const ReminderText = Fields(
  {
    Language,
    ...words,
    IsStandard: Type.Boolean({ description: 'true: these are not the words of the tenant.' }),
  },
  { title: 'ReminderText' },
);
export type ReminderText = Type.Static<typeof ReminderText>;

export const ReminderTextChange = Fields(
  {
    Subject: Type.Optional(Nullable(words.Subject)),
    Intro: Type.Optional(Nullable(words.Intro)),
    Closing: Type.Optional(Nullable(words.Closing)),
  },
  { title: 'ReminderTextChange', description: 'What is left out stays; null restores the standard words.' },
);
export type ReminderTextChange = Type.Static<typeof ReminderTextChange>;

export const ReminderPreview = Fields(
  {
    Subject: Type.String(),
    Text: Type.String({ examples: ['Hello Ada,\n\nThis is waiting for you at Acme: …'] }),
    HTML: Type.String({ examples: ['<!doctype html><p>Hello Ada, …</p>'] }),
  },
  { title: 'ReminderPreview', description: 'The email with sample data.' },
);
export type ReminderPreview = Type.Static<typeof ReminderPreview>;

const person = {
  LoginID,
  FirstName: Nullable(Type.String()),
  LastName: Nullable(Type.String()),
};

export const maxUrgent = 3;

export const TeamMember = Fields(
  {
    ...person,
    Overdue: { ...Count, description: 'Due, and never completed.' },
    Expired: { ...Count, description: 'Completed, but the completion no longer counts.' },
    DueSoon: Count,
    NotDue: Count,
    Expiring: Count,
    Met: { ...Count, description: 'Completed and valid, including what expires soon.' },
    Urgent: Type.Array(
      Fields({
        RequirementID,
        Title: Type.String(),
        Status: ObligationStatus,
        At: Instant('The due date, or when the completion stops counting.'),
      }),
      { description: `What has to be completed or renewed, the most urgent first, up to ${maxUrgent}.` },
    ),
    NextDueAt: Nullable(Instant('The earliest due date of what is open.')),
  },
  {
    title: 'TeamMember',
    description: 'A direct report, with their obligations counted by status as in reports.',
  },
);
export type TeamMember = Type.Static<typeof TeamMember>;

export const TeamRecord = Fields(
  {
    ...person,
    Obligations: Type.Array(Obligation, { description: 'All cycles, the latest due first; up to 200.' }),
    Enrolments: Type.Array(
      Fields({
        EnrollID: Type.String(),
        CourseID,
        CourseTitle: Type.String(),
        Status: OneOf(statuses, { title: 'EnrolmentStatus' }),
        Outcome: OneOf(outcomes, { title: 'EnrolmentOutcome' }),
        EnrolledAt: Instant(),
        CompletedAt: Nullable(Instant()),
        DueAt: Nullable(Instant()),
      }),
      { description: 'The newest first; up to 200.' },
    ),
  },
  { title: 'TeamRecord', description: "A direct report's training record." },
);
export type TeamRecord = Type.Static<typeof TeamRecord>;

export const MemberLoginID = Identifier("The direct report's LoginID.", 255);
