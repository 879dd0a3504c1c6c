import Type from 'typebox';
import { CountedPageOf, countQuery, PageOf, pageQuery } from '../../http/pagination.ts';
import { created, ok, path, route } from '../../http/routes.ts';
import { Fields, OneOf, Text } from '../../http/validation/schema.ts';
import { AttributeFilter, GroupFilter, LoginID, ManagerFilter } from '../users/schemas.ts';
import { complianceBy, listCompliance } from './compliance.ts';
import { obligationEvents } from './events.ts';
import { exempt } from './exempt.ts';
import { explainObligation } from './explain.ts';
import { catchUp } from './follow.ts';
import { listObligations, listObligationsOfUser, obligationOrders } from './obligations.ts';
import { listRequirements, planRequirement, putRequirement, readRequirement } from './requirements.ts';
import {
  Compliance,
  Exemption,
  ListedObligation,
  Obligation,
  ObligationExplanation,
  Requirement,
  RequirementChange,
  RequirementID,
  RequirementPlan,
  VoidRelease,
} from './schemas.ts';
import { obligationStatuses } from './status.ts';
import { planVoid, voidRelease } from './void.ts';

const common = { tag: 'Requirements', access: 'tenant' } as const;
const reading = { ...common, scope: 'requirements:read' } as const;
const writing = { ...common, scope: 'requirements:write' } as const;

const byId = Type.Object({ RequirementID });
const ofUser = Type.Object({ LoginID, RequirementID });

export const changeQuery = {
  Plan: Type.Optional(
    Type.Boolean({
      description: 'If true, nothing changes, and the response lists what would: see RequirementPlan.',
    }),
  ),
  Confirm: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'The number of obligations that the change opens. Required if there are more than 100.',
    }),
  ),
};

const filters = {
  Status: Type.Optional(
    Text(100, {
      description: `One status, or several separated by commas: ${obligationStatuses.join(', ')}.`,
    }),
  ),
  RequirementID: Type.Optional(RequirementID),
  GroupName: Type.Optional(GroupFilter),
  ManagerLoginID: Type.Optional(ManagerFilter),
  Attribute: Type.Optional(AttributeFilter),
  Present: Type.Optional(
    Type.Boolean({
      description:
        'If true, only what reports count: the present cycle of users in the audience, without the cycle that follows it.',
    }),
  ),
  DueBefore: Type.Optional(
    Type.String({
      maxLength: 40,
      description: 'Due before this day such as 2026-12-31, or before this time.',
    }),
  ),
  ValidBefore: Type.Optional(
    Type.String({
      maxLength: 40,
      description: 'Completed, and no longer valid from this day such as 2027-12-31, or from this time, on.',
    }),
  ),
};

const orders = 'Default: due. By valid_until, the list has only those with a completion that expires.';

const plan = {
  Opens: 1,
  Changes: [
    {
      ...{ LoginID: 'ada', Change: 'open', Reason: 'The user belongs to the audience.' },
      ...{ Because: 'joined', Values: {}, Status: 'not_due' },
      ...{ DueAt: '2026-02-14T23:59:59.000Z', DueAtBefore: null },
      ...{ ValidUntil: null, ValidUntilBefore: null },
    },
  ],
  More: false,
};

