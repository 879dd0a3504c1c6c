import { parentPort } from 'node:worker_threads';
import { renderCertificate } from './render.ts';
import type { DrawTask, DrawTaskResult } from './types.ts';

/** The entry of the thread that draws certificates. */
parentPort?.on('message', async ({ id, input }: DrawTask) => {
  const post = (result: DrawTaskResult) => parentPort?.postMessage(result);
  try {
    post({ id, drawn: await renderCertificate(input) });
  } catch (error) {
    post({ id, error: error instanceof Error ? error : new Error(String(error)) });
  }
});
