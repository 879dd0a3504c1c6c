// Packages of hundreds of small files are made one file each, from which they are read (src/preload.ts).
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { joinedFiles } from '../src/platform/joined-packages.ts';

/** Does nothing for what is made already. Half a file is never in place, also when several processes begin at once. */
export async function joinPackages(): Promise<void> {
  for (const [name, file] of joinedFiles()) if (!existsSync(file)) await joinPackage(name, file);
}

async function joinPackage(name: string, file: string): Promise<void> {
  const { build } = await import('vite');
  mkdirSync(dirname(file), { recursive: true });
  const outDir = mkdtempSync(`${file}-`);
  try {
    await build({
      configFile: false,
      logLevel: 'warn',
      publicDir: false,
      ssr: { noExternal: true },
      build: {
        ssr: fileURLToPath(import.meta.resolve(name)),
        outDir,
        minify: false,
        target: 'esnext',
        rolldownOptions: { output: { entryFileNames: basename(file) } },
      },
    });
    renameSync(join(outDir, basename(file)), file);
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
}
