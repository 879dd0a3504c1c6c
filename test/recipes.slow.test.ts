import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';

// Follows docs/recipes.md as a newcomer would: applies a recipe's changes to a copy, generates, and runs its tests.

const root = join(import.meta.dirname, '..');
const recipes = readFileSync(join(root, 'docs/recipes.md'), 'utf8')
  .split(/^## /m)
  .slice(1)
  .map((text) => ({
    title: text.slice(0, text.indexOf('\n')),
    changes: [...text.matchAll(/```diff\n(.*?)```/gs)].map(([, diff = '']) => diff),
  }))
  .filter(({ changes }) => changes.length > 0);

/** `git apply` counts the lines of a change itself if each file has a header. */
const withHeaders = (change: string) =>
  change.replaceAll(/^--- (\S+)\n\+\+\+ b\/(\S+)/gm, (lines, from, file) => {
    const made = from === '/dev/null' ? 'new file mode 100644\n' : '';
    return `diff --git a/${file} b/${file}\n${made}${lines}`;
  });

describe('recipes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-recipes-'));
  after(() => rmSync(folder, { recursive: true }));

  test('there are recipes with changes', () => {
    assert.ok(recipes.length >= 2);
  });

  for (const { title, changes } of recipes)
    test(title, () => {
      const copy = join(folder, title.replaceAll(' ', '-'));
      const inherited = Object.entries(process.env).filter(([name]) => !/^(TEST_|NODE_TEST_)/.test(name));
      const env = Object.fromEntries(inherited);
      const run = (command: string, args: string[], input = '') =>
        execFileSync(command, args, {
          cwd: copy,
          env,
          input,
          encoding: 'utf8',
          stdio: ['pipe', 'pipe', 'inherit'],
        });
      execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, copy]);
      for (const path of ['node_modules', 'client/node_modules'])
        symlinkSync(join(root, path), join(copy, path));
      for (const change of changes) run('git', ['apply', '--recount', '-C1', '-'], withHeaders(change));
      run('npm', ['run', 'generate']);
      run('npx', ['tsc', '--noEmit']);
      run('npx', ['biome', 'check', '--write', 'server/src/domain/enrolments']);
      const tests = changes.join('').matchAll(/\+\+\+ b\/(\S+\.test\.ts)/g);
      run('npm', ['test', '--', ...[...tests].map(([, file = '']) => file)]);
      const files = run('git', ['status', '--porcelain', '-uall']).trim().split('\n');
      assert.ok(files.length <= 8, files.join('\n'));
    });
});
