#!/usr/bin/env node
// Runs the command on the Node.js that the project pins, whichever one started this file.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const node = join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin', 'node');
const cli = join(import.meta.dirname ?? dirname(new URL(import.meta.url).pathname), '..', 'src', 'cli.ts');
const child = spawn(node, ['--disable-warning=ExperimentalWarning', cli, ...process.argv.slice(2)], {
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 1));
