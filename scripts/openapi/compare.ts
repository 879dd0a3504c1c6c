// Compares openapi.json with an earlier revision, such as the last release, and lists what that revision's
// clients would lose.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lossesBetween, type OpenApi } from './losses.ts';

const root = join(import.meta.dirname, '../..');
const [revision] = process.argv.slice(2);
if (revision === undefined) {
  console.error('Name the revision to compare with: npm run openapi:compare -- v1.0.0');
  process.exit(2);
}
const before = execFileSync('git', ['show', `${revision}:openapi.json`], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 ** 2,
});
const after = readFileSync(join(root, 'openapi.json'), 'utf8');
const read = (text: string): OpenApi => JSON.parse(text);
const losses = lossesBetween(read(before), read(after));
for (const loss of losses) console.log(loss);
console.log(
  `${losses.length} losses since ${revision}; ${before.length} characters before, ${after.length} now.`,
);
process.exitCode = losses.length > 0 ? 1 : 0;
