import inspector from 'node:inspector';
import { Worker } from 'node:worker_threads';
import type { Log } from '../../lib/log.ts';

/** Far longer than anything that the service does in one turn of its event loop. */
const maxSeconds = 30;

/**
 * The watchdog counts seconds itself instead of reading the clock, because suspending the machine stops both
 * threads but not the clock. It writes the log line itself, because the main thread hangs. It ends the
 * process even if nothing reads the output.
 */
const source = `
const { write } = require('node:fs');
const { parentPort, workerData: max } = require('node:worker_threads');
let seconds = 0;
parentPort.on('message', () => { seconds = 0; });
const counting = setInterval(() => {
  if (++seconds <= max) return;
  clearInterval(counting);
  const msg = 'the event loop has been blocked for ' + max + ' s; the process exits so that it can be restarted';
  write(1, JSON.stringify({ level: 'fatal', time: new Date().toISOString(), msg }) + '\\n', () => {});
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), 500);
}, 1_000);`;

/**
 * Ends the process if its event loop is blocked for 30 s. A process in an endless loop would never
 * respond, but would look healthy to its supervisor. Ending it is always safe, because acknowledged
 * writes are already stored.
 */
export function startWatchdog(log: Pick<Log, 'error'>, seconds = maxSeconds): { stop: () => void } {
  const worker = new Worker(source, { eval: true, execArgv: [], workerData: seconds });
  worker.on('error', (error) => log.error({ err: error }, 'the event-loop watchdog has failed'));
  worker.unref();
  const sign = setInterval(() => worker.postMessage(null), 500);
  sign.unref();
  // Do not watch a process under a debugger, because a breakpoint also blocks the event loop.
  if (inspector.url() !== undefined) void worker.terminate();
  return {
    stop: () => {
      clearInterval(sign);
      void worker.terminate();
    },
  };
}
