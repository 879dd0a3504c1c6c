import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const sources = globSync('{server,scorm,standards,console,player,client,bench,scripts}/**/*.{ts,tsx}', {
  cwd: root,
  exclude: ['**/node_modules/**', '**/dist/**'],
});
const isForTests = (file: string) => /\.test\.ts$|test-(support|database)|^server\/test\//.test(file);
const files = sources.filter((file) => !isForTests(file));
const serverFiles = files.filter((file) => file.startsWith('server/'));

/** Each module may import itself and the modules to its left. */
const order = [
  'audit',
  'events',
  'webhooks',
  'auth',
  'tenants',
  'mail',
  'users',
  'catalogue',
  'enrolments',
  'enrolment-keys',
  'xapi',
  'cmi5',
  'aicc',
  'reports',
  'people',
  'player',
  'sandbox',
  'lifecycle',
];

/** The module that writes each table. */
const owners: Record<string, string> = {
  stored_answer: 'platform',
  scheduled_job: 'platform',
  audit_entry: 'audit',
  audit_chain: 'audit',
  api_key: 'auth',
  tenant: 'tenants',
  branding: 'tenants',
  user: 'users',
  password_failure: 'users',
  invitation: 'users',
  password_reset: 'users',
  mail: 'mail',
  mail_queue: 'mail',
  mail_recipient: 'mail',
  course: 'catalogue',
  enrol_option: 'catalogue',
  release: 'catalogue',
  enrolment: 'enrolments',
  reminder_progress: 'enrolments',
  launch: 'enrolments',
  au_session: 'enrolments',
  attempt: 'enrolments',
  attempt_unit: 'enrolments',
  earlier_attempt: 'enrolments',
  earlier_unit: 'enrolments',
  run_time_commit: 'enrolments',
  event: 'events',
  webhook: 'webhooks',
  webhook_delivery: 'webhooks',
  enrolment_key: 'enrolment-keys',
  key_guess: 'enrolment-keys',
  statement_log: 'xapi',
  statement: 'xapi',
  statement_match: 'xapi',
  voided_statement: 'xapi',
  statement_attachment: 'xapi',
  activity_definition: 'xapi',
  xapi_document: 'xapi',
  completion_log: 'reports',
  counted_enrolment: 'reports',
  completion_line: 'reports',
  completion_day: 'reports',
  access_log: 'reports',
  counted_end: 'reports',
  access_end: 'reports',
  activity_log: 'reports',
  activity_day: 'reports',
  report_schedule: 'reports',
  report_recipient: 'reports',
  event_log: 'events',
  sign_in_link: 'people',
  user_session: 'people',
  operator_session: 'people',
  passkey: 'people',
  operator_passkey: 'people',
  sign_in_guess: 'people',
  erasure: 'people',
  erasure_enrolment: 'people',
  erasure_under_way: 'people',
};

type Import = { to: string; isType: boolean };

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  const found = text.matchAll(/(?:(import type|export type)[^;]*?|(?:from|import)\s*\(?)'(\.[^']+)'/g);
  return [...found].map(([, type, target]) => ({
    to: relative(root, join(root, dirname(file), target ?? '')),
    isType: type !== undefined,
  }));
}

const imports = new Map(files.map((file) => [file, importsOf(file)]));
const moduleOf = (file: string) => /^server\/src\/modules\/([^/]+)\//.exec(file)?.[1] ?? null;
const workspaceOf = (file: string) => file.slice(0, file.indexOf('/'));

function every(check: (from: string, to: string, isType: boolean) => boolean, rule: string): void {
  for (const [from, targets] of imports)
    for (const { to, isType } of targets)
      assert.ok(check(from, to, isType), `${from} imports ${to}: ${rule}`);
}

test('the import rules refer to existing files', () => {
  for (const workspace of ['server', 'scorm', 'standards', 'console', 'player', 'client', 'bench', 'scripts'])
    assert.ok(
      files.some((file) => workspaceOf(file) === workspace),
      workspace,
    );
  const modules = new Set(files.map(moduleOf).filter((name) => name !== null));
  assert.deepEqual([...modules].sort(), [...order].sort());
  assert.ok([...imports.values()].flat().some(({ to }) => moduleOf(to) !== null));
});

/** The other workspaces that each workspace may import. `bench` and `scripts` may import everything. */
const imported: Record<string, (to: string, isType: boolean) => boolean> = {
  server: (to) => isPure(to),
  scorm: isPure,
  standards: isPure,
  client: () => false,
  // The preview of a tenant's colour.
  console: (to, isType) => /^standards\/(contrast|logo)\.ts$/.test(to) || isContract(to, isType),
  player: (to, isType) => isPure(to) || isContract(to, isType),
};

