import Type from 'typebox';
import type { Condition } from '../../db/page.ts';
import { foreignCursor, type PageQuery, page, readCursor } from '../../http/pagination.ts';
import { recordOf } from '../../http/records.ts';
import { Fields, Instant, Nullable, OneOf } from '../../http/validation/schema.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { hasScope } from '../../infra/context/scopes.ts';
import { addDays, dayOf, firstInstant, isDay } from '../../lib/days.ts';
import { invalid } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import { isInstant } from '../../lib/instants.ts';
import { outcomeSql, outcomes, statusAtSql } from '../enrolments/record/states.ts';
import { catchUp } from '../requirements/follow.ts';
import { timeZoneOf } from '../tenants/time-zone.ts';
import { isOfPeople, type PeopleFilter } from '../users/groups.ts';
import { LoginID } from '../users/schemas.ts';
import { findUserId, userNotFound } from '../users/users.ts';

const Text = Nullable(Type.String());

export const TrainingRecord = Fields(
  {
    LoginID,
    FirstName: Text,
    LastName: Text,
    CourseID: Text,
    Title: Text,
    External: Type.Boolean({ description: 'true for a completion from elsewhere.' }),
    Outcome: OneOf(outcomes, { title: 'EnrolmentOutcome' }),
    Score: Nullable(Type.Number()),
    Release: Nullable(
      Type.Integer({ description: 'The release of the course that the user takes or took.' }),
    ),
    EnrolledAt: Nullable(Instant()),
    CompletedAt: Nullable(Instant()),
    ValidUntil: Nullable(Instant('Until when the completion satisfies a requirement.')),
    RequirementIDs: Type.Array(Type.String(), {
      description: 'The requirements that it satisfies or satisfied.',
    }),
    EnrollID: Text,
    CompletionID: Text,
    Source: Text,
    EvidenceText: Text,
    EvidenceURL: Text,
    Reference: Text,
  },
  { title: 'TrainingRecord' },
);
export type TrainingRecord = Type.Static<typeof TrainingRecord>;

export type RecordsQuery = PageQuery & PeopleFilter & { From?: string; To?: string; CourseID?: string };

type RecordRow = {
  id: string;
  external: boolean;
  at: Date;
  login_id: string;
  first_name: string | null;
  last_name: string | null;
  course_id: string | null;
  course_title: string | null;
  title: string | null;
  outcome: TrainingRecord['Outcome'];
  score: number | null;
  release: number | null;
  enrolled_at: Date | null;
  completed_at: Date | null;
  valid_until: Date | null;
  requirement_ids: string[];
  source: string | null;
  evidence_text: string | null;
  evidence_url: string | null;
  reference: string | null;
};

/** SQL: when the effective result was a completion. */
const completedAt = `case when coalesce(own.override ->> 'Completion', own.completion) = 'completed'
  or coalesce(own.override ->> 'Success', own.success) = 'passed'
  then coalesce(own.completed_at, (own.override ->> 'At')::timestamptz, own.last_accessed_at, own.changed_at) end`;

/** SQL: enrolments, and completions from elsewhere. `$2` is the time of the tenant. */
const recordsSql = (ofEnrolments: string, ofCompletions: string) => `(
  select own.tenant_id, own.user_id, own.enroll_id as id, false as external, own.course_id, own.release_id,
    ${outcomeSql('own', statusAtSql('own', '$2::timestamptz'))} as outcome,
    coalesce((own.override ->> 'Score')::double precision, own.score) as score, own.enrolled_at,
    ${completedAt} as completed_at, coalesce(${completedAt}, own.enrolled_at) as at,
    null::text as title, null::text as source, null::text as evidence_text, null::text as evidence_url, own.reference
  from enrolment own where own.tenant_id = $1 and ${ofEnrolments}
  union all
  select own.tenant_id, own.user_id, own.completion_id, true, own.course_id, null,
    case own.success when 'unknown' then 'completed' else own.success end, own.score, null, own.completed_at, own.completed_at,
    own.title, own.source, own.evidence_text, own.evidence_url, own.reference
  from external_completion own where own.tenant_id = $1 and own.deleted_at is null and ${ofCompletions}
) held where held.tenant_id = $1`;

