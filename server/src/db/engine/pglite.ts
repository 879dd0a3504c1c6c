import { Duplex } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import pg from 'pg';
import { programAddress } from '../../lib/locations.ts';
import { restrictToOwner } from '../../lib/owner-only.ts';
import { type DatabaseLog, type Engine, type Rows, type Statement, silentLog } from './engine.ts';
import { createFolder, lockFolder } from './folder.ts';
import { type MaintenanceSchedule, startMaintenance } from './maintenance.ts';
import type { FromWorker, ToWorker, WorkerTask } from './pglite-worker.ts';
import { send, types, unavailable, withinTransaction } from './wire.ts';

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
    // A copy, because a Buffer can be part of a pool, which cannot be given to another thread.
    this.#post(new Uint8Array(chunk));
    done();
  }

  override _writev(writes: { chunk: Buffer }[], done: () => void): void {
    this.#post(new Uint8Array(Buffer.concat(writes.map(({ chunk }) => chunk))));
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#stop();
    done(error);
  }
}

export type PgliteOptions = {
  /** Null keeps everything in memory, for tests. */
  folder: string | null;
  log?: DatabaseLog;
  maintenance?: Partial<MaintenanceSchedule>;
  /** Milliseconds for a statement, and between two statements of a transaction. */
  timeout?: number;
  /** A dump to start from, in memory only. */
  image?: Uint8Array;
};

export interface PgliteEngine extends Engine {
  /** How many file syncs have reached the operating system so far. */
  syncs(): number;
  dump(): Promise<Uint8Array>;
}

const reopenPause = 2_000;
const defaultTimeout = 60_000;
const scriptTimeout = 3_600_000;

export async function openPglite(options: PgliteOptions): Promise<PgliteEngine> {
  if (options.folder === null) return serve(options, null);
  const lock = lockFolder(options.folder);
  try {
    const dataFolder = await createFolder(options.folder, options.log ?? silentLog);
    const engine = await serve(options, dataFolder);
    // While it opens, PGlite creates some files with mode 0644, regardless of the umask.
    // Restricting them takes 6 ms.
    restrictToOwner(dataFolder);
    return { ...engine, close: () => engine.close().finally(() => lock.release()) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function serve(options: PgliteOptions, folder: string | null): Promise<PgliteEngine> {
  const { log = silentLog, image, timeout = defaultTimeout } = options;
  const syncs = new Int32Array(new SharedArrayBuffer(4));
  const open = () => openSession({ folder, syncs, ...(image ? { image } : {}) });
  let session: Session | null = null;
  let opening: Promise<void> | null = null;
  let transactionEnd: PromiseWithResolvers<void> | null = null;
  let closed = false;
  /** Unfinished statements and transactions, which the engine processes one after another. */
  let pending = 0;
  let waits = 0;

  const useSession = (next: Session): void => {
    session = next;
    next.ended.then((reason) => {
      session = null;
      transactionEnd?.resolve();
      transactionEnd = null;
      if (reason !== undefined)
        log.error({ reason }, 'the database crashed; it will be reopened when it is next used');
    });
  };

  const reopen = async (): Promise<void> => {
    if (closed || folder === null) throw unavailable(new Error('The database is closed.'));
    try {
      useSession(await open());
    } catch (error) {
      await new Promise((resolve) => setTimeout(resolve, reopenPause));
      throw unavailable(error);
    }
  };

  /** `begin` sends its first statement synchronously, so no other statement can get into the transaction. */
  const whenFree = async <T>(begin: (session: Session) => Promise<T>): Promise<T> => {
    if (pending++ > 0) waits++;
    try {
      return await whenItsTurn(begin);
    } finally {
      pending--;
    }
  };

  const whenItsTurn = async <T>(begin: (session: Session) => Promise<T>): Promise<T> => {
    while (transactionEnd || !session) {
      if (transactionEnd) await transactionEnd.promise;
      else {
        opening ??= reopen().finally(() => {
          opening = null;
        });
        await opening;
      }
    }
    return begin(session);
  };

  /**
   * PGlite accepts `statement_timeout` and ignores it. Only ending its thread interrupts a statement; the database is
   * then reopened, and what was not committed is undone.
   */
  const killLater = (own: Session, what: string, after: number) =>
    setTimeout(() => own.kill(`${what} took longer than ${after / 1_000} s.`), after);

  const sendWithin = <R>(after: number, statement: Statement): Promise<Rows<R>> =>
    whenFree((own) => {
      const timer = killLater(own, `The statement ${statement.text}`, after);
      return send<R>(own.client, statement).finally(() => clearTimeout(timer));
    });

  const transaction: Engine['transaction'] = (work) =>
    whenFree((own) => {
      const idle = killLater(own, 'A statement in a transaction, or the wait for the next one,', timeout);
      const result = withinTransaction(own.client, (connection) =>
        work({
          query: (statement) => {
            idle.refresh();
            return connection.query(statement);
          },
        }),
      );
      // Do not use `Promise.race` with the session's `ended` promise, which would keep each transaction's
      // result in memory.
      const mine = Promise.withResolvers<void>();
      transactionEnd = mine;
      const end = () => {
        clearTimeout(idle);
        if (transactionEnd === mine) transactionEnd = null;
        mine.resolve();
      };
      result.then(end, end);
      return result;
    });

  useSession(await open().catch(cannotOpen(folder)));
  const engine: Engine = {
    kind: 'pglite',
    isDistributed: () => false,
    query: (statement) => sendWithin(timeout, statement),
    transaction,
    script: async (text) => void (await sendWithin(scriptTimeout, { text, values: [] })),
    load: () => ({ inUse: Math.min(1, pending), waiting: Math.max(0, pending - 1), waits }),
    close: async () => {
      if (closed) return;
      stopMaintenance();
      await whenFree(async (own) => {
        closed = true;
        if (folder !== null) await own.client.query('CHECKPOINT');
        await own.close();
      });
    },
  };
  const stopMaintenance = folder === null ? () => {} : startMaintenance(engine, log, options.maintenance);
  return {
    ...engine,
    syncs: () => Atomics.load(syncs, 0),
    dump: () => whenFree((own) => own.dump()),
  };
}

const cannotOpen = (folder: string | null) => (cause: unknown) => {
  const reason = cause instanceof Error ? cause.message : String(cause);
  throw new Error(
    `The database in ${folder ?? 'memory'} cannot be opened. Restore it from a backup, or move it away to start with an empty one.\n${reason}`,
    { cause },
  );
};
