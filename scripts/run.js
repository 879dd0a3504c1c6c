// Runs a TypeScript file of the project. This file is plain JavaScript, so that Node.js versions that are too
// old can run it and report the problem.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `Node.js ${process.versions.node} is too old. Run "npm ci" without --ignore-scripts, which installs the pinned version, or use Node.js 22.18 or newer.`,
  );
  process.exit(1);
}
const file = resolve(import.meta.dirname, `${process.argv[2]}.ts`);
process.argv.splice(1, 2, file);
await import(pathToFileURL(file).href);
