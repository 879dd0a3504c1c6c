import { open } from 'node:fs/promises';

/** The record at the end of a zip, which may be followed by a comment. */
const endRecord = Buffer.from('PK\x05\x06', 'latin1');
const endRecordBytes = 22;
const maxAppendedBytes = 1_048_576;

/** Removes bytes that some servers and programs append to a zip, because the zip reader does not accept them. */
export async function cutAppendedBytes(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, maxAppendedBytes);
    if (length < endRecordBytes) return;
    const { buffer: tail } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    let at = tail.lastIndexOf(endRecord, length - endRecordBytes);
    for (; at >= 0; at = at === 0 ? -1 : tail.lastIndexOf(endRecord, at - 1)) {
      const begin = size - length + at;
      const end = begin + endRecordBytes + tail.readUInt16LE(at + 20);
      const [bytes, offset] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)];
      if (end > size || (offset !== 0xffff_ffff && offset + bytes > begin)) continue;
      if (end < size) await handle.truncate(end);
      return;
    }
  } finally {
    await handle.close();
  }
}
