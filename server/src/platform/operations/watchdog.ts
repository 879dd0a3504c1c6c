import inspector from 'node:inspector';
import { Worker } from 'node:worker_threads';
import type { Log } from './log.ts';

/** Far longer than anything that the service does in one turn of its event loop. */
const maxSeconds = 30;

/**
 * Counts its own seconds, not those of the clock, because a suspended machine stops both threads. Writes the line itself,
 * because the thread that usually does is the one that hangs. The process is killed even if nothing reads its output.
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
 * Ends the process if its event loop is blocked for 30 s. Otherwise a process in an endless loop would never respond
 * again, but would look healthy to its supervisor. Ending it is safe at any moment, because acknowledged writes are
 * already stored.
 */
export function startWatchdog(log: Pick<Log, 'error'>, seconds = maxSeconds): { stop: () => void } {
  const worker = new Worker(source, { eval: true, execArgv: [], workerData: seconds });
  worker.on('error', (error) => log.error({ err: error }, 'the event-loop watchdog has failed'));
  worker.unref();
  const sign = setInterval(() => worker.postMessage(null), 500);
  sign.unref();
  // A debugger at a breakpoint blocks the event loop, too.
  if (inspector.url() !== undefined) void worker.terminate();
  return {
    stop: () => {
      clearInterval(sign);
      void worker.terminate();
    },
  };
}
