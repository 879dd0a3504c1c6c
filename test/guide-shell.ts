import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { valueAt } from './guide-examples.ts';

/** Replaces the reader's curl, and also writes each status to the file STATUSES. */
const curl = `#!/bin/bash
/usr/bin/curl -sS --max-time 60 -w '\\n%{stderr}status %{http_code}\\n' "$@" 2>"$STATUSES.$$"
code=$?
tee -a "$STATUSES" <"$STATUSES.$$" >&2
exit $code
`;

export type Ran = { code: number; stdout: string; stderr: string; statuses: number[] };

/** A shell in its own folder. It keeps its variables from one block of a page to the next. */
export class GuideShell {
  readonly folder = mkdtempSync(join(tmpdir(), 'lectern-guide-'));
  private variables: Record<string, string>;
  private readonly children = new Set<ChildProcess>();
  private last: unknown;

  constructor(variables: Record<string, string>) {
    const bin = join(this.folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'curl'), curl);
    chmodSync(join(bin, 'curl'), 0o755);
    const path = [bin, dirname(process.execPath), process.env.PATH].join(delimiter);
    this.variables = { HOME: this.folder, ...variables, PATH: path, STATUSES: join(this.folder, 'statuses') };
  }

  valueOf(name: string): string {
    return this.variables[name] ?? '';
  }

  save(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }

  /**
   * Fills in values as a reader would. `NAME=… # FIELD in the response` gets the field from the last
   * response. Other values with `…` are known from the start.
   */
  private fill(text: string): string {
    const known = text.replaceAll(/^(\w+)=\S*… +# the .*\n/gm, (line, name: string) => {
      return this.variables[name] ? '' : line;
    });
    return known.replaceAll(/^(\w+)=\S*… +# (\S+) in the response$/gm, (_, name: string, path: string) => {
      return `${name}='${valueAt(this.last, path)}'`;
    });
  }

  async run(text: string): Promise<Ran> {
    const { STATUSES = '' } = this.variables;
    writeFileSync(STATUSES, '');
    const after = join(this.folder, 'variables');
    const script = `set -euo pipefail; set -a\n${this.fill(text)}\nenv -0 > '${after}'`;
    const child = spawn('bash', ['-c', script], { cwd: this.folder, env: this.variables, detached: true });
    this.children.add(child);
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      stdout += part;
    });
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      stderr += part;
    });
    // Does not wait for the shell's streams, which a background process may keep open.
    const [code] = await once(child, 'exit');
    if (code === 0) this.variables = readVariables(after);
    const statuses = [...readFileSync(STATUSES, 'utf8').matchAll(/^status (\d+)$/gm)];
    this.last = lastBody(stdout) ?? this.last;
    return { code: Number(code), stdout, stderr, statuses: statuses.map(([, status]) => Number(status)) };
  }

  close(): void {
    for (const { pid } of this.children)
      try {
        if (pid) process.kill(-pid, 'SIGKILL');
      } catch {
        // The process has already exited.
      }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function readVariables(file: string): Record<string, string> {
  const entries = readFileSync(file, 'utf8').split('\0').filter(Boolean);
  return Object.fromEntries(
    entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  );
}

function lastBody(stdout: string): unknown {
  const line = stdout.trim().split('\n').at(-1) ?? '';
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
