import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const sources = globSync(
  '{server,certificates,scorm,standards,console,player,client,bench,scripts}/**/*.{ts,tsx}',
  {
    cwd: root,
    exclude: ['**/node_modules/**', '**/dist/**'],
  },
);
const isForTests = (file: string) => /\.test\.ts$|test-(support|database)|^server\/test\//.test(file);
const files = sources.filter((file) => !isForTests(file));
const serverFiles = files.filter((file) => file.startsWith('server/'));

/** The layers of the service. Each may import itself and the layers to its left. */
const layers = ['lib', 'db', 'infra', 'http', 'domain', 'app', 'cli'];

/** The rooms of the domain. Each may import itself and the rooms to its left. */
const order = [
  'audit',
  'events',
  'identity',
  'tenants',
  'mail',
  'users',
  'catalogue',
  'enrolments',
  'enrolment-keys',
  'completions',
  'certificates',
  'requirements',
  'reminders',
  'imports',
  'lrs',
  'reports',
  'paths',
  'sign-in',
  'delivery',
  'verification',
  'wallets',
  'evidence',
  'lti',
  'tools',
  'scores',
  'dispatch',
  'sandbox',
  'provisioning',
  'privacy',
];

/** The module that writes each table. */
const owners: Record<string, string> = {
  stored_answer: 'infra',
  scheduled_job: 'infra',
  release_file: 'infra',
  storage_orphan: 'infra',
  audit_entry: 'audit',
  audit_chain: 'audit',
  api_key: 'identity',
  tenant_key: 'identity',
  tenant: 'tenants',
  branding: 'tenants',
  user: 'users',
  password_failure: 'users',
  user_group: 'users',
  enrolment_group: 'enrolments',
  invitation: 'users',
  password_reset: 'users',
  mail: 'mail',
  mail_queue: 'mail',
  mail_recipient: 'mail',
  course: 'catalogue',
  enrol_option: 'catalogue',
  release: 'catalogue',
  package_import: 'catalogue',
  enrolment: 'enrolments',
  launch: 'enrolments',
  au_session: 'enrolments',
  attempt: 'enrolments',
  attempt_unit: 'enrolments',
  earlier_attempt: 'enrolments',
  earlier_unit: 'enrolments',
  run_time_commit: 'enrolments',
  event: 'events',
  webhook: 'events',
  webhook_delivery: 'events',
  enrolment_key: 'enrolment-keys',
  key_guess: 'enrolment-keys',
  certificate: 'certificates',
  certificate_log: 'certificates',
  certificate_image: 'certificates',
  certificate_template: 'certificates',
  wallet_offer: 'wallets',
  external_completion: 'completions',
  requirement: 'requirements',
  requirement_log: 'requirements',
  path_log: 'paths',
  obligation: 'requirements',
  obligation_count: 'requirements',
  reminder: 'reminders',
  reminder_log: 'reminders',
  reminder_text: 'reminders',
  import: 'imports',
  import_row: 'imports',
  statement_log: 'lrs',
  statement: 'lrs',
  statement_match: 'lrs',
  voided_statement: 'lrs',
  statement_attachment: 'lrs',
  activity_definition: 'lrs',
  xapi_document: 'lrs',
  completion_log: 'reports',
  counted_enrolment: 'reports',
  completion_line: 'reports',
  completion_day: 'reports',
  access_log: 'reports',
  counted_end: 'reports',
  access_end: 'reports',
  activity_log: 'reports',
  activity_day: 'reports',
  tenant_usage: 'reports',
  report_schedule: 'reports',
  report_recipient: 'reports',
  event_log: 'events',
  sign_in_link: 'sign-in',
  user_session: 'sign-in',
  operator_session: 'sign-in',
  passkey: 'sign-in',
  identity_provider: 'sign-in',
  provisioning: 'provisioning',
  provisioning_log: 'provisioning',
  scim_user: 'provisioning',
  scim_group: 'provisioning',
  user_identity: 'sign-in',
  operator_passkey: 'sign-in',
  sign_in_guess: 'sign-in',
  lti_platform: 'lti',
  lti_deployment: 'lti',
  lti_nonce: 'lti',
  lti_launch: 'lti',
  lti_context: 'lti',
  lti_member: 'lti',
  lti_link: 'lti',
  lti_score: 'scores',
  lti_tool: 'tools',
  dispatch: 'dispatch',
  dispatch_learner: 'dispatch',
  retained_record: 'evidence',
  legal_hold: 'privacy',
  erasure: 'privacy',
  erasure_enrolment: 'privacy',
  erasure_under_way: 'privacy',
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
const moduleOf = (file: string) => /^server\/src\/domain\/([^/]+)\//.exec(file)?.[1] ?? null;
const layerOf = (file: string) => /^server\/src\/([^/]+)\//.exec(file)?.[1] ?? null;
const workspaceOf = (file: string) => file.slice(0, file.indexOf('/'));

function every(check: (from: string, to: string, isType: boolean) => boolean, rule: string): void {
  for (const [from, targets] of imports)
    for (const { to, isType } of targets)
      assert.ok(check(from, to, isType), `${from} imports ${to}: ${rule}`);
}

test('the import rules refer to existing files', () => {
  for (const workspace of [
    'server',
    'certificates',
    'scorm',
    'standards',
    'console',
    'player',
    'client',
    'bench',
    'scripts',
  ])
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
  // The service loads the built workspace when it draws a certificate.
  server: (to, isType) => isPure(to) || (isType && to === 'certificates/src/types.ts'),
  certificates: isPure,
  scorm: isPure,
  standards: isPure,
  client: () => false,
  // The preview of a tenant's colour, names as on certificates, and the player's link to LinkedIn.
  console: (to, isType) =>
    /^standards\/(contrast|full-name|linked-in|logo)\.ts$/.test(to) || isContract(to, isType),
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

test('a layer of the service imports only layers to its left', () => {
  assert.deepEqual([...new Set(serverFiles.map(layerOf))].sort(), [...layers].sort());
  every(
    (from, to) => {
      const [own, other] = [layerOf(from), layerOf(to)];
      return own === null || other === null || layers.indexOf(other) <= layers.indexOf(own);
    },
    `the order is ${layers.join(' ← ')}`,
  );
  // What is independent of courses may import only one file of `standards`.
  every(
    (from, to) =>
      !/^server\/src\/(lib|db|infra|http)\//.test(from) ||
      to.startsWith('server/src/') ||
      to === 'standards/json-shape.ts',
    'only json-shape.ts of standards',
  );
});

test('no two folders of the service import each other', () => {
  const edges = new Set<string>();
  for (const [from, targets] of imports)
    for (const { to } of targets)
      if (from.startsWith('server/src/') && to.startsWith('server/src/') && dirname(from) !== dirname(to))
        edges.add(`${dirname(from)} → ${dirname(to)}`);
  const mutual = [...edges].filter((edge) => edges.has(edge.split(' → ').reverse().join(' → ')));
  assert.deepEqual(mutual, []);
});

test('scorm and standards are pure: they import no Node.js modules and no packages except the XML and CSV parsers', () => {
  const pure = files.filter(isPure);
  for (const file of pure)
    for (const [, target] of readFileSync(join(root, file), 'utf8').matchAll(
      /(?:from|import)\s*\(?'([^']+)'/g,
    ))
      assert.match(target ?? '', /^\.{1,2}\/[\w./-]+\.ts$|^libxml2-wasm$|^csv-parse\/sync$/, file);
});

test('a room of the domain imports only rooms to its left', () => {
  every(
    (from, to) => {
      const [own, other] = [moduleOf(from), moduleOf(to)];
      if (own === null || other === null) return true;
      return order.indexOf(other) <= order.indexOf(own);
    },
    `the order is ${order.join(' ← ')}`,
  );
});

test('only the app imports routes, and a room those of its own', () => {
  every((from, to) => {
    if (!moduleOf(to) || !/routes?\.ts$/.test(to)) return true;
    return layerOf(from) === 'app' || moduleOf(from) === moduleOf(to);
  }, 'the lists of routes are in app/');
});

test('a module writes only its own tables', () => {
  const written =
    /(?:insertInto\(|updateTable\(|deleteFrom\(|(?:updateOwn|deleteOwn)\(ctx, )'(\w+)'|(?:insert into|(?<!do )update|delete from) "?(\w+)"?/g;
  for (const file of serverFiles) {
    const own = moduleOf(file) ?? layerOf(file);
    if (own === null || own === 'db' || own === 'app' || own === 'cli') continue;
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
    (file) => file.startsWith('server/') && file !== 'server/src/lib/unicode.ts',
  ))
    assert.doesNotMatch(
      readFileSync(join(root, file), 'utf8'),
      /(?<!path)\.normalize\(/,
      `${file} must use toNfc of lib/unicode.ts`,
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
