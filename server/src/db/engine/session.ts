import { Duplex } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import pg from 'pg';
import { programAddress } from '../../lib/locations.ts';
import { concatenate } from './backend.ts';
import type { FromWorker, ToWorker, WorkerTask } from './pglite-worker.ts';
import { types } from './wire.ts';

/** One run of the in-process database: a worker thread, and a client that talks to it over the PostgreSQL protocol. */
export type Session = {
  client: pg.Client;
  /** Resolves when the database has exited for any reason, with an error message unless it was stopped. */
  ended: Promise<string | undefined>;
  dump(): Promise<Uint8Array>;
  close(): Promise<void>;
  kill(reason: string): void;
};

const closeTimeout = 10_000;

export async function openSession(task: WorkerTask): Promise<Session> {
  // One compilation thread is enough. Each thread keeps 30 to 50 MB after it has compiled WebAssembly.
  setFlagsFromString('--wasm-num-compilation-tasks=1');
  const worker = new Worker(programAddress('./pglite-worker.ts', import.meta.url), {
    workerData: task,
    execArgv: [],
  });
  const post = (message: ToWorker) =>
    worker.postMessage(message, message instanceof Uint8Array ? [message.buffer] : []);
  const stream = new WorkerStream(post, () => void worker.terminate());
  const dumps: ((dump: Uint8Array) => void)[] = [];
  let reason: string | undefined;
  let closing = false;

  const ready = Promise.withResolvers<void>();
  worker.on('message', (message: FromWorker) => {
    if (message instanceof Uint8Array) stream.receive(message);
    else if ('ready' in message) ready.resolve();
    else if ('dumped' in message) dumps.shift()?.(message.dumped);
    else reason = message.ended;
  });
  worker.on('error', (error) => {
    reason ??= error.message;
  });
  const ended = new Promise<string | undefined>((resolve) => {
    worker.once('exit', () => {
      stream.destroy();
      ready.reject(new Error(reason ?? 'The database exited during start-up.'));
      resolve(closing ? undefined : (reason ?? 'The database thread ended.'));
    });
  });
  await ready.promise;

  const client = new pg.Client({
    stream: () => stream,
    user: 'postgres',
    database: 'postgres',
    types,
    pipeline: true,
  });
  client.on('error', () => {});
  await client.connect().catch(async (error: unknown) => {
    await worker.terminate();
    throw error;
  });

  return {
    client,
    ended,
    dump: () =>
      new Promise((resolve) => {
        dumps.push(resolve);
        post('dump');
      }),
    async close() {
      closing = true;
      post('close');
      const patience = setTimeout(() => worker.terminate(), closeTimeout);
      await ended;
      clearTimeout(patience);
    },
    kill(cause) {
      reason ??= cause;
      void worker.terminate();
    },
  };
}

/** The object that node-postgres uses as its socket. */
class WorkerStream extends Duplex {
  readonly #post: (bytes: Uint8Array<ArrayBuffer>) => void;
  readonly #stop: () => void;

  constructor(post: (bytes: Uint8Array<ArrayBuffer>) => void, stop: () => void) {
    super();
    this.#post = post;
    this.#stop = stop;
  }

  receive(bytes: Uint8Array): void {
    if (!this.destroyed) this.push(bytes);
  }

  connect(): void {
    queueMicrotask(() => this.emit('connect'));
  }

  setNoDelay(): void {}
  setKeepAlive(): void {}
  ref(): void {}
  unref(): void {}

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#post(concatenate([chunk]));
    done();
  }

  override _writev(writes: { chunk: Buffer }[], done: () => void): void {
    this.#post(concatenate(writes.map(({ chunk }) => chunk)));
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#stop();
    done(error);
  }
}
