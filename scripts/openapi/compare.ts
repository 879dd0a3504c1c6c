// Lists what clients of an earlier revision of openapi.json would lose, and fails if they would lose anything:
//   node scripts/run.js openapi/compare [v1.0.0]
// Without a revision, it compares with the commit before the latest change, and only lists.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lossesBetween, type OpenApi } from './losses.ts';

const root = join(import.meta.dirname, '../..');
const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 ** 2, stdio: 'pipe' });

const after = readFileSync(join(root, 'openapi.json'), 'utf8');
const [named] = process.argv.slice(2);

/** Null in a tarball or a shallow clone, which have no earlier commit. */
function parentCommit(): string | null {
  try {
    const parent = git('show', 'HEAD:openapi.json') === after ? 'HEAD~1' : 'HEAD';
    git('rev-parse', '--verify', parent);
    return parent;
  } catch {
    return null;
  }
}

const revision = named ?? parentCommit();
if (revision === null) {
  console.log('There is no earlier commit with which openapi.json could be compared.');
  process.exit(0);
}
const before = git('show', `${revision}:openapi.json`);
const read = (text: string): OpenApi => JSON.parse(text);
const losses = lossesBetween(read(before), read(after));
for (const loss of losses) console.log(loss);
console.log(
  `${losses.length} losses since ${revision}; ${before.length} characters before, ${after.length} now.`,
);
process.exitCode = named !== undefined && losses.length > 0 ? 1 : 0;
