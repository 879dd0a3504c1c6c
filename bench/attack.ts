// Attacks a local instance of the service and prints the results:
//   npm run attack -- [--list access|load] [--only TEXT] [--engine pglite|postgres] [--bare]
// Each attack runs alongside an honest client. The run fails if an attack succeeds or the honest client has to wait.
// "Access and evidence" attacks a process without a proxy. "Load" attacks it through nginx, configured as in
// deploy/nginx.conf; with `--bare`, without.
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../scripts/build.ts';
import { startCluster } from '../scripts/postgres-cluster.ts';
import { cleanUp, type Environment } from '../server/test/support/process.ts';
import type { Attack } from './attack/attack.ts';
import { accessAndEvidence, load } from './attack/attacks.ts';
import { startHonestClient } from './attack/honest.ts';
import { sendRequest } from './attack/send-request.ts';
import { expect, honestProbes, openTarget, type Target, uniqueName } from './attack/target.ts';

const { values } = parseArgs({
  options: {
    ...{ list: { type: 'string' }, only: { type: 'string' }, engine: { type: 'string' } },
    bare: { type: 'boolean' },
  },
});
if (values.engine !== undefined && !['pglite', 'postgres'].includes(values.engine))
  throw new Error('--engine must be pglite or postgres.');
if (values.list !== undefined && !['access', 'load'].includes(values.list))
  throw new Error('--list must be access or load.');
/** The maximum p99 response time in milliseconds for honest requests during an attack. */
const maxMilliseconds = 100;
/**
 * The minimum duration of an attack. It allows enough requests that the p99 is not simply the slowest
 * request.
 */
const leastMilliseconds = 2_500;
/**
 * The first requests after start-up are slow, because they compile code. Without a warm-up, this would count
 * against the first attack.
 */
const warmUpMilliseconds = 5_000;

function megabytes(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const [, kilobytes] =
    new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

/** Resets the peak memory of a process (Linux only). */
function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function percentile(sorted: number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

type Line = Record<string, string | number>;

async function startWorld(environment: Environment, behindNginx: boolean) {
  const target = await openTarget(environment, behindNginx);
  const honest = startHonestClient(await honestProbes(target));
  honest.begin();
  await Promise.all([pause(warmUpMilliseconds), useBulkAndChanges(target)]);
  await honest.finish();
  return { target, honest };
}

/**
 * Makes the honest client's bulk calls and changes before any attack, because the first call of each kind
 * takes 0.1 s on the embedded database.
 */
async function useBulkAndChanges({ service, api, key, learner }: Target): Promise<void> {
  const headers = { 'content-type': 'application/x-ndjson' };
  for (const query of ['?Plan=true', '']) {
    const body = Array.from({ length: 400 }, () => `{"LoginID":"${uniqueName('first')}"}\n`).join('');
    expect(
      await sendRequest(`${service.baseUrl}/user/bulk${query}`, { method: 'POST', key, headers, body }),
      200,
    );
  }
  const { loginId, enrollId } = await learner();
  const change = () =>
    api('PUT', `/enrolment/${loginId}/${enrollId}`, { Reference: uniqueName('order') }, key);
  for (let n = 0; n < 5; n++)
    for (const reply of await Promise.all(Array.from({ length: 20 }, change))) expect(reply, 200);
}

async function measure(
  list: string,
  target: Target,
  attack: Attack,
  honest: ReturnType<typeof startHonestClient>,
): Promise<[Line, boolean]> {
  const pid = target.service.child.pid as number;
  const before = megabytes(pid, 'VmRSS');
  forgetPeak(pid);
  honest.begin();
  const begun = performance.now();
  const { withstood, detail } = await attack.run(target).catch((error: unknown) => ({
    withstood: false,
    detail: `the attack failed with an error:  ${error instanceof Error ? error.message : String(error)}`,
  }));
  await pause(Math.max(0, leastMilliseconds - (performance.now() - begun)));
  const { waits, wrong } = await honest.finish();
  const sorted = waits.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  const p99 = Math.round(percentile(sorted, 0.99));
  const isAlive = target.service.child.exitCode === null && target.service.child.signalCode === null;
  const isFine = withstood && isAlive && wrong.length === 0 && p99 <= maxMilliseconds;
  const notes = [
    detail,
    isAlive ? '' : 'THE SERVICE DIED',
    wrong.length > 0 ? `honest: ${wrong[0]} (${wrong.length} wrong)` : '',
  ];
  return [
    {
      list,
      attempt: attack.name,
      outcome: isFine ? 'withstood' : 'FAILED   ',
      'p99 ms': p99,
      'longest ms': Math.round(sorted.at(-1) ?? Number.NaN),
      'MB before': before,
      'MB peak': isAlive ? megabytes(pid, 'VmHWM') : Number.NaN,
      'MB after': isAlive ? megabytes(pid, 'VmRSS') : Number.NaN,
      seen: notes.filter(Boolean).join('; ').slice(0, 120),
    },
    isFine,
  ];
}

/** A process without a proxy speaks HTTP/2 only with TLS. */
const only = (attacks: readonly Attack[]) =>
  attacks.filter(
    ({ name }) => name.includes(values.only ?? '') && !(values.bare && name.startsWith('HTTP/2')),
  );
const lists = [
  { list: 'access', attacks: only(accessAndEvidence), behindNginx: false },
  { list: 'load', attacks: only(load), behindNginx: !values.bare },
].filter(({ list, attacks }) => attacks.length > 0 && list === (values.list ?? list));
if (lists.length === 0) throw new Error('No attack has a name that contains the text given with --only.');
await ensureBuilt();
const begun = performance.now();
const cluster = values.engine === 'postgres' ? await startCluster() : null;
const lines: Line[] = [];
let failed = 0;
try {
  const environment = cluster ? { DATABASE_URL: cluster.url } : {};
  for (const { list, attacks, behindNginx } of lists) {
    let { target, honest } = await startWorld(environment, behindNginx);
    for (const attack of attacks) {
      const [line, isFine] = await measure(list, target, attack, honest);
      lines.push(line);
      if (!isFine) failed++;
      console.log(`  ${isFine ? 'withstood' : 'FAILED   '} ${attack.name}`);
      if (target.service.child.exitCode !== null || target.service.child.signalCode !== null) {
        honest.close();
        ({ target, honest } = await startWorld(environment, behindNginx));
      }
    }
    honest.close();
  }
} finally {
  await cleanUp();
  await cluster?.remove();
}
console.table(lines);
console.log(
  `${lines.length - failed} of ${lines.length} attacks withstood, in ${Math.round((performance.now() - begun) / 1000)} s.`,
);
process.exit(failed > 0 ? 1 : 0);
