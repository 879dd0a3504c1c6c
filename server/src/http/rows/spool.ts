import { open, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';

const readBytes = 64 * 1024;

export type Spool = {
  path: string;
  /**
   * The maximum size of the file, which limits how far the client may be ahead. At this size, the
   * file is overwritten from its beginning.
   */
  capacity: number;
  /** Called before the file grows. */
  room?: () => Promise<void>;
  /** Called whenever the size of the file changes. */
  resized?: (bytes: number) => void;
};

/** How far the file grows before `room` is called again. */
const growthBytes = 16 * 1024 ** 2;

/**
 * The parts of the file that contain a section of the stream. The file wraps around. Each part is a
 * position and a length.
 */
function partsOf(from: number, length: number, capacity: number): [number, number][] {
  const parts: [number, number][] = [];
  for (let done = 0; done < length; ) {
    const place = (from + done) % capacity;
    const part = Math.min(length - done, capacity - place);
    parts.push([place, part]);
    done += part;
  }
  return parts;
}

/**
 * Buffers a stream in a file as fast as it arrives. Many clients read nothing until they have sent
 * everything. Without the buffer, input and output would wait for each other forever.
 */
export async function* spool(
  { path, capacity, room, resized }: Spool,
  input: Readable,
): AsyncGenerator<Buffer, void> {
  const file = await open(path, 'wx+');
  // Without a name, the file disappears with the process, however that ends.
  await rm(path);
  let written = 0;
  let read = 0;
  let ended = false;
  let stopped = false;
  let failure: unknown = null;
  let wakeReader = () => {};
  let wakeWriter = () => {};
  const write = async (chunk: Buffer) => {
    const grows =
      written < capacity &&
      Math.floor(written / growthBytes) < Math.floor((written + chunk.length) / growthBytes);
    if (grows) await room?.();
    while (written + chunk.length - read > capacity && !stopped)
      await new Promise<void>((resolve) => {
        wakeWriter = resolve;
      });
    if (stopped) return;
    let at = 0;
    for (const [place, length] of partsOf(written, chunk.length, capacity)) {
      await file.write(chunk, at, length, place);
      at += length;
    }
    const size = Math.min(written, capacity);
    written += chunk.length;
    resized?.(Math.min(written, capacity) - size);
    wakeReader();
  };
  const writing = (async () => {
    try {
      // If the disk is full, the rest of the request remains readable: destroying it would detach its connection.
      const chunks: AsyncIterable<Buffer> = input.iterator({ destroyOnReturn: false });
      for await (const chunk of chunks) {
        if (stopped) continue;
        // Split the chunk, because a chunk that is larger than the file would wait forever.
        for (let at = 0; at < chunk.length; at += capacity) await write(chunk.subarray(at, at + capacity));
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
        const bytes = Math.min(readBytes, written - read, capacity - (read % capacity));
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(bytes), 0, bytes, read % capacity);
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
    resized?.(-Math.min(written, capacity));
  }
}