export const requirementRoutes = [
  route('PUT /requirement/{RequirementID}', 'putRequirement', {
    ...writing,
    summary: 'Create or change a requirement',
    description:
      'Says which users must complete a course by when, and how often. Users who match already are included. Fields that are not sent keep their values; null clears. Changes for many users are applied in the background: see Pending. Plan=true returns what would change, and why.',
    example: ['Title', 'CourseIDs', 'Audience', 'DueAfter', 'ValidFor'],
    params: byId,
    query: Fields(changeQuery),
    body: RequirementChange,
    responses: {
      201: { description: 'Created.', schema: Requirement },
      200: {
        description: 'Changed, or with Plan the RequirementPlan.',
        schema: Type.Union([Requirement, RequirementPlan]),
        example: plan,
      },
    },
    problems: ['confirmation_required'],
    events: obligationEvents,
    audits: ['requirement.created', 'requirement.changed'],
    handle: async (ctx, { params, query, body }) => {
      const input = { ...body, requirementId: params.RequirementID };
      if (query.Plan) return ok(await planRequirement(ctx, input));
      const { requirement, isNew } = await putRequirement(
        ctx,
        query.Confirm === undefined ? input : { ...input, Confirm: query.Confirm },
      );
      return isNew ? created(requirement, path`/requirement/${params.RequirementID}`) : ok(requirement);
    },
    afterwards: catchUp,
  }),
  route('POST /requirement/{RequirementID}/void', 'voidRelease', {
    ...writing,
    summary: 'Declare completions of a release void',
    description:
      'For example because the law has changed. They no longer satisfy this requirement, and those who relied on them have to repeat the course: by DueAfter from today, or by DueOn if that is later than today. Concerns only your tenant. Plan=true returns who has to repeat it by when.',
    example: ['Release', 'Before'],
    params: byId,
    query: Fields(changeQuery),
    body: VoidRelease,
    responses: {
      200: {
        description: 'The requirement, or with Plan the RequirementPlan.',
        schema: Type.Union([Requirement, RequirementPlan]),
        example: plan,
      },
    },
    problems: ['requirement_not_found', 'release_not_found', 'confirmation_required'],
    events: obligationEvents,
    audits: ['requirement.release_voided'],
    handle: async (ctx, { params, query, body }) => {
      const input = { ...body, requirementId: params.RequirementID };
      if (query.Plan) return ok(await planVoid(ctx, input));
      const confirm = query.Confirm === undefined ? {} : { Confirm: query.Confirm };
      return ok(await voidRelease(ctx, { ...input, ...confirm }));
    },
    afterwards: catchUp,
  }),
  route('GET /requirement', 'listRequirements', {
    ...reading,
    summary: 'List requirements',
    description: 'In the order of their RequirementIDs.',
    query: Fields({ ...pageQuery, Status: Type.Optional(OneOf(['active', 'retired'])) }),
    responses: { 200: { description: 'A page of requirements.', schema: PageOf(Requirement) } },
    handle: async (ctx, { query }) => ok(await listRequirements(ctx, query)),
  }),
  route('GET /requirement/{RequirementID}', 'readRequirement', {
    ...reading,
    summary: 'Read a requirement',
    description: 'Pending is true while a change is still being applied to its users.',
    params: byId,
    responses: { 200: { description: 'The requirement.', schema: Requirement } },
    problems: ['requirement_not_found'],
    handle: async (ctx, { params }) =>
      ok(await readRequirement(ctx, { requirementId: params.RequirementID })),
  }),
  route('GET /obligation', 'listObligations', {
    ...reading,
    summary: 'List obligations',
    description:
      'One row for each user, requirement and cycle, ordered by DueAt. `AsOf` lists them as they were at the end of a past day: with Present=true, the people behind a figure of `GET /report/compliance` with the same AsOf. Users who have been erased since then are listed without a LoginID. EnrollID and EnrolProblem are always those of today.',
    query: Fields({
      ...pageQuery,
      ...countQuery,
      Order: Type.Optional(OneOf(obligationOrders, { description: orders })),
      LoginID: Type.Optional(LoginID),
      ...filters,
      AsOf: Type.Optional(Type.String({ format: 'date', description: 'The end of this day. Default: now.' })),
    }),
    responses: { 200: { description: 'A page of obligations.', schema: CountedPageOf(ListedObligation) } },
    handle: async (ctx, { query }) => ok(await listObligations(ctx, query)),
  }),
  route('GET /obligation/{LoginID}', 'listObligationsOfUser', {
    ...reading,
    summary: "List a user's obligations",
    description: 'All cycles, ordered by DueAt. Learners can read their own.',
    allowsLearners: true,
    params: Type.Object({ LoginID }),
    query: Fields({
      ...pageQuery,
      Order: Type.Optional(OneOf(obligationOrders, { description: orders })),
      Status: filters.Status,
      RequirementID: filters.RequirementID,
    }),
    responses: {
      200: { description: 'A page of obligations, ordered by DueAt.', schema: PageOf(Obligation) },
    },
    problems: ['user_not_found'],
    handle: async (ctx, { params, query }) =>
      ok(await listObligationsOfUser(ctx, { ...query, LoginID: params.LoginID })),
  }),
  route('GET /obligation/{LoginID}/{RequirementID}/explain', 'explainObligation', {
    ...reading,
    summary: 'Explain an obligation',
    description:
      'Why the requirement concerns the user, or why not; each date with its derivation; and what would satisfy it.',
    params: ofUser,
    query: Fields({
      Cycle: Type.Optional(
        Type.Integer({ minimum: 1, description: 'Default: the latest one that is not closed.' }),
      ),
    }),
    responses: {
      200: {
        description: 'The explanation.',
        schema: ObligationExplanation,
        example: {
          ...{ LoginID: 'ada', RequirementID: 'fire-safety', Title: 'Fire safety', InAudience: true },
          Enabled: true,
          Audience: [{ Part: 'Groups', Values: ['Engineering'], Matches: true, Matching: ['Engineering'] }],
          Status: 'due_soon',
          Dates: [
            {
              Name: 'DueAt',
              At: '2026-02-14T23:59:59.000Z',
              Derivation:
                'Joined the audience on 2026-01-15, plus 30 days: the last second of that day in UTC.',
              Because: 'due_after',
              Values: { day: '2026-01-15', period: 'P30D', zone: 'UTC' },
            },
          ],
          SatisfiedBy: null,
          Renewal: null,
          WouldSatisfy: 'Complete Fire safety at work. A completion that is still valid counts too.',
          Next: { Because: 'complete_or_valid', Values: { courses: 'Fire safety at work' } },
          EnrolProblem: null,
        },
      },
    },
    problems: ['user_not_found', 'requirement_not_found'],
    handle: async (ctx, { params, query }) =>
      ok(
        await explainObligation(ctx, {
          loginId: params.LoginID,
          requirementId: params.RequirementID,
          ...(query.Cycle !== undefined && { cycle: query.Cycle }),
        }),
      ),
  }),
  route('GET /report/compliance', 'listCompliance', {
    ...reading,
    summary: 'Report compliance by requirement, group, manager or attribute',
    description:
      'Counts users by the status of their obligations, now or at the end of a past day, in the groups that they had then. A user counts in each of their groups, and once in the total. To list the users behind a figure, send the same AsOf, RequirementID, GroupName, ManagerLoginID or Attribute to `GET /obligation` with a Status and Present=true. Users without an enrolment are among them.',
    query: Fields({
      ...pageQuery,
      By: Type.Optional(OneOf(complianceBy, { description: 'Default: requirement.' })),
      AsOf: Type.Optional(Type.String({ format: 'date', description: 'Default: today.' })),
      Attribute: Type.Optional(
        Text(300, {
          description:
            'For By=attribute, the name of the attribute, such as site. Otherwise, only users with this value, such as site:Leeds.',
        }),
      ),
      RequirementID: Type.Optional(RequirementID),
      GroupName: Type.Optional(GroupFilter),
      ManagerLoginID: Type.Optional(ManagerFilter),
    }),
    responses: { 200: { description: 'A page of lines.', schema: PageOf(Compliance) } },
    handle: async (ctx, { query }) => ok(await listCompliance(ctx, query)),
  }),
  route('PUT /obligation/{LoginID}/{RequirementID}', 'exemptUser', {
    ...writing,
    summary: 'Exempt a user from a requirement, or end the exemption',
    description:
      'Concerns the present cycle. No further cycles open until the exemption ends: on the day Until, or when you send Exempt=false. Sent again for a user who is exempt, it changes Reason and Until; what is left out stays.',
    example: ['Reason', 'Until'],
    params: ofUser,
    body: Exemption,
    responses: { 200: { description: 'The obligation.', schema: Obligation } },
    problems: ['obligation_not_found'],
    events: obligationEvents,
    audits: ['obligation.exempted', 'obligation.exemption_ended'],
    handle: async (ctx, { params, body }) =>
      ok(await exempt(ctx, { ...body, loginId: params.LoginID, requirementId: params.RequirementID })),
    afterwards: catchUp,
  }),
];
