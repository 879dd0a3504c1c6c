// Measures the service against the limit of its database: npm run bench -- [--quick] [--engine pglite|postgres] [--compare REV] [--citus URL,URL]
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { cleanUp } from '../server/test/support/process.ts';
import { checkOut } from './check-out.ts';
import { workersOf } from './database.ts';
import { benchEnrolments, benchUsers } from './fill.ts';
import { embeddedLimit, httpLimit, type LimitSource, serverLimit } from './limit.ts';
import { startDriver } from './load/driver.ts';
import { operations } from './operations.ts';
import { type Measured, measureRound, type Shape } from './round.ts';
import { startTarget, type Target, usersOfEach } from './service.ts';
import { printTable, type Row, summarize } from './table.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    engine: { type: 'string' },
    compare: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    operation: { type: 'string', multiple: true },
    connections: { type: 'string' },
    nodes: { type: 'string' },
    tenants: { type: 'string' },
    citus: { type: 'string' },
    autocannon: { type: 'boolean', default: false },
    out: { type: 'string' },
  },
});

function whole(name: 'rounds' | 'seconds', fallback: number, max: number): number {
  const value = Number(values[name] ?? fallback);
  if (!Number.isInteger(value) || value < 1 || value > max)
    throw new Error(`--${name} must be a whole number from 1 to ${max}.`);
  return value;
}

const list = (text: string) => text.split(',').map(Number);
const rounds = whole('rounds', values.quick ? 1 : 5, 25);
const seconds = whole('seconds', values.quick ? 1 : 2, 30);
const connections = list(values.connections ?? (values.quick ? '64' : '1,8,64'));
const nodes = list(values.nodes ?? (values.quick ? '1' : '1,2,4'));
if ([...connections, ...nodes].some((n) => !Number.isInteger(n) || n < 1 || n > 1_000))
  throw new Error('--connections and --nodes are lists of whole numbers such as 1,8,64.');
if (values.engine !== undefined && !['pglite', 'postgres'].includes(values.engine))
  throw new Error('--engine must be pglite or postgres.');
const engines = (['pglite', 'postgres'] as const).filter((engine) => (values.engine ?? engine) === engine);
const chosen = operations.filter(({ name }) => values.operation?.some((part) => name.includes(part)) ?? true);
if (chosen.length === 0)
  throw new Error(`--operation must be one of: ${operations.map(({ name }) => name).join(', ')}.`);

const say = (line: string) => console.log(`  ${line}`);
const here = join(import.meta.dirname, '..');
const spread = Number(values.tenants ?? 500);
if (!(Number.isInteger(spread) && spread >= 2 && spread <= 1_000))
  throw new Error('--tenants must be a whole number from 2 to 1000.');
const none = { tenants: 0, users: 0, enrolments: 0 };
const spreadSizes = {
  tenants: spread,
  users: benchUsers + spread * usersOfEach,
  enrolments: benchEnrolments + spread * usersOfEach,
};

const driver = startDriver();
const http = await httpLimit(driver);
const measured: Measured[] = [];

type Version = { name: string; root: string; isSpread?: boolean; coordinator?: string };

/**
 * Runs all rounds of the versions on one engine. Versions take turns within a round, so that they run under
 * the same conditions.
 */
