import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { fromBuffer, type ZipFile } from 'yauzl';
import { packFolder } from './pack-folder.ts';

let root: string;
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'pack-folder-'));
});
after(() => rm(root, { recursive: true, force: true }));

async function folderWith(name: string, files: Record<string, string>): Promise<string> {
  const folder = join(root, name);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

async function namesIn(file: string): Promise<string[]> {
  const open = promisify<Buffer, { lazyEntries: boolean }, ZipFile>(fromBuffer);
  const zip = await open(await readFile(file), { lazyEntries: false });
  const names: string[] = [];
  zip.on('entry', (entry) => names.push(entry.fileName));
  await new Promise((resolve, reject) => zip.on('end', resolve).on('error', reject));
  return names;
}

const files = {
  'imsmanifest.xml': '<manifest/>',
  'b/z.js': '1',
  'b/a.js': '2',
  'A.html': 'é',
  'b-c.txt': '',
};

test('names are sorted, use forward slashes, and omit hidden files and links', async () => {
  const folder = await folderWith('names', { ...files, '.DS_Store': 'x', '.git/config': 'x', 'b/.keep': '' });
  await symlink('/etc/hostname', join(folder, 'link.txt'));
  const file = join(root, 'names.zip');
  await packFolder(folder, file);
  assert.deepEqual(await namesIn(file), ['A.html', 'b-c.txt', 'b/a.js', 'b/z.js', 'imsmanifest.xml']);
});

test('the same files yield the same bytes, whatever their modification times and the time zone', async () => {
  const one = await folderWith('one', files);
  const two = await folderWith('two', files);
  await utimes(join(two, 'b/z.js'), new Date(0), new Date(2_000_000_000_000));
  await packFolder(one, join(root, 'one.zip'));
  const zone = process.env.TZ;
  try {
    process.env.TZ = 'Asia/Kathmandu';
    await packFolder(two, join(root, 'two.zip'));
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
  assert.deepEqual(await readFile(join(root, 'one.zip')), await readFile(join(root, 'two.zip')));
});

test('a failure leaves neither an archive nor a partial file', async () => {
  const folder = await folderWith('failing', files);
  const target = join(root, 'nowhere', 'failing.zip');
  await assert.rejects(packFolder(folder, target), { code: 'ENOENT' });
  await assert.rejects(packFolder(join(root, 'missing'), join(root, 'missing.zip')), { code: 'ENOENT' });
  const left = (await readdir(root)).filter((name) => /missing\.zip|partial/.test(name));
  assert.deepEqual(left, []);
});
