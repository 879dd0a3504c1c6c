import Type from 'typebox';
import { PageOf, pageQuery } from '../../http/pagination.ts';
import { ok, route } from '../../http/routes.ts';
import { Fields } from '../../http/validation/schema.ts';
import { LoginID } from '../users/schemas.ts';
import { queueSome } from './job.ts';
import { remind } from './remind.ts';
import {
  Language,
  MemberLoginID,
  ReminderPreview,
  ReminderText,
  ReminderTextChange,
  RemindRequest,
  RemindResult,
  TeamMember,
  TeamRecord,
  TeamRemindRequest,
} from './schemas.ts';
import { listTeam, readTeamRecord, remindTeam } from './team.ts';
import { changeText, listTexts, previewText } from './texts.ts';

const common = { tag: 'Reminders', access: 'tenant' } as const;
const reading = { ...common, scope: 'requirements:read' } as const;
const writing = { ...common, scope: 'requirements:write' } as const;
/** Like the settings: they concern the emails to all users. */
const editing = { ...common, scope: 'users:write', additionalScopes: ['users:admin'] } as const;

const byLanguage = Type.Object({ Language });

const remindQuery = {
  Plan: Type.Optional(
    Type.Boolean({ description: 'If true, nobody is reminded; the response says who would be.' }),
  ),
  Confirm: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'How many people are reminded. Required if there are more than 100.',
    }),
  ),
};

const reminded = {
  200: {
    description: 'Who is reminded, and who is left out and why.',
    schema: RemindResult,
    example: {
      ...{ Reminded: 1, LeftOut: 1 },
      People: [
        { LoginID: 'bob', Reason: 'no_email' },
        { LoginID: 'ada', Reason: null },
      ],
    },
  },
};

const byManager = Type.Object({ LoginID });

export const reminderRoutes = [
  route('POST /remind', 'remind', {
    ...writing,
    summary: 'Remind people now',
    description:
      'Each person gets one email with everything that is open for them: obligations, enrolments that are due, and access that ends. It is checked again when it is sent, so nobody is reminded of what they have just completed. Each person gets at most one email a day; people who have already been reminded today are left out. `GET /mail` lists the emails.',
    example: ['RequirementID'],
    query: Fields(remindQuery),
    body: RemindRequest,
    responses: reminded,
    problems: ['confirmation_required'],
    events: ['enrolment.ending'],
    audits: ['reminders.requested'],
    handle: async (ctx, { query, body }) => ok(await remind(ctx, { ...body, ...query })),
    afterwards: queueSome,
  }),
  route('GET /reminder/text', 'listReminderTexts', {
    ...common,
    summary: 'List the words of reminders',
    description: 'In each language. Emails are in the `Language` of the tenant.',
    scope: 'users:read',
    responses: {
      200: {
        description: 'The words.',
        schema: Fields({ Items: Type.Array(ReminderText) }, { title: 'ReminderTexts' }),
      },
    },
    handle: async (ctx) => ok({ Items: await listTexts(ctx) }),
  }),
  route('PUT /reminder/text/{Language}', 'changeReminderText', {
    ...editing,
    summary: 'Change the words of reminders',
    description: 'An unknown placeholder is rejected. null restores the standard words.',
    example: ['Subject'],
    params: byLanguage,
    body: ReminderTextChange,
    responses: { 200: { description: 'The words.', schema: ReminderText } },
    events: [],
    audits: ['reminder_text.changed'],
    handle: async (ctx, { params, body }) =>
      ok(await changeText(ctx, { ...body, language: params.Language })),
  }),
  route('POST /reminder/text/{Language}/preview', 'previewReminder', {
    ...editing,
    summary: 'Preview a reminder',
    description: 'The email with sample courses, in these words. Stores and sends nothing.',
    example: ['Subject'],
    params: byLanguage,
    body: ReminderTextChange,
    responses: { 200: { description: 'The email.', schema: ReminderPreview } },
    events: [],
    handle: async (ctx, { params, body }) =>
      ok(await previewText(ctx, { ...body, language: params.Language })),
  }),
  route('GET /team/{LoginID}', 'listTeam', {
    ...reading,
    summary: "List a manager's team",
    description:
      'The direct reports: users whose `ManagerLoginID` is this one, without disabled users, with their obligations counted by status, as in `GET /report/compliance`. Managers can read their own team.',
    allowsLearners: true,
    params: byManager,
    query: Fields(pageQuery),
    responses: { 200: { description: 'A page of direct reports.', schema: PageOf(TeamMember) } },
    problems: ['user_not_found'],
    handle: async (ctx, { params, query }) => ok(await listTeam(ctx, { ...query, loginId: params.LoginID })),
  }),
  route('GET /team/{LoginID}/{MemberLoginID}', 'readTeamRecord', {
    ...reading,
    summary: "Read a direct report's training record",
    description: 'Their obligations and enrolments. Users who are not in the team are not found.',
    allowsLearners: true,
    params: Type.Object({ LoginID, MemberLoginID }),
    responses: { 200: { description: 'The record.', schema: TeamRecord } },
    problems: ['user_not_found'],
    handle: async (ctx, { params }) =>
      ok(await readTeamRecord(ctx, { loginId: params.LoginID, member: params.MemberLoginID })),
  }),
  route('POST /team/{LoginID}/remind', 'remindTeam', {
    ...writing,
    summary: "Remind a manager's team now",
    description: 'Like `POST /remind`, for direct reports of this manager only.',
    example: ['LoginIDs'],
    allowsLearners: true,
    params: byManager,
    query: Fields(remindQuery),
    body: TeamRemindRequest,
    responses: reminded,
    problems: ['user_not_found', 'confirmation_required'],
    events: ['enrolment.ending'],
    audits: ['reminders.requested'],
    handle: async (ctx, { params, query, body }) =>
      ok(await remindTeam(ctx, { ...body, ...query, loginId: params.LoginID })),
    afterwards: queueSome,
  }),
];