async function measure(
  engine: 'pglite' | 'postgres',
  versions: Version[],
  shapes: Shape[],
  names: string[],
): Promise<void> {
  const max = Math.max(...shapes.map((shape) => shape.nodes));
  const targets: { target: Target; limit: LimitSource }[] = [];
  try {
    for (const { name, root, isSpread = false, coordinator } of versions) {
      const label = `${engine === 'pglite' ? 'PGlite' : 'PostgreSQL'}${versions.length > 1 ? `, ${name}` : ''}`;
      say(`${label}: starting and filling`);
      const target = await startTarget({
        name: label,
        engine,
        coordinator,
        nodes: max,
        root,
        ...(isSpread ? { sizes: spreadSizes, spread } : { sizes: none }),
        sessions: 1_500,
        say,
      });
      const ownLimit = () => (target.database ? serverLimit(target.database.url) : embeddedLimit());
      // Figures on Citus are compared with the single server, which is the first target.
      const limit = (coordinator && targets[0]?.limit) || (await ownLimit());
      targets.push({ target, limit });
    }
    for (let round = 0; round < rounds; round++)
      for (const { target, limit } of targets) {
        const figures = await measureRound({
          target,
          limit,
          http,
          driver,
          shapes,
          seconds,
          operations: chosen.filter(({ name }) => names.includes(name)),
          byAutocannon: values.autocannon,
        });
        measured.push(...figures);
        say(`${target.name}: round ${round + 1} of ${rounds}`);
      }
  } finally {
    for (const { target, limit } of targets) {
      await limit.close();
      await target.stop();
    }
  }
}

/** Compares one tenant with many whose requests take turns. */
const measureTenants = (engine: 'pglite' | 'postgres') =>
  measure(
    engine,
    [
      { name: 'one tenant', root: here },
      { name: `${spread} tenants`, root: here, isSpread: true },
    ],
    [{ nodes: 1, connections: 64, open: false }],
    every,
  );

/** Compares a single server with Citus clusters, whose coordinators are given, for one tenant and for many. */
async function measureCitus(coordinators: string[]): Promise<void> {
  const clusters: Version[] = [];
  for (const coordinator of coordinators) {
    const count = await workersOf(coordinator);
    clusters.push({ name: `Citus with ${count} worker${count === 1 ? '' : 's'}`, root: here, coordinator });
  }
  for (const isSpread of [false, true]) {
    const versions = [{ name: 'one server', root: here }, ...clusters];
    const of = isSpread ? `${spread} tenants` : 'one tenant';
    await measure(
      'postgres',
      versions.map((version) => ({ ...version, name: `${version.name}, ${of}`, isSpread })),
      closed,
      every,
    );
  }
}

const every = chosen.map(({ name }) => name);
const closed: Shape[] = connections.map((count) => ({ nodes: 1, connections: count, open: false }));
const alone: Shape[] = [...closed, { nodes: 1, connections: 256, open: true }];
const several: Shape[] = nodes.map((count) => ({ nodes: count, connections: 64, open: false }));

console.log(
  `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.version}, load average ${loadavg()[0]?.toFixed(2)}`,
);
const compared = values.compare === undefined ? null : await checkOut(values.compare, say);
const versions = [{ name: 'this version', root: here }];
if (compared) versions.push({ name: values.compare ?? '', root: compared.root });
const startedAt = new Date().toISOString();
const loadBefore = loadavg()[0];
try {
  if (values.citus !== undefined) await measureCitus(values.citus.split(','));
  else if (values.tenants !== undefined) for (const engine of engines) await measureTenants(engine);
  else {
    for (const engine of engines) await measure(engine, versions, alone, every);
    if (engines.includes('postgres') && several.some((shape) => shape.nodes > 1))
      await measure(
        'postgres',
        versions,
        several,
        every.filter((name) => /^(enrol|read enrolment|commit)$/.test(name)),
      );
    if (engines.includes('postgres') && !compared && !values.quick) await measureTenants('postgres');
  }
} finally {
  http.close();
  driver.close();
  await cleanUp();
  await compared?.remove();
}
const rows: Row[] = summarize(measured);
printTable(rows, rounds, seconds);
const out = values.out ?? join(here, 'bench/results/latest.json');
mkdirSync(dirname(out), { recursive: true });
const about = {
  startedAt,
  machine: `${cpus().length} × ${cpus()[0]?.model.trim()}`,
  node: process.version,
  loadBefore,
  rounds,
  seconds,
};
writeFileSync(out, `${JSON.stringify({ about, rows }, null, 1)}\n`);
console.log(`\nWritten to ${out}`);
if (rows.some(({ wrong }) => wrong > 0)) process.exitCode = 1;
