// Writes the derived files, and builds the server, console, player and guide into dist/, or only the named parts. `--missing` builds only
// the parts that are missing or out of date.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { Blob, Face } from 'harfbuzzjs';
import { fontFiles } from '../certificates/src/font-files.ts';
import { codeOf } from '../server/src/lib/errors.ts';
import { namesOf } from '../server/src/lib/tables.ts';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const stampName = '.sources';

type Part = {
  /** The sources of the part, as globs relative to the root. */
  sources: readonly string[];
  build: (outDir: string) => Promise<void>;
};

/** Native and WebAssembly packages are not bundled. npm downloads them when it installs Lectern. */
const external = Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies);

/** Each program is a separate file, because it runs in its own process or thread. */
const programs = {
  lectern: 'cli/cli.ts',
  'package-program': 'domain/catalogue/packages/package-program.ts',
  'pglite-create': 'db/engine/pglite-create.ts',
  'pglite-worker': 'db/engine/pglite-worker.ts',
};

async function bundle(folder: string, input: Record<string, string>, outDir: string): Promise<void> {
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: join(root, folder),
    logLevel: 'warn',
    publicDir: false,
    ssr: { noExternal: true, external },
    build: {
      ssr: true,
      outDir,
      emptyOutDir: false,
      target: 'node22',
      minify: false,
      rolldownOptions: {
        input,
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: 'chunk-[name]-[hash].js',
          // Otherwise, a package may be loaded before the packages that it imports only for their effects.
          strictExecutionOrder: true,
        },
      },
    },
  });
}

async function buildServer(outDir: string): Promise<void> {
  const sources = join(root, 'server/src');
  const input = Object.entries(programs).map(([name, path]) => [name, join(sources, path)]);
  await bundle('server', Object.fromEntries(input), outDir);
  const bin = join(outDir, 'lectern.js');
  writeFileSync(bin, `#!/usr/bin/env node\n${readFileSync(bin, 'utf8')}`);
  chmodSync(bin, 0o755);
  cpSync(join(root, 'server/migrations'), join(outDir, 'migrations'), { recursive: true });
  cpSync(join(root, 'courses'), join(outDir, 'courses'), { recursive: true });
}

/** The programs that draw and sign certificates, with their fonts. The service loads them when it needs them. */
async function buildCertificates(outDir: string): Promise<void> {
  const input = ['worker', 'proof'].map((name) => [name, join(root, `certificates/src/${name}.ts`)]);
  await bundle('certificates', Object.fromEntries(input), outDir);
  // pdfkit reads it from this folder.
  const profile = 'data/sRGB_IEC61966_2_1.icc';
  cpSync(join(root, 'node_modules/pdfkit/js', profile), join(outDir, profile));
  const drawable = new Set<number>();
  for (const [name, path] of Object.entries(fontFiles)) {
    const file = join(root, 'node_modules', path);
    cpSync(file, join(outDir, 'fonts', `${name}.ttf`));
    // Names fall back to these.
    if (name !== 'sansBold' && name !== 'serif')
      for (const one of new Face(new Blob(readFileSync(file))).collectUnicodes()) drawable.add(one);
  }
  writeFileSync(join(outDir, 'drawable.txt'), rangesOf(drawable));
}

/** The characters as the inside of a class of a regular expression. */
function rangesOf(codePoints: ReadonlySet<number>): string {
  const show = (point: number) => `\\u{${point.toString(16)}}`;
  const firsts = [...codePoints].filter((point) => !codePoints.has(point - 1)).sort((a, b) => a - b);
  return firsts
    .map((first) => {
      let last = first;
      while (codePoints.has(last + 1)) last++;
      return last === first ? show(first) : `${show(first)}-${show(last)}`;
    })
    .join('');
}

/** Compresses text at build time, so that requests do not wait for compression. */
function compressTexts(folder: string): void {
  for (const file of globSync('assets/*.{js,css,svg}', { cwd: folder })) {
    const body = readFileSync(join(folder, file));
    writeFileSync(join(folder, `${file}.gz`), gzipSync(body, { level: 9 }));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
    writeFileSync(join(folder, `${file}.br`), brotliCompressSync(body, { params }));
  }
}

