import { parentPort } from 'node:worker_threads';
import { renderCertificate } from './render.ts';
import type { DrawTask, DrawTaskResult } from './types.ts';

/** The entry of the thread that draws certificates. */
parentPort?.on('message', async ({ id, input }: DrawTask) => {
  const post = (result: DrawTaskResult, moved: ArrayBuffer[] = []) => parentPort?.postMessage(result, moved);
  try {
    const drawn = await renderCertificate(input);
    // A buffer is a part of Node's pool, which would be copied as a whole for each PDF. This copy is moved.
    const { buffer } = new Uint8Array(drawn.pdf);
    post({ id, drawn: { ...drawn, pdf: Buffer.from(buffer) } }, [buffer]);
  } catch (error) {
    post({ id, error: error instanceof Error ? error : new Error(String(error)) });
  }
});
