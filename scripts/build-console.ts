// Builds the console into web/console/dist when its sources have changed since; `npm ci` and `npm start` do this.
import { createHash } from 'node:crypto';
import { globSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'web/console');
const dist = join(folder, 'dist');
const stampName = '.sources';

/** What the built files are made of: the sources, the types' source, and the versions of the packages. */
function digestSources(): string {
  const sources = globSync('**/*.{ts,tsx,css,html,json,svg}', { cwd: folder, exclude: ['dist*/**'] }).sort();
  const digest = createHash('sha256');
  for (const file of [...sources.map((file) => join(folder, file)), join(root, 'package-lock.json')])
    digest.update(file.slice(root.length)).update(readFileSync(file));
  return digest.digest('hex');
}

function stampOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Text is compressed once, here, so that no request pays for it. */
function compress(dist: string): void {
  for (const file of globSync('**/*.{js,css,svg}', { cwd: dist })) {
    const body = readFileSync(join(dist, file));
    writeFileSync(join(dist, `${file}.gz`), gzipSync(body, { level: 9 }));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
    writeFileSync(join(dist, `${file}.br`), brotliCompressSync(body, { params }));
  }
}

/** Answers whether it had to build. Half a build is never in place, also when several processes begin one at once. */
export async function ensureConsole(): Promise<boolean> {
  const digest = digestSources();
  if (stampOf(join(dist, stampName)) === digest) return false;
  const { build } = await import('vite');
  const made = mkdtempSync(`${dist}-`);
  const outDir = join(made, 'new');
  try {
    await build({
      configFile: join(folder, 'vite.config.ts'),
      root: folder,
      logLevel: 'warn',
      build: { outDir },
    });
    compress(outDir);
    writeFileSync(join(outDir, stampName), digest);
    if (stampOf(join(dist, stampName)) !== null) renameSync(dist, join(made, 'old'));
    renameSync(outDir, dist);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  return true;
}

if (import.meta.main) await ensureConsole();
