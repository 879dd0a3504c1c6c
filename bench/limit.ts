import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { find } from '../scripts/postgres-cluster.ts';
import { openPglite, type PgliteEngine } from '../server/src/db/engine/pglite.ts';
import { migrate } from '../server/src/db/migrate.ts';
import { locations } from '../server/src/lib/locations.ts';
import { benchUsers, fill } from './fill.ts';
import type { Driver } from './load/driver.ts';
import type { Dataset } from './operation.ts';

/**
 * Rows per second for the database alone: with one or with fifty enrolments and their events per statement, and
 * with the simplest form of an enrolment.
 */
export type Limit = { one: number; fifty: number; plain: number };

export type LimitSource = { measure: (seconds: number) => Promise<Limit>; close: () => Promise<void> };

/** Creates UUIDs that are ordered by time, as the service does. */
const uuid = `overlay(replace(gen_random_uuid()::text, '-', '') placing
  lpad(to_hex((extract(epoch from clock_timestamp()) * 1000000)::bigint), 14, '0') from 1 for 14)::uuid`;

/**
 * The minimum work for an enrolment: find the user and the option, and insert the enrolment and its event
 * unless the user is already enrolled. The event gets a position that no reader of the
 * log sees.
 */
function enrolText(course: string, users: string): string {
  return `with inserted as (
  insert into enrolment (tenant_id, enroll_id, user_id, course_id, duration_id, starts_on, enrolled_at, changed_at)
  select known.tenant_id, ${uuid}, known.user_id, option.course_id, option.duration_id, option.starts_on, now(), now()
  from "user" known join enrol_option option on option.course_id = ${course} and option.duration_id = 'year'
  where known.tenant_id = 'bench' and ${users} and known.enabled
  on conflict (tenant_id, user_id, course_id) where ended_at is null do nothing
  returning *
), written_events as (
  insert into event (tenant_id, event_id, type, occurred_at, user_id, enroll_id, course_id, data, position)
  select tenant_id, ${uuid}, 'enrolment.created', enrolled_at, user_id, enroll_id, course_id,
    jsonb_build_object('DurationID', duration_id, 'Reference', reference), -1 - floor(random() * 1e15) from inserted
)
select * from inserted`.replaceAll('\n', ' ');
}

/** Two tables with the columns that `plainText` fills, and no index except for their primary keys. */
const plainTables = `create schema if not exists plain;
create table if not exists plain.enrolment (tenant_id text, enroll_id uuid, user_id uuid, course_id text,
  duration_id text, starts_on text, enrolled_at timestamptz, changed_at timestamptz, primary key (tenant_id, enroll_id));
create table if not exists plain.event (tenant_id text, event_id uuid, type text, occurred_at timestamptz, user_id uuid,
  enroll_id uuid, course_id text, data jsonb, primary key (tenant_id, event_id))`;

/** The simplest form of an enrolment: two rows are inserted, and nothing is looked up or checked. */
const plainText = `with inserted as (
  insert into plain.enrolment
  values ('bench', ${uuid}, gen_random_uuid(), 'limit', 'year', 'enrolment', now(), now())
  returning *
)
insert into plain.event
select tenant_id, ${uuid}, 'enrolment.created', enrolled_at, user_id, enroll_id, course_id,
  jsonb_build_object('DurationID', duration_id, 'Reference', null)
from inserted`.replaceAll('\n', ' ');

/** Measures the requests per second that HTTP alone reaches on one core, with the same load generator. */
export type HttpLimit = { measure: (seconds: number) => Promise<number>; close: () => void };

