// What certificates and evidence cost:
//   node scripts/run.js ../bench/proof [--learners 600] [--rounds 2] [--rows 300000]
// Learners complete a course that issues certificates and one that does not, in turn, and an auditor exports the rows.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { bootstrapKey, cleanUp } from '../server/test/support/process.ts';
import { onDatabase } from './database.ts';
import { openClient } from './kill/client.ts';
import { median } from './median.ts';
import { startTarget } from './service.ts';
import { cpuOf, memoryOf, serversCpu } from './usage.ts';

const { values } = parseArgs({
  options: {
    learners: { type: 'string', default: '600' },
    rounds: { type: 'string', default: '2' },
    rows: { type: 'string', default: '300000' },
    root: { type: 'string', default: join(import.meta.dirname, '..') },
  },
});
const [learners, rounds, rows] = [values.learners, values.rounds, values.rows].map(Number) as [
  number,
  number,
  number,
];

const target = await startTarget({
  ...{ name: 'postgres', engine: 'postgres', nodes: 1, root: values.root },
  ...{ sizes: { tenants: 0, users: 0, enrolments: 0 }, sessions: learners * rounds * 2, say: console.log },
});
const client = openClient(16);
const [url = ''] = target.origins.api;
const [content = ''] = target.origins.content;
const pid = target.nodes[0]?.child.pid ?? 0;
const { key, sessions } = target.dataset;
const folders = target.database?.folders ?? [];

async function call(method: string, path: string, body?: unknown, by = key) {
  const answer = await client.call(method, url + path, body, by);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

const certificates = async () => (await call('GET', '/certificate?Limit=1&Count=true')).Count.Records;

/** Completions per second, and microseconds of CPU time for each until its certificate has been issued, if it earns one. */
async function storm(part: typeof sessions, expected: number) {
  const [service, server, began] = [cpuOf(pid), serversCpu(folders), performance.now()];
  const open = [...part];
  const send = async () => {
    for (let session = open.pop(); session; session = open.pop()) {
      const Data = { 'cmi.core.lesson_status': 'passed', 'cmi.core.score.raw': '90' };
      const body = { Number: 1, UnitID: session.unit, Data };
      const answer = await client.call('POST', `${content}${session.path}/commit`, body);
      if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    }
  };
  await Promise.all(Array.from({ length: 16 }, send));
  const seconds = (performance.now() - began) / 1000;
  // Long enough for the job; the other storm waits as long, because idle jobs use CPU time too.
  await pause(5_000);
  if (expected > 0 && (await certificates()) !== expected)
    throw new Error('not all certificates were issued');
  const each = (used: number) => (used / part.length) * 1e6;
  return {
    perSecond: part.length / seconds,
    service: each(cpuOf(pid) - service),
    server: each(serversCpu(folders) - server),
  };
}

const id = (space: string) => `('${space}-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`;
const numbers = `from generate_series(0, ${rows - 1}) n`;
const filling = [
  `insert into "user" (tenant_id, user_id, login_id, first_name, last_name, sort_name, folded, password_hash, created_at, updated_at)
   select 'audited', ${id('01950000')}, 'a' || n, 'Lee', 'Learner ' || n, 'a' || n, 'a' || n, 'random:', now(), now()
   from generate_series(0, ${rows / 10 - 1}) n`,
  `insert into enrolment (tenant_id, enroll_id, user_id, course_id, duration_id, starts_on, enrolled_at, changed_at)
   select 'audited', ${id('01960000')}, ${id('01950000').replace('to_hex(n)', 'to_hex(n / 10)')}, 'c' || n % 10, 'year', 'enrolment', now(), now() ${numbers}`,
  `insert into event (tenant_id, event_id, type, occurred_at, user_id, enroll_id, course_id, data, position)
   select 'audited', ${id('01970000')}, 'enrolment.passed', now(), ${id('01950000').replace('to_hex(n)', 'to_hex(n / 10)')}, ${id('01960000')}, 'c' || n % 10,
   '{"Completion": "completed", "Success": "passed", "Score": 90}', n + 1 ${numbers}`,
  `insert into event_log (tenant_id, position) values ('audited', ${rows}) on conflict (tenant_id) do update set position = ${rows}`,
  `insert into certificate (tenant_id, certificate_id, number, enroll_id, attempt, user_id, course_id, issued_at, completed_at,
     status_list, status_index, name, content)
   select 'audited', ${id('01980000')}, substr(upper(md5(n::text)), 1, 16), ${id('01960000')}, 1, ${id('01950000').replace('to_hex(n)', 'to_hex(n / 10)')},
     'c' || n % 10, now(), now(), n / 65536, n % 65536, 'Lee Learner', '{"CourseTitle": "Course", "Issuer": "Acme"}' ${numbers}`,
  'vacuum analyze enrolment, event, certificate, "user"',
];

async function exportPack(): Promise<string> {
  const { Secret } = await call('POST', '/tenant/audited/key', { Name: 'auditor' }, bootstrapKey);
  const before = memoryOf(pid);
  const [service, began] = [cpuOf(pid), performance.now()];
  let [most, bytes, last] = [before, 0, ''];
  const reply = await fetch(`${url}/evidence`, { headers: { authorization: `Bearer ${Secret}` } });
  for await (const chunk of reply.body ?? []) {
    bytes += chunk.length;
    most = Math.max(most, memoryOf(pid));
    last = (last + Buffer.from(chunk).toString()).slice(-2_000);
  }
  const end = JSON.parse(last.trim().split('\n').at(-1) ?? '{}');
  const seconds = (performance.now() - began) / 1000;
  return `pack of ${end.Rows} rows, ${(bytes / 1e6).toFixed(0)} MB: ${seconds.toFixed(0)} s, ${(cpuOf(pid) - service).toFixed(0)} s of CPU time, memory ${before.toFixed(0)} → ${most.toFixed(0)} MB`;
}

try {
  if (learners > 0) {
    await certificates();
    const results: Record<'without' | 'with', Awaited<ReturnType<typeof storm>>[]> = {
      without: [],
      with: [],
    };
    for (let round = 0; round < rounds; round++) {
      const at = round * 2 * learners;
      await call('PUT', '/course/phishing', { Certificate: null }, bootstrapKey);
      await pause(2_500);
      results.without.push(await storm(sessions.slice(at, at + learners), 0));
      await call('PUT', '/course/phishing', { Certificate: { On: 'passed', ValidFor: 'P1Y' } }, bootstrapKey);
      await pause(2_500);
      results.with.push(
        await storm(sessions.slice(at + learners, at + 2 * learners), (round + 1) * learners),
      );
    }
    for (const [name, all] of Object.entries(results))
      console.log(
        `${name} certificates: ${all.map(({ perSecond }) => perSecond.toFixed(0)).join(', ')} commits/s; CPU per commit: service ${all.map(({ service }) => service.toFixed(0)).join(', ')} µs, server ${all.map(({ server }) => server.toFixed(0)).join(', ')} µs`,
      );
    const whole = (all: typeof results.with) => median(all.map(({ service, server }) => service + server));
    console.log(
      `with / without: ${(whole(results.with) / whole(results.without)).toFixed(3)} of the CPU time`,
    );
  }
  if (rows > 0) {
    await call('POST', '/tenant', { TenantID: 'audited' }, bootstrapKey);
    const began = performance.now();
    await onDatabase(target.database?.url ?? '', async (database) => {
      for (const text of filling) await database.query(text);
    });
    console.log(`filled in ${((performance.now() - began) / 1000).toFixed(0)} s`);
    console.log(await exportPack());
  }
} finally {
  client.close();
  await target.stop();
  await cleanUp();
}