function isPure(to: string): boolean {
  return workspaceOf(to) === 'scorm' || workspaceOf(to) === 'standards';
}

/** Browser code knows the service only through its API: it uses the types generated from openapi.json. */
function isContract(to: string, isType: boolean): boolean {
  return isType && to === 'client/src/generated.ts';
}

test('a workspace imports only itself and the workspaces it may import', () => {
  every((from, to, isType) => {
    const isAllowed = imported[workspaceOf(from)];
    return !isAllowed || workspaceOf(to) === workspaceOf(from) || isAllowed(to, isType);
  }, 'see the table in this test');
});

test('the platform imports no module', () => {
  // The platform must not depend on courses either, so it may import only one file of `standards`.
  const isAllowed = (to: string) => to.startsWith('server/src/platform/') || to === 'standards/json-shape.ts';
  every(
    (from, to) => !from.startsWith('server/src/platform/') || isAllowed(to),
    'platform imports platform only, and json-shape.ts',
  );
});

test('scorm and standards are pure: they import no Node.js modules and no packages except the XML and CSV parsers', () => {
  const pure = files.filter(isPure);
  for (const file of pure)
    for (const [, target] of readFileSync(join(root, file), 'utf8').matchAll(
      /(?:from|import)\s*\(?'([^']+)'/g,
    ))
      assert.match(target ?? '', /^\.{1,2}\/[\w./-]+\.ts$|^libxml2-wasm$|^csv-parse\/sync$/, file);
});

test('a module imports only modules to its left', () => {
  every(
    (from, to) => {
      const [own, other] = [moduleOf(from), moduleOf(to)];
      if (own === null || other === null) return true;
      return order.indexOf(other) <= order.indexOf(own);
    },
    `the order is ${order.join(' ← ')}`,
  );
});

test("no module imports the process or another module's routes", () => {
  every((from, to) => {
    if (!from.startsWith('server/src/')) return true;
    const isEntry = !from.slice('server/src/'.length).includes('/');
    if (/^server\/src\/(app|worker|cli|main|demo|service)\.ts$/.test(to)) return isEntry;
    return !/routes?\.ts$/.test(to) || !moduleOf(to) || isEntry || moduleOf(from) === moduleOf(to);
  }, 'app, worker, cli, main and routes are imported only by the entry points');
});

test('a module writes only its own tables', () => {
  const written =
    /(?:insertInto|updateTable|deleteFrom)\('(\w+)'\)|(?:insert into|(?<!do )update|delete from) "?(\w+)"?/g;
  for (const file of serverFiles) {
    const own = moduleOf(file);
    if (own === null) continue;
    for (const [, viaKysely, viaSql] of readFileSync(join(root, file), 'utf8').matchAll(written)) {
      const owner = owners[viaKysely ?? viaSql ?? ''];
      assert.ok(
        owner === undefined || owner === own,
        `${file} writes ${viaKysely ?? viaSql}, which belongs to ${owner}`,
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

test('only toNfc normalises text, because normalising hostile text takes quadratic time', () => {
  for (const file of files.filter(
    (file) => file.startsWith('server/') && file !== 'server/src/platform/unicode.ts',
  ))
    assert.doesNotMatch(
      readFileSync(join(root, file), 'utf8'),
      /(?<!path)\.normalize\(/,
      `${file} must use toNfc of platform/unicode.ts`,
    );
});

test('there are no import cycles, not even between types', () => {
  const done = new Set<string>();
  function visit(file: string, path: string[]): void {
    assert.ok(!path.includes(file), `import cycle: ${[...path.slice(path.indexOf(file)), file].join(' → ')}`);
    if (done.has(file)) return;
    for (const { to } of imports.get(file) ?? []) visit(to, [...path, file]);
    done.add(file);
  }
  for (const file of files) visit(file, []);
});

test('files are short enough to read', () => {
  for (const file of files) {
    if (file.endsWith('generated.ts')) continue;
    const lines = readFileSync(join(root, file), 'utf8').split('\n').length;
    assert.ok(lines <= 501, `${file} has ${lines} lines; split it by function`);
  }
});

test('each migration has a unique number', () => {
  for (const pattern of ['server/migrations/*.sql']) {
    const numbers = globSync(pattern, { cwd: root }).map((file) => /(\d{4})[-_][^/]*$/.exec(file)?.[1]);
    assert.deepEqual(
      numbers.filter((number, at) => numbers.indexOf(number) < at),
      [],
      pattern,
    );
  }
});