/** Measures reads of an enrolment from memory over 64 connections; see `load/plain-service.ts`. */
export async function httpLimit(driver: Driver): Promise<HttpLimit> {
  const child = fork(join(import.meta.dirname, 'load/plain-service.ts'), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The HTTP-only service exited with code ${code} before it started listening.`);
  });
  const [origin] = await Promise.race([once(child, 'message'), ended]);
  ended.catch(() => {});
  const dataset: Dataset = {
    key: 'none',
    run: 'plain',
    users: benchUsers,
    enrolments: 1,
    courses: 1,
    sessions: [],
  };
  const order = {
    dataset,
    operation: 'read enrolment',
    origins: [origin],
    connections: 64,
    rate: null,
    byAutocannon: false,
  };
  const { wrong, firstWrong } = await driver.load({ ...order, seconds: 1 });
  if (wrong > 0) throw new Error(`The HTTP-only service returns wrong responses: ${firstWrong}`);
  return {
    measure: async (seconds) => (await driver.load({ ...order, seconds })).perSecond,
    close: () => void child.kill(),
  };
}

const run = promisify(execFile);
const clients = 32;

/** Measures with pgbench, 32 clients and prepared statements. */
export function serverLimit(url: string): LimitSource {
  const rounds = { 1: 0, 50: 0 };

  async function pgbench(lines: string[], seconds: number): Promise<number> {
    const folder = await mkdtemp(join(tmpdir(), 'lectern-pgbench-'));
    const script = join(folder, 'script.sql');
    await writeFile(script, lines.join('\n'));
    const options = ['-n', '-c', String(clients), '-j', '2', '-T', String(seconds), '-M', 'prepared'];
    try {
      const { stdout } = await run(find('pgbench'), [...options, '-D', 'n=-1', '-f', script, url]);
      return Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async function enrol(rows: 1 | 50, seconds: number): Promise<number> {
    // Each client has its own users and enrols them sequentially on one course of this round.
    const own = Math.floor(benchUsers / clients / rows) * rows;
    const first = (rows === 1 ? 0 : 1_000) + rounds[rows]++ * 40;
    const logins =
      rows === 1
        ? `known.login_id = 'u' || :user`
        : `known.login_id in (select 'u' || (:user::int + g) from generate_series(0, ${rows - 1}) g)`;
    const lines = [
      '\\set n :n + 1',
      `\\set user :client_id * ${own} + (:n * ${rows}) % ${own}`,
      `\\set course ${first} + (:n * ${rows}) / ${own}`,
      `${enrolText(`'limit' || :course`, logins)};`,
    ];
    return rows * (await pgbench(lines, seconds));
  }

  let isPrepared = false;
  async function plain(seconds: number): Promise<number> {
    if (!isPrepared) await run(find('psql'), ['-q', '-v', 'ON_ERROR_STOP=1', '-c', plainTables, url]);
    isPrepared = true;
    return await pgbench([`${plainText};`], seconds);
  }
  return {
    measure: async (seconds) => ({
      one: await enrol(1, seconds),
      fifty: await enrol(50, seconds),
      plain: await plain(seconds),
    }),
    close: async () => {},
  };
}

/**
 * Measures the same statements on a durable PGlite database in this process, prepared and run sequentially.
 */
export async function embeddedLimit(): Promise<LimitSource> {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-limit-'));
  const engine: PgliteEngine = await openPglite({ folder });
  await migrate(engine, locations.migrations);
  await fill([engine], { tenants: 0, users: 0, enrolments: 0 }, () => {});
  await engine.script(plainTables);
  await engine.script('vacuum analyze');
  const one = enrolText('$1::text', `known.login_id = $2::text`);
  const many = enrolText('$1::text', 'known.login_id = any($2::text[])');
  const next = { one: 0, fifty: 0 };

  async function repeat(rows: number, seconds: number): Promise<number> {
    const which = rows === 1 ? 'one' : 'fifty';
    const end = performance.now() + seconds * 1000;
    let done = 0;
    while (performance.now() < end) {
      const at = next[which];
      next[which] += rows;
      const course = `limit${(rows === 1 ? 0 : 1_000) + Math.floor(at / benchUsers)}`;
      const logins = Array.from({ length: rows }, (_, n) => `u${(at + n) % benchUsers}`);
      await engine.query({
        name: `limit_${which}`,
        text: rows === 1 ? one : many,
        values: [course, rows === 1 ? logins[0] : logins],
      });
      done += rows;
    }
    return done / seconds;
  }
  async function plain(seconds: number): Promise<number> {
    const end = performance.now() + seconds * 1000;
    let done = 0;
    for (; performance.now() < end; done++)
      await engine.query({ name: 'limit_plain', text: plainText, values: [] });
    return done / seconds;
  }
  return {
    measure: async (seconds) => ({
      one: await repeat(1, seconds),
      fifty: await repeat(50, seconds),
      plain: await plain(seconds),
    }),
    close: async () => {
      await engine.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
