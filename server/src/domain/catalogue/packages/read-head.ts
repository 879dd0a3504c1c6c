import { open } from 'node:fs/promises';

/** The bytes that identify a file, and the title of a page, are in its first 64 kB. */
const headBytes = 65_536;

export async function readHead(path: string): Promise<Buffer> {
  const handle = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
