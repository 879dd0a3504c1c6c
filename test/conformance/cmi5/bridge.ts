import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InvalidPackage, type Learners } from './learners.ts';

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

async function answer(learners: Learners, request: IncomingMessage): Promise<unknown> {
  const body = await bodyOf(request);
  const name = request.url?.slice(1);
  if (name === 'import') return learners.importCourse(body, request.headers['content-type'] ?? '');
  const input = JSON.parse(body.toString());
  if (name === 'launch') return learners.launch(input);
  if (name === 'waive') return learners.waive(input);
  if (name === 'abandon') return learners.abandon(input);
  throw new Error(`There is no call ${name}.`);
}

/** Answers the calls of lms.cjs, which runs in the suite's process. */
export async function openBridge(learners: Learners): Promise<{ url: string; close: () => void }> {
  const server = createServer(async (request, response) => {
    const reply = await answer(learners, request).then(
      (value) => ({ value: value ?? null }),
      (error: Error) =>
        error instanceof InvalidPackage ? { invalid: error.message } : { error: error.message },
    );
    response.setHeader('content-type', 'application/json').end(JSON.stringify(reply));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
