import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A request that an honest client repeats. */
export type Probe = { name: string; address: string; key?: string; expected: number };
export type Order = { kind: 'probes'; probes: Probe[] } | { kind: 'begin' } | { kind: 'finish' };
export type Report = { waits: { name: string; milliseconds: number }[]; wrong: string[] };

export type HonestClient = {
  begin: () => void;
  finish: () => Promise<Report>;
  close: () => void;
};

/**
 * Starts the honest client in its own process, so that only the service can slow it down and not the attack.
 */
export function startHonestClient(probes: Probe[]): HonestClient {
  const child = fork(join(import.meta.dirname, 'honest-process.ts'), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const order = (what: Order) => child.send(what);
  order({ kind: 'probes', probes });
  return {
    begin: () => order({ kind: 'begin' }),
    finish: async () => {
      const answered = once(child, 'message');
      order({ kind: 'finish' });
      const [report] = (await answered) as [Report];
      return report;
    },
    close: () => child.disconnect(),
  };
}
