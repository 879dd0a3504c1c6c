import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

/** Properties for a physical side, which ignore the text direction. Use `start` and `end` instead. */
const physical = {
  css: [
    /(?:^|[\s;{])(?:margin|padding|border|inset|scroll-margin|scroll-padding)-(?:left|right)[\w-]*\s*:/,
    /(?:^|[\s;{])border-(?:top|bottom)-(?:left|right)-radius\s*:/,
    /(?:^|[\s;{])(?:left|right)\s*:/,
    /\b(?:text-align|float|clear)\s*:\s*(?:left|right)\b/,
    // Shorthands with four values whose left and right values differ.
    /\b(?:margin|padding|inset|border-width)\s*:\s*\S+ (\S+) \S+ (?!\1[;\s])\S+\s*;/,
  ],
  tsx: [
    /\s(?:ml|mr|pl|pr|left|right)=["{]/,
    /\sta=\{?["'](?:left|right)/,
    /\b(?:margin|padding|border|inset)(?:Left|Right)\w*:/,
    /\btextAlign:\s*['"](?:left|right)/,
  ],
};

const sidesIn = (kind: keyof typeof physical, text: string) =>
  physical[kind].flatMap((pattern) => pattern.exec(text)?.[0].trim() ?? []);

test('the check detects styles that use left or right', () => {
  for (const text of [
    'a{margin-left: 0}',
    '.b {\n  right: 1rem;\n}',
    'p { text-align: right; }',
    'p { padding: 0 1px 0 2px; }',
    'p { border-top-left-radius: 1px }',
  ])
    assert.equal(sidesIn('css', text).length, 1, text);
  for (const text of ['<Box ml="md">', '<Text ta="left">', 'style={{ marginRight: 2 }}', '<A pr={4}>'])
    assert.equal(sidesIn('tsx', text).length, 1, text);
  assert.deepEqual(sidesIn('css', 'a { margin: 0 1px 0 1px; inset-inline-start: 0; text-align: end }'), []);
  assert.deepEqual(sidesIn('tsx', '<Group ms="md" ta="end" left-section>'), []);
});

test('no style in the console uses left or right', () => {
  for (const kind of ['css', 'tsx'] as const) {
    const files = globSync(`**/*.${kind}`, {
      cwd: import.meta.dirname,
      exclude: (name) => String(name).startsWith('dist'),
    });
    assert.ok(files.length > 4, `only ${files.length} files were checked`);
    for (const file of files)
      assert.deepEqual(sidesIn(kind, readFileSync(join(import.meta.dirname, file), 'utf8')), [], file);
  }
});
