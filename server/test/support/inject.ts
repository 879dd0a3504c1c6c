// Loaded into a process of the service with --import. Injects the fault named in INJECT.
import files from 'node:fs/promises';
import { ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const { INJECT = '', INJECT_PATH = '', INJECT_MILLISECONDS = '0' } = process.env;
const milliseconds = Number(INJECT_MILLISECONDS);

/** Blocks the event loop, like a slow machine or a long loop in the code. */
function stall(): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

/** Exits before it sends the response. By then, the action is already committed. */
function exitBeforeResponse(): void {
  const send = ServerResponse.prototype.writeHead;
  ServerResponse.prototype.writeHead = function (this: ServerResponse, ...args: [number]) {
    if (this.req.method === 'POST' && this.req.url?.startsWith(INJECT_PATH))
      process.kill(process.pid, 'SIGKILL');
    return send.apply(this, args);
  } as typeof send;
}

/** Exits once the folder of a release has its final name. The release is not in the database yet. */
function exitAfterRename(): void {
  const { rename } = files;
  files.rename = async (from, to) => {
    await rename(from, to);
    if (String(to).includes('packages')) process.kill(process.pid, 'SIGKILL');
  };
  syncBuiltinESMExports();
}

/** Changes the time that the process sees, as if someone or a time server had set the machine's clock. */
function moveClock(): void {
  const real = Date.now;
  Date.now = () => real() + milliseconds;
  const RealDate = Date;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args) =>
      args.length === 0 ? new target(target.now()) : Reflect.construct(target, args),
  });
}

if (isMainThread && INJECT === 'die before answer') exitBeforeResponse();
if (isMainThread && INJECT === 'die after rename') exitAfterRename();
if (isMainThread && INJECT === 'stall') process.on('SIGUSR2', stall);
if (isMainThread && INJECT === 'clock') process.on('SIGUSR2', moveClock);
