import fs from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { NodeFS } from '@electric-sql/pglite/nodefs';

export type BackendOptions = {
  /** Null keeps everything in memory. */
  folder: string | null;
  /** A dumped data folder to start from, in memory only. */
  image?: Uint8Array;
  /** Counts the syncs that reached the operating system. */
  syncs?: Int32Array;
  /** Called when the database crashes. */
  onCrash: (reason: string) => void;
};

export type Backend = {
  /** Takes protocol messages and returns protocol messages. */
  handleMessages(messages: Uint8Array): Promise<Uint8Array<ArrayBuffer>>;
  dump(): Promise<Uint8Array>;
  close(): Promise<void>;
};

/**
 * PGlite's own parameters, but without `-F` (no fsync), and with fsync instead of fdatasync,
 * because PGlite's fdatasync never reaches the file.
 */
const startParameters = [
  '--single',
  '-O',
  '-j',
  ...Object.entries({
    search_path: 'public',
    // The operating system also caches the files. With PGlite's default of 128 MB, the idle process used 140
    // MB more.
    shared_buffers: '32MB',
    exit_on_error: 'false',
    log_checkpoints: 'false',
    max_worker_processes: '0',
    max_parallel_workers: '0',
    max_parallel_workers_per_gather: '0',
    max_parallel_maintenance_workers: '0',
    io_method: 'sync',
    fsync: 'on',
    wal_sync_method: 'fsync',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    min_wal_size: '32MB',
    max_wal_size: '64MB',
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
];

type EmscriptenOptions = Parameters<NodeFS['init']>[1];
type NodeStream = { nfd: number };
type EmscriptenModule = {
  NODEFS: { stream_ops: { fsync?: (stream: NodeStream) => number } };
  FS: { ErrnoError: new (code: number) => Error };
};
const inputOutputError = 29;

/** PGlite's Node file system has no fsync operation. Without one, a commit would not reach the disk. */
class SyncingFiles extends NodeFS {
  readonly #syncs: Int32Array | undefined;

  constructor(folder: string, syncs: Int32Array | undefined) {
    super(folder);
    this.#syncs = syncs;
  }

  override async init(pg: PGlite, options: EmscriptenOptions): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pg, options);
    const addSync = (module: unknown) => {
      // These members belong to the Emscripten runtime that PGlite is built with.
      const { NODEFS, FS } = module as EmscriptenModule;
      NODEFS.stream_ops.fsync = ({ nfd }) => {
        try {
          fs.fsyncSync(nfd);
        } catch {
          throw new FS.ErrnoError(inputOutputError);
        }
        if (this.#syncs) Atomics.add(this.#syncs, 0, 1);
        return 0;
      };
    };
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), addSync] } };
  }
}

export async function startBackend({ folder, image, syncs, onCrash }: BackendOptions): Promise<Backend> {
  const stderrLines: string[] = [];
  const database = new PGlite({
    ...(folder === null ? {} : { fs: new SyncingFiles(folder, syncs) }),
    ...(image ? { loadDataDir: new Blob([new Uint8Array(image)]) } : {}),
    extensions: { btree_gin, pg_trgm },
    startParams: folder === null ? [...startParameters, '-F'] : startParameters,
    onStderr: (line) => {
      stderrLines.push(line);
      if (stderrLines.length > 20) stderrLines.shift();
      return false;
    },
  });
  const describeFailure = (error: unknown) => [...stderrLines, String(error)].join('\n');
  try {
    await database.waitReady;
  } catch (error) {
    throw new Error(describeFailure(error), { cause: error });
  }
  // The module's type is not published. PGlite itself calls this function, so it exists.
  watchForCrash(database.Module as unknown as MainLoop, (error) => onCrash(describeFailure(error)));
  return {
    async handleMessages(messages) {
      const chunks: Uint8Array[] = [];
      await database.execProtocolRawStream(messages, {
        syncToFs: false,
        onRawData: (bytes) => chunks.push(bytes.slice()),
      });
      return concatenate(chunks);
    },
    dump: async () => new Uint8Array(await (await database.dumpDataDir('none')).arrayBuffer()),
    close: () => database.close(),
  };
}

type MainLoop = { _PostgresMainLoopOnce: () => void };

/** Status 100 is an SQL error on its way to its handler. PGlite would ignore any other error and continue. */
function watchForCrash(module: MainLoop, onCrash: (error: unknown) => void): void {
  const step = module._PostgresMainLoopOnce;
  module._PostgresMainLoopOnce = () => {
    try {
      step();
    } catch (error) {
      const status = error instanceof Object && 'status' in error ? error.status : undefined;
      if (status !== 100) onCrash(error);
      throw error;
    }
  };
}

/** Always returns its own buffer, so that it can be transferred between threads instead of being copied. */
function concatenate(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}
