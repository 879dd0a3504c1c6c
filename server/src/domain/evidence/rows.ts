import { ownRows } from '../../db/own-rows.ts';
import { run } from '../../db/transaction.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { groupsSql, isInGroups } from '../users/groups.ts';
import { findUserId, userNotFound } from '../users/users.ts';

export type Selection = { CourseID?: string; GroupName?: string; LoginID?: string };
type Line = Record<string, unknown>;

/** A page has so many enrolments, with all that happened to them. */
const rowsPerPage = 100;

/** The person in a row, from an alias of the users. */
export const personSql = (
  user: string,
) => `jsonb_build_object('LoginID', ${user}.login_id, 'FirstName', ${user}.first_name,
  'LastName', ${user}.last_name, 'IsAdmin', ${user}.is_admin, 'Groups', to_jsonb(${groupsSql(user)}))`;

/** Of somebody who was erased, and whose evidence is retained. */
const retainedPersonSql = `kept.person || jsonb_build_object('RetainedUntil', kept.kept_until)`;

/**
 * $3: the end of the day. $4 to $7: the course, the group, the person and the LoginID of somebody who was erased, or
 * null.
 */
const matches = (course: string, isInGroup: string, isPerson: string) => `($4::text is null or ${course} = $4)
  and ($5::text is null or ${isInGroup}) and (num_nonnulls($6::uuid, $7::text) = 0 or ${isPerson})`;

const enrolmentsText = `
select held.enroll_id as id, held.user_id is not null as is_known, held.course_id, course.title, release.number as release,
  held.enrolled_at, held.due_at, held.expires_at, held.group_name as enrolled_in,
  case when holder.user_id is not null then ${personSql('holder')} else ${retainedPersonSql} end as person
from enrolment held
join course on course.course_id = held.course_id
left join release on release.release_id = held.release_id
left join "user" holder on holder.tenant_id = $1 and holder.user_id = held.user_id
left join retained_record kept on kept.tenant_id = $1 and kept.record_id = held.enroll_id and held.user_id is null
where held.tenant_id = $1 and held.enroll_id > $2 and held.enrolled_at <= $3
  and ${matches(
    'held.course_id',
    `held.group_name = $5 or ${isInGroups('holder', 'array[$5]')} or kept.person -> 'Groups' ? $5`,
    'held.user_id = $6 or kept.login_id = $7',
  )}
order by held.enroll_id limit ${rowsPerPage}`;

type Enrolment = {
  id: string;
  course_id: string;
  title: string;
  release: number | null;
  enrolled_at: Date;
  due_at: Date | null;
  expires_at: Date | null;
  enrolled_in: string | null;
  person: Line | null;
};

/** What happened, except for progress on the way. */
const eventsText = `
select event.event_id, event.enroll_id, event.type, event.occurred_at, event.data from event
where event.tenant_id = $1 and event.enroll_id = any($2::uuid[]) and event.occurred_at <= $3
  and event.type <> 'enrolment.progressed'
order by event.enroll_id, event.event_id`;

type Happened = { event_id: string; enroll_id: string; type: string; occurred_at: Date; data: Line };

const certificatesText = `
select held.enroll_id, held.number, held.issued_at, held.valid_until, held.name,
  case when held.revoked_at <= $3 then held.revoked_at end as revoked_at
from certificate held
where held.tenant_id = $1 and held.enroll_id = any($2::uuid[]) and held.issued_at <= $3 and held.number is not null
order by held.certificate_id`;

type Certified = {
  enroll_id: string;
  number: string;
  issued_at: Date;
  valid_until: Date | null;
  name: string | null;
  revoked_at: Date | null;
};

export const completionColumns = `held.completion_id as id, held.course_id,
  coalesce(held.title, course.title) as title, held.completed_at, held.success, held.score, held.source,
  held.evidence_text, held.evidence_url, held.reference, held.created_at`;

const completionsText = `
select ${completionColumns}, ${personSql('holder')} as person
from external_completion held
join "user" holder on holder.tenant_id = $1 and holder.user_id = held.user_id
left join course on course.course_id = held.course_id
where held.tenant_id = $1 and held.completion_id > $2 and held.completed_at <= $3 and held.created_at <= $3
  and (held.deleted_at is null or held.deleted_at > $3) 
  and ${matches('held.course_id', isInGroups('holder', 'array[$5]'), 'held.user_id = $6')}
order by held.completion_id limit ${rowsPerPage}`;

const retainedText = `
select kept.record_id as id, kept.line, ${retainedPersonSql} as person from retained_record kept
where kept.tenant_id = $1 and kept.record_id > $2 and kept.line is not null
  and greatest(kept.line ->> 'completed_at', kept.line ->> 'created_at')::timestamptz <= $3
  and ${matches(`kept.line ->> 'course_id'`, `kept.person -> 'Groups' ? $5`, 'kept.login_id = $7')}
order by kept.record_id limit ${rowsPerPage}`;

