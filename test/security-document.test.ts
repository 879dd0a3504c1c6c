import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** A title in the source: as it is, as a template with holes, or as the text that names a case of a list. */
function isTitled(source: string, title: string): boolean {
  const quoted = [`'${title.replaceAll("'", "\\'")}'`, `"${title}"`, `\`${title}\``];
  if (quoted.some((text) => source.includes(text))) return true;
  return [...source.matchAll(/test\(`([^`]+)`/g)].some(([, template = '']) => {
    const parts = template.split(/\$\{[^}]*\}/).map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
    return parts.length > 1 && new RegExp(`^${parts.join('.+')}$`).test(title);
  });
}

test('every test that SECURITY.md names exists, and each of the ten risks has one', () => {
  const document = read('SECURITY.md');
  const named = [...document.matchAll(/`([\w./-]+\.test\.ts)` ((?:"[^"]+"(?:, )?)+)/g)];
  for (const [, file = '', titles = ''] of named)
    for (const [, title = ''] of titles.matchAll(/"([^"]+)"/g))
      assert.ok(isTitled(read(file), title), `${file} has no test "${title}"`);
  for (let risk = 1; risk <= 10; risk++)
    assert.match(document, new RegExp(`^\\| API${risk} .*\\.test\\.ts\` "`, 'm'), `API${risk} is not proved`);
});

test('no code but the delivery of webhooks opens a connection to an address of a client', () => {
  const opens = /\bfetch\(|from 'node:(https?|net|tls|dgram|http2)'|from 'undici'|dns/;
  const files = globSync('src/**/*.ts', { cwd: root }).filter(
    (file) => !/\.test\.ts$|test-support/.test(file),
  );
  const found = files.filter((file) => opens.test(read(file).replaceAll(/import type .*/g, ''))).sort();
  // The command line talks to a service that its user names, the demonstration to its own; the configuration and the answers to broken HTTP only name addresses.
  assert.deepEqual(found, [
    'src/bulk-command.ts',
    'src/demo.ts',
    'src/modules/webhooks/addresses.ts',
    'src/modules/webhooks/send.ts',
    'src/platform/client-errors.ts',
    'src/platform/config.ts',
  ]);
});
