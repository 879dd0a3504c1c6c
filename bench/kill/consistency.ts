import pg from 'pg';
import { openPglite } from '../../server/src/db/engine/pglite.ts';

const ofEnrolment = (table: string, more = '') =>
  `from ${table} t where t.tenant_id = owner.tenant_id and t.enroll_id = owner.enroll_id ${more}`;

/** Each rule counts rows that no sequence of complete writes can produce. */
const rules: Record<string, string> = {
  'commits is not the highest commit number': `from enrolment owner where owner.commits <> (select coalesce(max(t.number), 0) ${ofEnrolment('run_time_commit')})`,
  'commit numbers have a gap': `from enrolment owner where owner.commits <> (select count(distinct t.number) ${ofEnrolment('run_time_commit')})`,
  'launches is not the number of launches': `from enrolment owner where owner.launches <> (select count(*) ${ofEnrolment('launch')})`,
  'not exactly one enrolment.created': `from enrolment owner where 1 <> (select count(*) ${ofEnrolment('event', "and t.type = 'enrolment.created'")})`,
  'not exactly one enrolment.launched per launch': `from enrolment owner where owner.launches <> (select count(*) ${ofEnrolment('event', "and t.type = 'enrolment.launched'")})`,
  'enrolment.completed and status disagree': `from enrolment owner where (owner.status = 'completed')::int <> (select count(*) ${ofEnrolment('event', "and t.type = 'enrolment.completed'")})`,
  'status, completion and completed_at disagree':
    "from enrolment owner where (owner.status = 'completed') <> (owner.completion = 'completed') or (owner.status = 'completed') <> (owner.completed_at is not null)",
  'status is enrolled after a launch':
    "from enrolment owner where (owner.status = 'enrolled') <> (owner.launches = 0)",
  'the data of the last commit is missing': `from enrolment owner where owner.commits > 0 and not exists (select ${ofEnrolment('attempt_unit', "and t.data->>'lectern.bookmark' like 'page ' || owner.commits || ' %'")})`,
  'a commit for a launch that does not exist':
    'from run_time_commit owner where not exists (select from launch t where t.tenant_id = owner.tenant_id and t.enroll_id = owner.enroll_id and t.number = owner.launch)',
  'not exactly one user.created': `from "user" owner where 1 <> (select count(*) from event t where t.tenant_id = owner.tenant_id and t.user_id = owner.user_id and t.type = 'user.created')`,
  'an event about a record that does not exist':
    'from event owner where owner.enroll_id is not null and not exists (select from enrolment t where t.tenant_id = owner.tenant_id and t.enroll_id = owner.enroll_id)',
};

type Query = (text: string) => Promise<{ rows: { broken: number | string }[] }>;

async function apply(query: Query): Promise<string[]> {
  const found: string[] = [];
  for (const [rule, rest] of Object.entries(rules)) {
    const broken = Number((await query(`select count(*) as broken ${rest}`)).rows[0]?.broken);
    if (broken !== 0) found.push(`${rule}: ${broken} rows`);
  }
  return found;
}

export async function checkServer(connectionString: string): Promise<string[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await apply((text) => client.query(text));
  } finally {
    await client.end();
  }
}

/** Checks the embedded database of a service that has stopped. */
export async function checkFolder(folder: string): Promise<string[]> {
  const engine = await openPglite({ folder });
  try {
    return await apply((text) => engine.query({ text, values: [] }));
  } finally {
    await engine.close();
  }
}
