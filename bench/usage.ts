import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Linux: seconds of CPU time that a process has used, including all of its threads. */
export function cpuOf(pid: number): number {
  const fields = statOf(String(pid));
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Linux: resident memory in MB. */
export function memoryOf(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

function statOf(pid: string): string[] {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
}

/**
 * Linux: seconds of CPU time that the PostgreSQL servers with these data directories have used: each postmaster
 * with all current and former child processes.
 */
export function serversCpu(folders: readonly string[]): number {
  const postmasters = new Set(
    folders.map((folder) => readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0] ?? ''),
  );
  let sum = 0;
  for (const postmaster of postmasters) {
    const ofEnded = statOf(postmaster);
    sum += (Number(ofEnded[13]) + Number(ofEnded[14])) / 100;
  }
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      if (postmasters.has(pid) || postmasters.has(statOf(pid)[1] ?? '')) sum += cpuOf(Number(pid));
    } catch {
      // The process has ended.
    }
  return sum;
}
