import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import type { Person, PersonalData } from '../../platform/personal-data.ts';

/**
 * Members of Data that say nothing about a person. All others are erased, so a new one is erased by default.
 */
const anonymous = [
  'Changed',
  'Completion',
  'DurationID',
  'EnrollIDs',
  'ExpiresAt',
  'KeyID',
  'Launch',
  'NewEnrollID',
  'Progress',
  'ReceiptID',
  'Score',
  'Status',
  'Success',
  'TotalSeconds',
];

const ofPerson = `told.tenant_id = $1
  and (told.enroll_id = any($3::uuid[]) or (told.user_id = $2 and told.enroll_id is null))`;

const erase = `
update event told set user_id = null, data = (
  select coalesce(jsonb_object_agg(member.key, case when member.key = any($4::text[]) then member.value end), '{}')
  from jsonb_each(told.data) member
)
where ${ofPerson}
returning 1`;

const read = `
select told.event_id, told.type, told.occurred_at, told.enroll_id, told.course_id, told.data from event told
where ${ofPerson} and told.event_id > $4::uuid order by told.event_id limit 200`;

type Row = {
  event_id: string;
  type: string;
  occurred_at: Date;
  enroll_id: string | null;
  course_id: string | null;
  data: unknown;
};

async function* readEvents(ctx: TenantContext, person: Person) {
  for (let after: string | null = '00000000-0000-0000-0000-000000000000'; after !== null; ) {
    const rows: Row[] = await run<Row>(ctx, {
      name: 'read_events_of_person',
      text: read,
      values: [ctx.tenantId, person.userId, person.enrollIds, after],
    });
    for (const row of rows)
      yield {
        EventID: row.event_id,
        Type: row.type,
        OccurredAt: row.occurred_at,
        EnrollID: row.enroll_id,
        CourseID: row.course_id,
        Data: row.data,
      };
    after = rows.at(-1)?.event_id ?? null;
  }
}

export const eventData: PersonalData = {
  name: 'Events',
  tables: ['event'],
  erased: 'The person that the events are about, and their contents except results and times.',
  kept: {
    what: 'That something happened to an enrolment, when, and with which result.',
    why: 'Readers that follow the log must find no gaps. Nothing in it leads to the person any more.',
  },
  erase: async (ctx, person) => {
    const values = [ctx.tenantId, person.userId, person.enrollIds, anonymous];
    return (await run(ctx, { name: 'erase_events', text: erase, values })).length;
  },
  read: readEvents,
};
