import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
let project: string;

/** Installs the package from its archive in an empty folder. */
before(async () => {
  project = await realpath(await mkdtemp(join(tmpdir(), 'lectern-scorm-')));
  await run('npm', ['pack', '--silent', '--pack-destination', project], { cwd: import.meta.dirname });
  const [archive = ''] = (await readdir(project)).filter((name) => name.endsWith('.tgz'));
  await run('npm', ['install', '--offline', '--legacy-peer-deps', `./${archive}`], { cwd: project });
});
after(() => rm(project, { recursive: true, force: true }));

/** Type-checks the files of the project with these options. */
async function check(options: string[]): Promise<void> {
  const usual = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2024'];
  await run(join(root, 'node_modules/.bin/tsc'), [...usual, ...options], { cwd: project });
}

/** The code block of the README that begins with this text. */
async function readmeBlock(begin: string): Promise<string> {
  const readme = await readFile(join(import.meta.dirname, 'README.md'), 'utf8');
  const blocks = readme.split(/^```\w*\n/m).filter((_, index) => index % 2 === 1);
  return blocks.find((block) => block.startsWith(begin)) ?? assert.fail(`no block begins with ${begin}`);
}

test('the archive contains only the published files', async () => {
  const folder = join(project, 'node_modules/lectern-scorm');
  const expected = ['LICENSE', 'README.md', 'data-model', 'dist', 'package.json', 'sequencing'];
  assert.deepEqual((await readdir(folder)).sort(), expected);
  const built = await readdir(join(folder, 'dist'), { recursive: true, withFileTypes: true });
  for (const file of built.filter((each) => each.isFile())) {
    assert.match(file.name, /\.(js|d\.ts)$/);
    assert.doesNotMatch(file.name, /test/);
  }
});

test('all parts except the manifest reader work without any other package', async () => {
  const folder = join(project, 'node_modules/lectern-scorm/dist/scorm');
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.js'));
  const code = files.map((name) => `await import('lectern-scorm/${name.replace(/\.js$/, '')}');`).join('\n');
  await writeFile(join(project, 'all.mjs'), `${code}\nawait import('lectern-scorm/types');\n`);
  await run(process.execPath, ['all.mjs'], { cwd: project });
});

test('the examples in the README work unchanged, print the documented output, and have the right types', async () => {
  await cp(join(root, 'node_modules/libxml2-wasm'), join(project, 'node_modules/libxml2-wasm'), {
    recursive: true,
    dereference: true,
  });
  const examples = {
    'manifest.mjs': ["import { call } from 'lectern-scorm", 'open out.html'],
    'tree.mjs': ["import { prepareCourse } from 'lectern-scorm", 'course Fire safety'],
  } as const;
  for (const [file, [begin, printed]] of Object.entries(examples)) {
    await writeFile(join(project, file), await readmeBlock(begin));
    const { stdout, stderr } = await run(process.execPath, [file], { cwd: project });
    assert.equal(stderr, '');
    assert.equal(stdout, await readmeBlock(printed));
  }
  await check(['--allowJs', '--checkJs', '--noImplicitAny', 'false', ...Object.keys(examples)]);
});

test('TypeScript finds the types for all parts', async () => {
  const code = `
    import type { State } from 'lectern-scorm/data-model/session';
    import { readManifest } from 'lectern-scorm/manifest';
    import { prepareCourse } from 'lectern-scorm/sequencing/course';
    import { createState, launch } from 'lectern-scorm/sequencing/session';
    import type { CourseTree } from 'lectern-scorm/types';
    export const phase: State['phase'] = 'running';
    export const read: (...parameters: Parameters<typeof readManifest>) => { Tree: CourseTree } = readManifest;
    export function open(tree: CourseTree): string | undefined {
      const course = prepareCourse(tree, 'Course');
      return launch(course, createState(course, { seed: 1, now: 0 }), 0).delivery?.unitID;
    }`;
  await writeFile(join(project, 'types.ts'), code);
  await check(['types.ts']);
});
