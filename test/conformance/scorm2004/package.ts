import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packFolder } from '../../../server/src/lib/pack-folder.ts';
import { contentPage } from './page.ts';

const attribute = (text: string, name: string) =>
  new RegExp(`\\s${name}\\s*=\\s*"([^"]*)"`).exec(text)?.[1]?.trim() ?? '';

/** The paths of all files listed in a manifest. */
export function filesOf(manifest: string): string[] {
  const resources = manifest.match(/<resource\s[\s\S]*?(?:<\/resource>|\/>)/g) ?? [];
  return resources.flatMap((resource) => {
    const [start = '', ...files] = resource.match(/<(?:resource|file)\s[^>]*>/g) ?? [];
    const base = attribute(start, 'xml:base');
    return [start, ...files]
      .map((element) => attribute(element, 'href'))
      .filter(Boolean)
      .map((href) => base + href);
  });
}

/** The title of each activity's item, which identifies it in the contents list. */
export function titlesOf(manifest: string): Map<string, string> {
  const titles = new Map<string, string>();
  for (const item of manifest.split(/<item\s/).slice(1)) {
    const act = /act=(\w+)/.exec(attribute(` ${item.slice(0, item.indexOf('>'))}`, 'parameters'))?.[1];
    const title = /<title>([\s\S]*?)<\/title>/.exec(item)?.[1]?.trim();
    if (act && title && !titles.has(act)) titles.set(act, title);
  }
  return titles;
}

/** Packs a manifest with our own page in place of ADL's pages; all other files are empty. */
export async function pack(name: string, manifest: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-conformance-'));
  const files = new Map(filesOf(manifest).map((path) => [path, /\.htm$/.test(path) ? contentPage : '']));
  files.set('imsmanifest.xml', manifest);
  for (const [path, text] of files) {
    await mkdir(dirname(join(folder, 'course', path)), { recursive: true });
    await writeFile(join(folder, 'course', path), text);
  }
  const zip = join(folder, `${name}.zip`);
  await packFolder(join(folder, 'course'), zip);
  return zip;
}