const withNames = (rows: string) => `
select held.*, known.login_id, known.first_name, known.last_name, course.title as course_title,
  release.number as release, duty.valid_until, coalesce(duty.requirement_ids, '{}') as requirement_ids
from (${rows}) held
join "user" known on known.tenant_id = $1 and known.user_id = held.user_id
left join course on course.course_id = held.course_id
left join release on release.release_id = held.release_id
left join lateral (
  select max(met.valid_until) as valid_until, array_agg(distinct met.requirement_id) as requirement_ids
  from obligation met where met.tenant_id = $1 and met.user_id = held.user_id and met.met_by = held.id
) duty on true`;

/** Names are null for a key without `users:read`. */
const toRecord = (row: RecordRow, isNamed: boolean): TrainingRecord =>
  recordOf(TrainingRecord, row, {
    FirstName: isNamed ? row.first_name : null,
    LastName: isNamed ? row.last_name : null,
    Title: row.title ?? row.course_title,
    EnrollID: row.external ? null : row.id,
    CompletionID: row.external ? row.id : null,
  });

/** A page of records, newest first: by completion, or by enrolment if there is none. */
async function pageOfRecords(
  ctx: TenantContext,
  input: PageQuery,
  rows: string,
  values: unknown[],
  where: Condition[],
) {
  const cursor = readCursor(input);
  const [at = '', id = ''] = cursor?.split(' ') ?? [];
  if (cursor !== null && !(isInstant(at) && isId(id))) throw foreignCursor();
  // What was completed a moment ago already counts for requirements.
  if (cursor === null) await catchUp(ctx);
  const isNamed = hasScope(ctx, 'users:read');
  return page<RecordRow, TrainingRecord>(
    ctx,
    input,
    {
      ...{ rows, where, key: ['at', 'id'], newest: true, show: withNames },
      values: [ctx.tenantId, tenantNow(ctx), ...values],
      after: cursor === null ? null : [new Date(at), id],
    },
    (row) => `${row.at.toISOString()} ${row.id}`,
    (row) => toRecord(row, isNamed),
  );
}

/** Everything that a user has done here and elsewhere, and is doing. */
export async function listRecordOfUser(ctx: TenantContext, input: PageQuery & { LoginID: string }) {
  const userId = await findUserId(ctx, input.LoginID);
  if (userId === null) throw userNotFound();
  const ofUser = 'own.user_id = $3::uuid';
  return pageOfRecords(ctx, input, recordsSql(ofUser, ofUser), [userId], []);
}

/** The first and the last day, which are those of the tenant. */
async function rangeOf(ctx: TenantContext, input: RecordsQuery): Promise<[Date, Date]> {
  for (const param of ['From', 'To'] as const)
    if (input[param] !== undefined && !isDay(input[param]))
      throw invalid(param, `Send ${param} as a day such as 2026-04-30.`);
  const zone = await timeZoneOf(ctx);
  const { To = dayOf(tenantNow(ctx), zone) } = input;
  const { From = addDays(To, -29) } = input;
  if (To < From) throw invalid('To', 'To must not be before From.');
  return [firstInstant(From, zone), firstInstant(addDays(To, 1), zone)];
}

/** What was completed in a period, by whoever it was. */
export async function listRecords(ctx: TenantContext, input: RecordsQuery) {
  const { CourseID } = input;
  const [from, until] = await rangeOf(ctx, input);
  const where: Condition[] = [
    () => 'held.completed_at >= $3 and held.completed_at < $4',
    ...isOfPeople(input),
  ];
  if (CourseID !== undefined) where.push(({ add }) => `held.course_id = ${add(CourseID)}`);
  // The ranges of the indexes. An enrolment that was completed by an override has no time of its own.
  const enrolled = `own.user_id is not null and coalesce(own.override ->> 'Success', own.success) <> 'failed'
    and (own.completed_at >= $3 and own.completed_at < $4 or own.completed_at is null and own.override is not null)`;
  const elsewhere = "own.success <> 'failed' and own.completed_at >= $3 and own.completed_at < $4";
  return pageOfRecords(ctx, input, recordsSql(enrolled, elsewhere), [from, until], where);
}
