import {
  countTenantRows,
  countUpToSql,
  type KeyPosition,
  type Keyset,
  keysetSql,
  positionOf,
  rowsOf,
} from '../../db/page.ts';
import { run } from '../../db/transaction.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { type Batch, batchRows, type Person, type PersonalData } from '../../infra/context/personal-data.ts';

/** Fields of Data that do not identify a person. All others are erased, so new fields are erased by default. */
const anonymous = [
  'Activity',
  'Attempt',
  'Changed',
  'Completion',
  'Cycle',
  'Days',
  'DueAt',
  'DurationID',
  'EnrollIDs',
  'ExpiresAt',
  'KeyID',
  'Kind',
  'Launch',
  'MetAt',
  'NewEnrollID',
  'Number',
  'Outcome',
  'Platform',
  'PlatformID',
  'Problem',
  'PathEnrollID',
  'Progress',
  'ReceiptID',
  'RequirementID',
  'Score',
  'Status',
  'Success',
  'TotalSeconds',
  'ValidUntil',
];

const withoutPerson = (members: string) => `user_id = null, data = (
  select coalesce(jsonb_object_agg(member.key, case when member.key = any(${members}::text[]) then member.value end), '{}')
  from jsonb_each(event.data) member
)`;

const eraseNew = `
update event set ${withoutPerson('$4')}
where event.tenant_id = $1 and event.enroll_id = any($2::uuid[]) and event.event_id >= $3::uuid`;

/** Erases the person from events that the erasure itself has just written. */
export async function eraseNewEvents(
  ctx: TenantContext,
  { enrollIds, since }: { enrollIds: string[]; since: string },
): Promise<void> {
  await run(ctx, eraseNew, [ctx.tenantId, enrollIds, since, anonymous]);
}

const key = ['event_id'];

const ofUser = (userId: string, rows: number): Keyset => ({
  table: 'event',
  of: { user_id: userId },
  where: 'held.enroll_id is null',
  key,
  rows,
});

const ofEnrolment = (enrollId: string, rows: number): Keyset => ({
  table: 'event',
  of: { enroll_id: enrollId },
  key,
  rows,
});

type Page = { event_id: string; named: boolean };

async function erase(ctx: TenantContext, keyset: Keyset, after: KeyPosition | null): Promise<Batch> {
  const columns = 'held.event_id, held.user_id is not null as named';
  const { text, values, add } = keysetSql(ctx.tenantId, keyset, after, columns);
  const page = await run<Page>(
    ctx,
    `with page as (${text}), erased as (
        update event set ${withoutPerson(add(anonymous))} 
        where event.tenant_id = $1 and event.event_id = any(array(select page.event_id from page))
      ) select * from page order by event_id`,
    values,
  );
  const next = page.length < keyset.rows ? null : positionOf(page.at(-1), key);
  return { records: page.filter(({ named }) => named).length, next };
}

type Row = {
  event_id: string;
  type: string;
  occurred_at: Date;
  enroll_id: string | null;
  course_id: string | null;
  data: unknown;
};

async function* readEvents(ctx: TenantContext, person: Person) {
  for await (const row of rowsOf<Row>(ctx, ofUser(person.userId, 200))) yield toRecord(row);
  for await (const enrollId of person.enrolments())
    for await (const row of rowsOf<Row>(ctx, ofEnrolment(enrollId, 200))) yield toRecord(row);
}

const toRecord = (row: Row) => ({
  EventID: row.event_id,
  Type: row.type,
  OccurredAt: row.occurred_at,
  EnrollID: row.enroll_id,
  CourseID: row.course_id,
  Data: row.data,
});

const ofUserAlone = { table: 'event', column: 'user_id', key: 'event_id', where: 'held.enroll_id is null' };
const ofEnrolments = {
  table: 'event',
  column: 'enroll_id',
  key: 'event_id',
  where: 'held.user_id is not null',
};

export const eventData: PersonalData = {
  name: 'Events',
  tables: ['event'],
  erased:
    'The identity of the person in the events, and the contents of these events except results and times.',
  retained: {
    what: 'What happened to an enrolment, when, and with which result.',
    why: 'Readers of the log rely on its having no gaps. Nothing in the log identifies the person any longer.',
  },
  eraseForUser: (ctx, { userId }, after) => erase(ctx, ofUser(userId, batchRows), after),
  eraseForEnrolment: (ctx, { enrollId }, after) => erase(ctx, ofEnrolment(enrollId, batchRows), after),
  count: async (ctx, { userId, enrollIds, max }) =>
    (await countTenantRows(ctx, countUpToSql(ofUserAlone), [[userId], max])) +
    (await countTenantRows(ctx, countUpToSql(ofEnrolments), [enrollIds, max])),
  read: readEvents,
};
