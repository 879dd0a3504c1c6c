import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const files = globSync('server/src/**/*.ts', { cwd: root }).filter(
  (file) => !/\.test\.ts$|test-(support|database)/.test(file),
);

/** Each module may import itself and what stands to its left. */
const order = [
  'audit',
  'events',
  'webhooks',
  'auth',
  'tenants',
  'users',
  'catalogue',
  'enrolments',
  'enrolment-keys',
  'reports',
  'people',
  'player',
  'lifecycle',
];

/** Who writes which table. */
const owners: Record<string, string> = {
  stored_answer: 'platform',
  rate_window: 'platform',
  audit_entry: 'audit',
  audit_chain: 'audit',
  api_key: 'auth',
  tenant: 'tenants',
  user: 'users',
  password_failure: 'users',
  course: 'catalogue',
  enrol_option: 'catalogue',
  release: 'catalogue',
  enrolment: 'enrolments',
  launch: 'enrolments',
  attempt: 'enrolments',
  attempt_unit: 'enrolments',
  run_time_commit: 'enrolments',
  event: 'events',
  webhook: 'webhooks',
  webhook_delivery: 'webhooks',
  enrolment_key: 'enrolment-keys',
  key_guess: 'enrolment-keys',
  day_count: 'reports',
  counted_log: 'reports',
  sign_in_link: 'people',
  user_session: 'people',
  operator_session: 'people',
  sign_in_guess: 'people',
  erasure: 'people',
};

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?'(\.[^']+)'/g)].map(([, target]) =>
    relative(root, join(root, dirname(file), target ?? '')),
  );
}

const imports = new Map(files.map((file) => [file, importsOf(file)]));
const moduleOf = (file: string) => /^src\/modules\/([^/]+)\//.exec(file)?.[1] ?? null;

function every(check: (from: string, to: string) => boolean, rule: string): void {
  for (const [from, targets] of imports)
    for (const to of targets) assert.ok(check(from, to), `${from} imports ${to}: ${rule}`);
}

test('the platform knows no module', () => {
  every(
    (from, to) => !from.startsWith('server/src/platform/') || to.startsWith('server/src/platform/'),
    'platform imports platform only',
  );
});

test('standards are pure', () => {
  every((from, to) => {
    if (moduleOf(from) !== 'standards') return true;
    return moduleOf(to) === 'standards' || to === 'server/src/platform/errors.ts';
  }, 'standards import each other and platform/errors');
});

test('a module imports only what stands to its left', () => {
  every(
    (from, to) => {
      const [own, other] = [moduleOf(from), moduleOf(to)];
      if (own === null || own === 'standards' || other === null || other === 'standards') return true;
      return order.indexOf(other) <= order.indexOf(own);
    },
    `the order is ${order.join(' ← ')}`,
  );
});

test("nobody imports the process, or another module's routes", () => {
  every((from, to) => {
    const isEntry = !from.slice('src/'.length).includes('/');
    if (/^src\/(app|worker|cli|main|demo|service)\.ts$/.test(to)) return isEntry;
    return !/routes?\.ts$/.test(to) || !moduleOf(to) || isEntry || moduleOf(from) === moduleOf(to);
  }, 'app, worker, cli, main and routes are imported by the entries only');
});

test('a module writes only its own tables', () => {
  const written =
    /(?:insertInto|updateTable|deleteFrom)\('(\w+)'\)|(?:insert into|(?<!do )update|delete from) "?(\w+)"?/g;
  for (const file of files) {
    const own = moduleOf(file);
    if (own === null) continue;
    for (const [, viaKysely, viaSql] of readFileSync(join(root, file), 'utf8').matchAll(written)) {
      const owner = owners[viaKysely ?? viaSql ?? ''];
      assert.ok(
        owner === undefined || owner === own,
        `${file} writes ${viaKysely ?? viaSql}, which is of ${owner}`,
      );
    }
  }
});

test('every table has an owner', () => {
  const migrations = globSync('server/migrations/*.sql', { cwd: root }).map((file) =>
    readFileSync(join(root, file), 'utf8'),
  );
  const tables = migrations.flatMap((sql) =>
    [...sql.matchAll(/^create table "?(\w+)"?/gm)].map(([, name]) => name),
  );
  assert.deepEqual(tables.filter((name) => name !== 'setting').sort(), Object.keys(owners).sort());
});

test('only toNfc normalises text: of hostile text that takes time in the square of its length', () => {
  for (const file of files.filter((file) => file !== 'src/platform/unicode.ts'))
    assert.doesNotMatch(
      readFileSync(join(root, file), 'utf8'),
      /(?<!path)\.normalize\(/,
      `${file} must use toNfc of platform/unicode.ts`,
    );
});

test('there are no import cycles', () => {
  const done = new Set<string>();
  function visit(file: string, path: string[]): void {
    assert.ok(!path.includes(file), `import cycle: ${[...path.slice(path.indexOf(file)), file].join(' → ')}`);
    if (done.has(file)) return;
    for (const target of imports.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  }
  for (const file of files) visit(file, []);
});

test('files stay small enough to read', () => {
  for (const file of files) {
    if (file.endsWith('generated.ts')) continue;
    const lines = readFileSync(join(root, file), 'utf8').split('\n').length;
    assert.ok(lines <= 301, `${file} has ${lines} lines; split it by verb`);
  }
});
