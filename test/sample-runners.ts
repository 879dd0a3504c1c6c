import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { LanguageId } from '../console/pages/reference/samples/languages.ts';

// Runs the samples of a language in order, as a single program: starting and compiling many programs takes too long.

const root = join(import.meta.dirname, '..');

const works = (program: string, ...args: string[]) => {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** Debian installs packages only for its own Python, and another Python may come first in the PATH. */
const python = ['python3', '/usr/bin/python3'].find((program) => works(program, '-c', 'import requests'));

const missing: Record<LanguageId, string | false> = {
  curl: !works('curl', '--version') && 'curl is not installed',
  typescript: false,
  python: !python && 'Python 3 with requests is not installed (Debian: python3-requests)',
  php:
    !works('php', '-r', 'exit(extension_loaded("curl") ? 0 : 1);') &&
    'PHP is not installed (php-cli, php-curl)',
  csharp:
    !(works('mcs', '--version') && works('mono', '--version')) &&
    'Mono is not installed (mono-mcs, libmono-system-net-http4.0-cil)',
};

/** Why the test of a language is skipped. `.ci/run` installs all of them and does not allow skipping. */
export const skipOf = (language: LanguageId) => !process.env.ALL_LANGUAGES && missing[language];

type Build = (samples: readonly string[], folder: string) => Promise<[program: string, ...args: string[]]>;

const builds: Record<LanguageId, Build> = {
  curl: async (samples, folder) => {
    const begin = 'set -e\ncurl() { command curl -sS "$@"; }\n';
    await writeFile(join(folder, 'samples.sh'), begin + samples.join('\n'));
    return ['sh', 'samples.sh'];
  },
  typescript: async (samples, folder) => {
    const client = join(root, 'client/src/index.ts');
    const texts = samples.map((sample) => sample.replace("'lectern-client'", `'${client}'`));
    // Files without an import or export would not be modules.
    await Promise.all(
      texts.map((text, index) => writeFile(join(folder, `sample${index}.ts`), `${text}\nexport {};\n`)),
    );
    const imports = texts.map((_, index) => `await import('./sample${index}.ts');\n`);
    await writeFile(join(folder, 'samples.ts'), `${imports.join('')}export {};\n`);
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await checkTypes(folder);
    return [process.execPath, 'samples.ts'];
  },
  python: async (samples, folder) => {
    await writeFile(join(folder, 'samples.py'), samples.join('\n'));
    return [python ?? 'python3', 'samples.py'];
  },
  php: async (samples, folder) => {
    const texts = samples.map((sample) => sample.replace(/^<\?php\n/, ''));
    await writeFile(join(folder, 'samples.php'), `<?php\n${texts.join('\n')}`);
    return ['php', 'samples.php'];
  },
  csharp: async (samples, folder) => {
    await writeFile(join(folder, 'samples.cs'), csharpProgram(samples));
    await run(['mcs', '-r:System.Net.Http.dll', 'samples.cs'], folder);
    return ['mono', 'samples.exe'];
  },
};

/** Mono's compiler does not support statements outside a class. */
function csharpProgram(samples: readonly string[]): string {
  const directive = /^using [\w.]+;\n/gm;
  const directives = new Set(samples.flatMap((sample) => sample.match(directive) ?? []));
  const methods = samples.map(
    (sample, index) => `static async Task Sample${index}() {\n${sample.replaceAll(directive, '')}\n}\n`,
  );
  const calls = samples.map((_, index) => `await Sample${index}();\n`);
  return `${[...directives].join('')}using System.Threading.Tasks;
class Samples {
static void Main() { Run().GetAwaiter().GetResult(); }
static async Task Run() {\n${calls.join('')}}
${methods.join('')}}`;
}

/** One type check of all samples. */
async function checkTypes(folder: string): Promise<void> {
  const options = {
    compilerOptions: {
      target: 'esnext',
      module: 'nodenext',
      strict: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: true,
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
    },
    files: ['samples.ts'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(options));
  await run([join(root, 'node_modules/.bin/tsc'), '-p', '.'], folder);
}

/** In milliseconds. While other test files ran, type-checking the samples took more than two minutes. */
const timeLimit = 600_000;

async function run([program, ...args]: [string, ...string[]], folder: string, key = ''): Promise<string> {
  const options = { cwd: folder, env: { ...process.env, KEY: key }, maxBuffer: 1e9, timeout: timeLimit };
  try {
    return (await promisify(execFile)(program, args, options)).stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = Object(error);
    throw new Error(`${program} ${args.join(' ')} failed:\n${stderr}\n${stdout.slice(-4000)}`);
  }
}

export type RunOptions = { key: string; files?: Record<string, string | Uint8Array> };

/** Runs the samples in a folder with the files, and returns what they print. */
export async function runSamples(
  language: LanguageId,
  samples: readonly string[],
  { key, files = {} }: RunOptions,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-samples-'));
  try {
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
    return await run(await builds[language](samples, folder), folder, key);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Mono occasionally aborts because of an error in its own threads, which says nothing about the samples. */
export function againAfterCrash<Result>(work: () => Promise<Result>): Promise<Result> {
  return work().catch((error) => {
    if (!String(error).includes('Native Crash Reporting')) throw error;
    return work();
  });
}