/** Several modes are builds of their own, in the same folder. */
function page(folder: 'console' | 'player', modes = ['production']): Part['build'] {
  return async (outDir) => {
    const { build } = await import('vite');
    const home = join(root, folder);
    for (const mode of modes)
      await build({
        configFile: join(home, 'vite.config.ts'),
        root: home,
        mode,
        logLevel: 'warn',
        build: { outDir, emptyOutDir: false },
      });
    compressTexts(outDir);
  };
}

async function buildGuide(outDir: string): Promise<void> {
  const program = join(root, 'node_modules/@11ty/eleventy/cmd.cjs');
  const args = ['--config=docs/eleventy.config.js', `--output=${relative(root, outDir)}`, '--quiet'];
  execFileSync(process.execPath, [program, ...args], { cwd: root, stdio: ['ignore', 2, 2] });
}

const pageSources = (folder: string) => [`${folder}/**/*.{ts,tsx,css,html,json,svg}`];

/** Writes the derived files in their places. A process of its own, because it loads the whole service. */
async function generate(outDir: string): Promise<void> {
  const program = [join(root, 'scripts/generate.ts'), '--without-contract'];
  execFileSync(process.execPath, program, { cwd: root, stdio: ['ignore', 2, 2] });
  mkdirSync(outDir);
}

const parts = {
  derived: {
    sources: [
      ...['server/src/**/*.ts', 'server/migrations/*.sql', 'standards/*.ts', 'docs/reference/*.ts'],
      ...['client/generate.ts', 'scripts/{generate,generate-db,derived-files}.ts', 'scripts/openapi/*.ts'],
    ],
    build: generate,
  },
  console: { sources: pageSources('console'), build: page('console', ['production', 'learner']) },
  guide: { sources: ['docs/{guide,site}/**/*.*', 'docs/eleventy.config.js'], build: buildGuide },
  player: { sources: [...pageSources('player'), 'standards/*.ts'], build: page('player') },
  certificates: { sources: ['certificates/**/*.*', 'standards/contrast.ts'], build: buildCertificates },
  server: {
    sources: ['server/src/**/*.ts', 'standards/*.ts', 'server/migrations/**/*.sql', 'courses/**/*'],
    build: buildServer,
  },
} satisfies Record<string, Part>;

export type PartName = keyof typeof parts;
const allParts = namesOf(parts);

/** Hashes the inputs of a part: its sources and the package versions. */
function digestOf({ sources }: Part): string {
  const digest = createHash('sha256');
  const common = ['package.json', 'package-lock.json', 'scripts/build.ts'];
  const exclude = ['**/node_modules/**', '**/*.test.ts', '**/generated.ts'];
  const files = globSync([...sources], { cwd: root, exclude, withFileTypes: false }).sort();
  for (const file of [...files, ...common]) {
    digest.update(file);
    try {
      digest.update(readFileSync(join(root, file)));
    } catch (error) {
      if (codeOf(error) !== 'EISDIR') throw error;
    }
  }
  return digest.digest('hex');
}

function stampOf(folder: string): string | null {
  try {
    return readFileSync(join(folder, stampName), 'utf8');
  } catch {
    return null;
  }
}

/** Builds in a temporary folder and then renames it, so that several processes can build simultaneously. */
async function buildPart(name: PartName, digest: string): Promise<void> {
  mkdirSync(dist, { recursive: true });
  const folder = join(dist, name);
  const draft = mkdtempSync(join(dist, `.${name}-`));
  try {
    const made = join(draft, 'new');
    await parts[name].build(made);
    writeFileSync(join(made, stampName), digest);
    if (stampOf(folder) !== null) renameSync(folder, join(draft, 'old'));
    else rmSync(folder, { recursive: true, force: true });
    renameSync(made, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Builds the parts that are missing or out of date. */
export async function ensureBuilt(names: readonly PartName[] = allParts): Promise<void> {
  for (const name of names) {
    const digest = digestOf(parts[name]);
    if (stampOf(join(dist, name)) === digest) continue;
    console.error(`Building dist/${name} …`);
    await buildPart(name, digest);
  }
}

if (process.argv[1] === import.meta.filename) {
  const named = allParts.filter((name) => process.argv.includes(name));
  if (!process.argv.includes('--missing'))
    for (const name of named.length > 0 ? named : [''])
      rmSync(join(dist, name), { recursive: true, force: true });
  await ensureBuilt(named.length > 0 ? named : allParts);
}
