import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { serveOnce } from '../../src/lib/isolated-program.ts';

/** `(module (memory (export "m") 1))`: WebAssembly memory that may grow as far as the engine allows. */
const growable = Buffer.from('0061736d010000000503010001070501016d0200', 'hex');
/** `(module (func (export "f") (loop br 0)))`. */
const endless = Buffer.from(
  '0061736d01000000010401600000030201000705010166000' + '00a090107000340' + '0c000b0b',
  'hex',
);

function exported(bytes: Buffer): WebAssembly.Exports {
  return new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(bytes))).exports;
}

/** Programs that untrusted input might run, by name. */
export const acts = {
  'loops forever': () => {
    for (;;);
  },
  'loops forever in WebAssembly': () => (exported(endless).f as () => void)(),
  'fills the heap with small objects': () => {
    for (const all: unknown[] = []; ; ) all.push({ x: [all.length] });
  },
  'splits a long text': () => 'x,'.repeat(50_000_000).split(','),
  'fills a map': () => {
    for (const map = new Map(); ; ) map.set(`${map.size}`, map.size);
  },
  aborts: () => process.abort(),
  'exits without a result': () => process.exit(0),
  'throws outside of its work': async () => {
    setImmediate(() => {
      throw new Error('thrown outside');
    });
    await once(process, 'never');
  },
  'fills WebAssembly memory': () => {
    const memory = exported(growable).m as WebAssembly.Memory;
    for (;;) memory.grow(256);
  },
  'writes elsewhere': ({ elsewhere }: Input) => writeFile(elsewhere, 'x'),
  'reads what it is given': ({ given }: Input) => readFile(given, 'utf8'),
  'reads a secret': ({ secret }: Input) => readFile(secret, 'utf8'),
  'lists a folder': ({ secret }: Input) => readdir(dirname(secret)),
  'reads the list of users': () => readFile('/etc/passwd', 'utf8'),
  'starts a program': async () => (await import('node:child_process')).execFileSync('/bin/true'),
  'returns the environment': () => ({ ...process.env }),
  throws: () => {
    throw new Error('a mistake of ours');
  },
};

export type Input = { act: keyof typeof acts; elsewhere: string; given: string; secret: string };

serveOnce(async (input: Input) => acts[input.act](input));
