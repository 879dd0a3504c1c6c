import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { toNfc } from './unicode.ts';

export type ZipEntry = { name: string; content: Buffer | Readable; at: Date };

/**
 * Streams a zip. Each file is produced only after the former one has been sent. Files are stored as they are, because
 * yazl keeps the buffers of its compressors until the zip ends: 44 kB for each file.
 */
export function zipOf(files: AsyncIterable<ZipEntry>): Readable {
  const zip = new ZipFile();
  // yazl declares less than the PassThrough that it creates.
  const output = zip.outputStream as Readable;
  const sendAll = async () => {
    for await (const { name, content, at } of files) {
      if (output.destroyed) return;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      output.once('close', resolve);
      const options = { mtime: at, mode: 0o100644, forceDosTimestamp: true, compress: false };
      // yazl keeps the callback until the zip ends, so the callback must not keep the file.
      const pending = [content instanceof Readable ? content : Readable.from([content])];
      // yazl also keeps each name as a buffer. In Node's pool of buffers, each name would keep 64 kB.
      const { poolSize } = Buffer;
      Buffer.poolSize = 0;
      zip.addReadStreamLazy(name, options, (give) => {
        const source = pending.pop();
        source?.once('end', resolve).once('error', reject);
        if (source) give(null, source);
      });
      Buffer.poolSize = poolSize;
      await promise;
      output.off('close', resolve);
    }
    zip.end();
  };
  sendAll().catch((error: unknown) =>
    output.destroy(error instanceof Error ? error : new Error('A file of the zip could not be written.')),
  );
  return output;
}

/** A file name that all systems accept. */
export const safeName = (text: string) =>
  toNfc(text)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are not permitted in file names.
    .replaceAll(/[\u0000-\u001f\u007f\\/:*?"<>|]/g, '_')
    .replaceAll(/^[. ]+|[. ]+$/g, '')
    .slice(0, 80);
