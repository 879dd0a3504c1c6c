#!/usr/bin/env node
// Runs the command on the Node.js that the project pins, whichever one started this file.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const node = join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin', 'node');
const here = dirname(fileURLToPath(import.meta.url));
const flags = [
  '--disable-warning=ExperimentalWarning',
  '--import',
  pathToFileURL(join(here, '../src/preload.ts')).href,
];
const child = spawn(node, [...flags, join(here, '..', 'src', 'cli.ts'), ...process.argv.slice(2)], {
  stdio: 'inherit',
});
process.on('SIGTERM', () => child.kill('SIGTERM'));
// A terminal has sent it to both already, and a second one ends the service at once.
const isTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
process.on('SIGINT', () => isTerminal || child.kill('SIGINT'));
child.on('exit', (code) => process.exit(code ?? 1));
