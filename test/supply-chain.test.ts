import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const about = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

type License = { license?: { id?: string; name?: string }; expression?: string };
type Component = { name: string; version: string; purl: string; licenses?: License[] };

const bom = JSON.parse(
  execFileSync(process.execPath, ['scripts/sbom.ts', '--stdout'], {
    cwd: root,
    maxBuffer: 64 * 1_048_576,
  }).toString(),
);
const components: Component[] = bom.components;

test('the bill of materials lists Lectern and every runtime package, each with a location and a licence', () => {
  assert.equal(bom.bomFormat, 'CycloneDX');
  assert.match(bom.specVersion, /^1\.[4-9]$/);
  assert.equal(bom.metadata.component.name, about.name);
  assert.equal(bom.metadata.component.version, about.version);
  const found = new Map(components.map(({ name, version }) => [name, version]));
  for (const [name, version] of Object.entries(about.dependencies))
    assert.equal(found.get(name), version, `${name} is not in the bill of materials`);
  for (const { name, purl } of components) assert.match(purl, /^pkg:npm\//, name);
  for (const name of Object.keys(about.devDependencies))
    if (!(name in about.dependencies) && !isNeeded(name))
      assert.ok(!found.has(name), `${name} is a development package`);
});

/** A production package may depend on a package that is marked as a development package. */
function isNeeded(name: string): boolean {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return lock.packages[`node_modules/${name}`]?.dev !== true;
}

/** Permissive licences, none of which requires publishing the source of the surrounding code. */
const permissive = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'Unlicense',
  'Python-2.0',
  'PostgreSQL',
  'Zlib',
]);

/**
 * A package that is used to build the console but is not part of it. Its licence covers only its own files,
 * which we do not change.
 */
const known = [
  /^lightningcss(-[\w-]+)?@[\d.]+: MPL-2\.0$/,
  // Its LICENSE file is the MIT licence; its package.json names none.
  /^png-js@2\.0\.0: no licence$/,
  // Its LICENSE.md: BSD-3-Clause, and the W3C Software and Document License for the contexts.
  /^@digitalbazaar\/credentials-context@3\.2\.0: no licence$/,
];

function isPermissive(expression: string): boolean {
  const words = expression.replaceAll(/[()]/g, '').trim();
  if (/ OR /i.test(words)) return words.split(/ OR /i).some(isPermissive);
  return words.split(/ AND /i).every((word) => permissive.has(word.trim()));
}

test('every runtime package has a permissive licence', () => {
  const others = components.flatMap(({ name, version, licenses = [] }) => {
    const texts = licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name ?? '');
    return texts.length > 0 && texts.every(isPermissive)
      ? []
      : [`${name}@${version}: ${texts.join() || 'no licence'}`];
  });
  assert.deepEqual(
    others.filter((other) => !known.some((pattern) => pattern.test(other))),
    [],
  );
});

/** Packages that are used without an import: types of others, and programs that scripts run. */
const isUsedOtherwise = (name: string) =>
  name.startsWith('@types/') || ['typescript', '@11ty/eleventy'].includes(name);

test('each workspace imports every package that it declares', () => {
  for (const workspace of about.workspaces) {
    const { dependencies, devDependencies } = JSON.parse(
      readFileSync(join(root, workspace, 'package.json'), 'utf8'),
    );
    const files = globSync('**/*.{ts,tsx,js,cjs,css,json}', {
      cwd: join(root, workspace),
      exclude: ['**/node_modules/**', 'package.json'],
    });
    const sources = files.map((file) => readFileSync(join(root, workspace, file), 'utf8')).join('\n');
    for (const name of Object.keys({ ...dependencies, ...devDependencies }))
      if (!isUsedOtherwise(name))
        assert.match(sources, new RegExp(`['"]${name}['"/]`), `${workspace} does not use ${name}`);
  }
});
