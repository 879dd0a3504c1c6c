// All checks that need only the packages, in parallel: format and lint, types, derived files, metrics, architecture.
import { spawn } from 'node:child_process';
import { ensureBuilt } from './build.ts';

const node = [process.execPath, '--disable-warning=ExperimentalWarning'];
const checks: Record<string, string[]> = {
  'format and lint': ['node_modules/.bin/biome', 'check', '--error-on-warnings', '.'],
  types: ['node_modules/.bin/tsc', '--noEmit'],
  'openapi.json': [...node, 'scripts/generate.ts', '--check'],
  'lost from openapi.json': [...node, 'scripts/openapi/compare.ts'],
  'house rules': [...node, 'scripts/house.ts'],
  architecture: [
    ...node,
    '--test',
    'test/architecture.test.ts',
    'test/documents.test.ts',
    'test/sql-forms.test.ts',
  ],
};

function check(name: string, [command = '', ...args]: string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (data: Buffer) => (output += data));
    child.stderr.on('data', (data: Buffer) => (output += data));
    child.on('close', (code) => {
      console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name}`);
      if (code !== 0 || name === 'lost from openapi.json') console.log(output.trimEnd());
      resolve(code === 0);
    });
  });
}

await ensureBuilt(['derived']);
const results = await Promise.all(Object.entries(checks).map(([name, command]) => check(name, command)));
process.exit(results.every(Boolean) ? 0 : 1);
