import type { Readable } from 'node:stream';

/**
 * Processing a chunk of one byte costs more than processing a thousand bytes in one chunk. No
 * program that writes rows or JSON sends this many chunks that are this small.
 */
const maxTiny = { chunks: 200, bytesPerChunk: 16 };

/**
 * Joins the chunks of a body that arrived together, as if the sender had not divided them, and calls
 * `onFlood` if there are too many tiny chunks. Must be called before the first chunk arrives.
 */
export function joinTinyChunks(body: Readable, onFlood: () => void): void {
  const push = body.push.bind(body);
  let waiting: Buffer[] = [];
  let bytesWaiting = 0;
  let chunks = 0;
  let bytes = 0;
  let isFlood = false;
  const flush = () => {
    const [first, ...others] = waiting;
    if (!first) return;
    const joined = others.length === 0 ? first : Buffer.concat(waiting);
    waiting = [];
    bytesWaiting = 0;
    push(joined);
  };
  body.push = (chunk: Buffer | null) => {
    if (chunk === null) {
      flush();
      return push(null);
    }
    // Ignore chunks that arrived together with the last chunk of the flood.
    if (isFlood) return false;
    chunks++;
    bytes += chunk.length;
    isFlood = chunks > maxTiny.chunks && bytes < chunks * maxTiny.bytesPerChunk;
    if (isFlood) {
      onFlood();
      return false;
    }
    if (waiting.push(chunk) === 1) queueMicrotask(flush);
    bytesWaiting += chunk.length;
    return body.readableLength + bytesWaiting < body.readableHighWaterMark;
  };
}
