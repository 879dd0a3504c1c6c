import { open, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';

const readBytes = 64 * 1024;
/** How far the client may be ahead before it has to wait. */
const mostAhead = 1024 ** 3;

/**
 * Takes a stream as fast as it comes, by way of a file. Many clients read no answer before they have sent everything:
 * with their input and our output both waiting for the other, neither would ever go on.
 */
export async function* spool(path: string, input: Readable): AsyncGenerator<Buffer, void> {
  const file = await open(path, 'wx+');
  let written = 0;
  let read = 0;
  let ended = false;
  let stopped = false;
  let failure: unknown = null;
  let wakeReader = () => {};
  let wakeWriter = () => {};
  const writing = (async () => {
    try {
      for await (const chunk of input as AsyncIterable<Buffer>) {
        if (stopped) continue;
        await file.write(chunk, 0, chunk.length, written);
        written += chunk.length;
        wakeReader();
        while (written - read > mostAhead && !stopped)
          await new Promise<void>((resolve) => {
            wakeWriter = resolve;
          });
      }
    } catch (error) {
      failure = error ?? new Error('The client stopped sending.');
    }
    ended = true;
    wakeReader();
  })();
  try {
    for (;;) {
      if (read < written) {
        const bytes = Math.min(readBytes, written - read);
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(bytes), 0, bytes, read);
        read += bytesRead;
        wakeWriter();
        yield buffer.subarray(0, bytesRead);
      } else if (failure) throw failure;
      else if (ended) return;
      else
        await new Promise<void>((resolve) => {
          wakeReader = resolve;
        });
    }
  } finally {
    stopped = true;
    wakeWriter();
    await writing;
    await file.close();
    await rm(path, { force: true });
  }
}
