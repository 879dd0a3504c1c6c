import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { type ConstantFile, constantFile } from '../../platform/constant-files.ts';

type PageFile = { body: string; type: string };

const folder = join(import.meta.dirname, '../../../web/player');
/** The page judges results with the same code as the service. These files import only each other. */
const standards = join(import.meta.dirname, '../standards');
const shared = ['durations.ts', 'evidence.ts', 'numbers.ts', 'thresholds.ts'];
const scorm = ['scorm12', 'scorm2004'];

function readScript(path: string): PageFile {
  const script = stripTypeScriptTypes(readFileSync(path, 'utf8'));
  const body = script.replaceAll("'../../src/modules/standards/", "'./");
  return { body, type: 'text/javascript; charset=utf-8' };
}

function read(name: string): PageFile | null {
  if (name.endsWith('.test.ts')) return null;
  if (name.endsWith('.ts')) return readScript(join(folder, name));
  const text = readFileSync(join(folder, name), 'utf8');
  if (name.endsWith('.css')) return { body: text, type: 'text/css; charset=utf-8' };
  return null;
}

function readAll(): Map<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const name of readdirSync(folder).sort()) {
    const file = read(name);
    if (file) files.set(name, file);
  }
  for (const name of shared) files.set(name, readScript(join(standards, name)));
  const resolve = createRequire(import.meta.url).resolve;
  for (const name of scorm) {
    const body = readFileSync(resolve(`scorm-again/${name}/min`), 'utf8');
    files.set(`${name}.js`, { body, type: 'text/javascript; charset=utf-8' });
  }
  return files;
}

/**
 * The player page and its modules. Their addresses hold a digest of all of them, so that they are cached for ever and
 * an upgrade never mixes two versions.
 */
export function loadPage(): {
  html: string;
  version: string;
  files: Map<string, ConstantFile>;
} {
  const files = readAll();
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  const digest = createHash('sha256').update(html);
  for (const { body } of files.values()) digest.update(body);
  const version = digest.digest('hex').slice(0, 12);
  const versioned = (text: string) => text.replaceAll('/player/', `/player/${version}/`);
  const named = [...files].map(
    ([name, { type, body }]) => [name, constantFile(type, versioned(body))] as const,
  );
  return { html: versioned(html), version, files: new Map(named) };
}