type External = { id: string; completed_at: Date; created_at: Date; person: Line } & Record<string, unknown>;
type Kept = { id: string; person: Line; line: Line & { completed_at: string; created_at: string } };

const noResult = { Completion: 'unknown', Success: 'unknown', Score: null };
const isReached = ({ Completion, Success }: Line) => Success === 'passed' || Completion === 'completed';

/** The result as the events up to then report it, and when it was reached. */
function resultOf(events: readonly Happened[]): Line {
  let result: Line = noResult;
  let reachedAt: Date | null = null;
  for (const { type, occurred_at, data } of events) {
    if ('Completion' in data && 'Success' in data) {
      const { Completion, Success, Score = null } = data;
      result = { Completion, Success, Score };
    } else if (type === 'enrolment.reset') result = noResult;
    reachedAt = isReached(result) && result.Success !== 'failed' ? (reachedAt ?? occurred_at) : null;
  }
  return { ...result, CompletedAt: reachedAt };
}

function enrolmentLine(
  row: Enrolment,
  events: readonly Happened[],
  certificates: readonly Certified[],
): Line {
  return {
    Source: 'course',
    ...(row.person ?? { LoginID: null }),
    EnrolledInGroup: row.enrolled_in,
    CourseID: row.course_id,
    CourseTitle: row.title,
    Release: row.release,
    EnrollID: row.id,
    AssignedAt: row.enrolled_at,
    DueAt: row.due_at,
    AccessEndsAt: row.expires_at,
    ...resultOf(events),
    Certificates: certificates.map((one) => ({
      ...{ Number: one.number.replaceAll(/.{4}(?=.)/g, '$&-'), Name: one.name, IssuedAt: one.issued_at },
      ...{ ValidUntil: one.valid_until, RevokedAt: one.revoked_at },
    })),
    Evidence: events.map(({ event_id, type, occurred_at, data }) => ({
      ...{ EventID: event_id, Type: type, At: occurred_at, Data: data },
    })),
  };
}

const externalLine = ({ person, ...row }: External): Line => ({
  Source: row.source ?? 'external',
  ...person,
  ...{ CourseID: row.course_id, CourseTitle: row.title, CompletionID: row.id, CompletedAt: row.completed_at },
  ...{ Success: row.success, Score: row.score, RecordedAt: row.created_at },
  ...{ EvidenceText: row.evidence_text, EvidenceURL: row.evidence_url, Reference: row.reference },
});

/** Only `personal-data.ts` writes the lines. */
const externalOf = ({ id, person, line }: Kept): External => ({
  ...{ ...line, id, person },
  ...{ completed_at: new Date(line.completed_at), created_at: new Date(line.created_at) },
});

async function isRetained(ctx: TenantContext, loginId: string): Promise<boolean> {
  const found = await ownRows(ctx, 'retained_record', { login_id: loginId })
    .select('record_id')
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** The rows of a pack, page by page, so that memory stays constant. */
export async function* readRows(
  ctx: TenantContext,
  { until, ...selection }: Selection & { until: Date },
): AsyncGenerator<Line> {
  const { CourseID = null, GroupName = null, LoginID } = selection;
  const userId = LoginID === undefined ? null : await findUserId(ctx, LoginID);
  if (LoginID !== undefined && userId === null && !(await isRetained(ctx, LoginID))) throw userNotFound();
  const erasedLoginId = userId === null ? (LoginID ?? null) : null;
  async function* pages<R extends { id: string }>(text: string): AsyncGenerator<R[]> {
    for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
      await ctx.checkCaller?.();
      const values = [ctx.tenantId, after, until, CourseID, GroupName, userId, erasedLoginId];
      const rows = await run<R>(ctx, text, values);
      if (rows.length > 0) yield rows;
      const last = rows.at(-1);
      if (!last || rows.length < rowsPerPage) return;
      after = last.id;
    }
  }
  for await (const page of pages<Enrolment>(enrolmentsText)) {
    const values = [ctx.tenantId, page.map(({ id }) => id), until];
    const events = await run<Happened>(ctx, eventsText, values);
    const given = await run<Certified>(ctx, certificatesText, values);
    const eventsById = Map.groupBy(events, ({ enroll_id }) => enroll_id);
    const givenById = Map.groupBy(given, ({ enroll_id }) => enroll_id);
    for (const row of page)
      yield enrolmentLine(row, eventsById.get(row.id) ?? [], givenById.get(row.id) ?? []);
  }
  for await (const page of pages<External>(completionsText)) yield* page.map(externalLine);
  for await (const page of pages<Kept>(retainedText))
    yield* page.map((kept) => externalLine(externalOf(kept)));
}
