import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob, relative } from 'node:path';
import { test } from 'node:test';

// Checks that everything in code font in a document exists: files, folders, npm scripts, and names in the code and the
// API.

const root = join(import.meta.dirname, '..');
const exclude = ['**/node_modules/**', '**/dist/**'];
const read = (file: string) => readFileSync(join(root, file), 'utf8');

const files = globSync('**/*', { cwd: root, exclude, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(root, join(entry.parentPath, entry.name)));
const folders = new Set(files.flatMap(foldersOf));
const documents = files.filter((file) => file.endsWith('.md'));

const isSource = (file: string) =>
  /\.(tsx?|js|sql|json|yml|css|html|njk|conf)$|\/(Dockerfile|Caddyfile)$/.test(file) &&
  file !== 'package-lock.json';
const isThis = (file: string) => file === relative(root, import.meta.filename);
const words = new Set(
  files
    .filter((file) => isSource(file) && !isThis(file))
    .flatMap((file) => read(file).match(/[A-Za-z_]\w*/g) ?? []),
);

function foldersOf(file: string): string[] {
  const parts = file.split('/').slice(0, -1);
  return parts.map((_, at) => `${parts.slice(0, at + 1).join('/')}/`);
}

/**
 * Each name in code font, and the names in the tree in ARCHITECTURE.md. Other examples have their own tests.
 */
function namesIn(document: string): string[] {
  const parts = read(document).split(/^```.*$/m);
  const text = parts.filter((_, at) => at % 2 === 0).join('');
  const trees = document === 'ARCHITECTURE.md' ? parts.filter((_, at) => at % 2 === 1) : [];
  const entries = trees.join('').matchAll(/^ *(\S+(?: \S+)*)/gm);
  return [...text.matchAll(/`([^`\n]+)`/g), ...entries].flatMap(([, name = '']) => name.split(/[ ,]+/));
}

/** The unknown names of a given form in all documents, each with the document that contains it. */
function unknown(form: RegExp, isKnown: (name: string, document: string) => boolean): string[] {
  return documents.flatMap((document) =>
    namesIn(document)
      .filter((name) => form.test(name) && !isKnown(name, document))
      .map((name) => `${document}: ${name}`),
  );
}

/** Most names are no patterns, and compiling each as one for each file took 20 s. */
const anywhere = (known: Iterable<string>, name: string) =>
  [...known].some(
    /[*{]/.test(name)
      ? (one) => matchesGlob(one, name) || matchesGlob(one, `**/${name}`)
      : (one) => `/${one}`.endsWith(name.startsWith('/') ? name : `/${name}`),
  );

/** Names of files that are not in the repository: files on a server, addresses, built files and examples. */
const written =
  /^(DATA_DIR\/.*|dist\/.*|signing-keys\.json|jwks\.json|backup\.json|\/openapi-console\.json|server\/migrations\/NNNN_what\.sql|\/issuer\/\{TenantID\}\/\w+\.json)$/;

test('each file named in a document exists', () => {
  const form = /^[\w@.*{}/-]+\.(tsx?|js|sql|md|json|yml|css|sh|html|njk|service|conf)$/;
  const isKnown = (name: string, document: string) =>
    written.test(name) || existsSync(join(root, dirname(document), name)) || anywhere(files, name);
  assert.deepEqual(unknown(form, isKnown), []);
});

test('each folder named in a document exists', () => {
  const isKnown = (name: string) => written.test(name) || anywhere(folders, name);
  assert.deepEqual(unknown(/^[\w{}.-]+(\/[\w{}.-]+)*\/$/, isKnown), []);
});

/** Names from PostgreSQL, PgBouncer, Node.js, Postmark and a server used for measurements. */
const foreign = [
  'HardBounce',
  'archive_timeout',
  'insecureHTTPParser',
  'max_prepared_statements',
  'pg_monitor',
  'pg_upgrade',
  'synchronous_standby_names',
  'uWebSockets',
];

test('each function, type, table, field, code and setting named in a document exists', () => {
  const forms = [
    '[a-z]+[a-z0-9]*[A-Z]\\w*',
    '[A-Z][a-z]+([A-Z][a-z]*)+',
    '[a-z]+(_[a-z0-9]+)+',
    '[A-Z]+(_[A-Z0-9]+)+',
  ];
  const isKnown = (name: string) => {
    const [word = ''] = name.split('(');
    return words.has(word) || foreign.includes(word);
  };
  assert.deepEqual(unknown(new RegExp(`^(${forms.join('|')})(\\(.*)?$`), isKnown), []);
});

test('each npm script named in a document exists', () => {
  const { scripts } = JSON.parse(read('package.json'));
  for (const document of documents)
    for (const [, name = ''] of read(document).matchAll(/npm run (?:-s )?([\w:-]+)/g))
      assert.ok(Object.hasOwn(scripts, name), `${document}: npm run ${name}`);
});

test('each relative link in a document leads to a file', () => {
  for (const document of documents)
    for (const [, target = ''] of read(document).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g))
      if (!/^(\/|[a-z]+:)/.test(target))
        assert.ok(existsSync(join(root, dirname(document), target)), `${document}: ${target}`);
});

test('the check finds names in code font', () => {
  const names = documents.flatMap(namesIn);
  for (const name of ['server/test/routes.test.ts', 'databaseFunction', 'RATE_LIMIT'])
    assert.ok(names.includes(name), name);
});
