import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/**
 * Whether the source contains the title: as a literal, a template with placeholders, or the name of a case in
 * a list.
 */
function hasTest(source: string, title: string): boolean {
  const quoted = [`'${title.replaceAll("'", "\\'")}'`, `"${title}"`, `\`${title}\``];
  if (quoted.some((text) => source.includes(text))) return true;
  return [...source.matchAll(/test\(`([^`]+)`/g)].some(([, template = '']) => {
    const parts = template.split(/\$\{[^}]*\}/).map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
    return parts.length > 1 && new RegExp(`^${parts.join('.+')}$`).test(title);
  });
}

function assertNamedTestsExist(document: string): void {
  const named = [...document.matchAll(/`([\w./-]+\.test\.ts)` ((?:"[^"]+"(?:, )?)+)/g)];
  assert.ok(named.length > 0);
  for (const [, file = '', titles = ''] of named)
    for (const [, title = ''] of titles.matchAll(/"([^"]+)"/g))
      assert.ok(hasTest(read(file), title), `${file} has no test "${title}"`);
}

test('every test named in SECURITY.md exists, and each of the ten risks has at least one', () => {
  const document = read('SECURITY.md');
  assertNamedTestsExist(document);
  for (let risk = 1; risk <= 10; risk++)
    assert.match(document, new RegExp(`^\\| API${risk} .*\\.test\\.ts\` "`, 'm'), `API${risk} has no test`);
});

test('only webhook deliveries, imports from a URL and identity providers open connections to addresses given by clients', () => {
  const opens = /\bfetch\(|from 'node:(https?|net|tls|dgram|http2)'|from 'undici'|dns/;
  const files = globSync('server/src/**/*.ts', { cwd: root }).filter(
    // The pages of a dispatch and the check of a certificate run in a browser.
    (file) => !/\.test\.ts$|test-support|dispatch\/package\/|verify-page/.test(file),
  );
  const found = files.filter((file) => opens.test(read(file).replaceAll(/import type .*/g, ''))).sort();
  // The CLI calls the service that its user specifies or that it has started, and the demo calls its own service. Emails and
  // course files go to the operator's mail server and store. The other files only handle incoming connections, or use `node:net` for
  // addresses.
  assert.deepEqual(found, [
    'server/src/cli/backup-command.ts',
    'server/src/cli/bulk-command.ts',
    'server/src/cli/demo-company.ts',
    'server/src/cli/demo.ts',
    'server/src/cli/health-command.ts',
    'server/src/domain/events/webhooks/addresses.ts',
    'server/src/domain/events/webhooks/checked-fetch.ts',
    'server/src/domain/events/webhooks/download.ts',
    'server/src/domain/events/webhooks/send.ts',
    'server/src/http/serve/serve.ts',
    'server/src/infra/context/config.ts',
    'server/src/infra/context/request-end.ts',
    'server/src/infra/mail/send.ts',
    'server/src/infra/operations/certificate.ts',
    'server/src/infra/storage/object-store.ts',
    'server/src/lib/address.ts',
  ]);
});
