import { cp, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packFolder } from '../../src/lib/pack-folder.ts';

/** The phishing course with a newer first page. */
export async function packSecondRelease(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-'));
  await cp(join(import.meta.dirname, '../../../courses/phishing'), join(folder, 'course'), {
    recursive: true,
  });
  const page = join(folder, 'course/index.html');
  await writeFile(page, `${await readFile(page, 'utf8')}<!-- second release -->`);
  await packFolder(join(folder, 'course'), join(folder, 'course.zip'));
  return join(folder, 'course.zip');
}

/** A SCORM 1.2 course with this many units, which share a page. */
export async function packUnits(count: number): Promise<string> {
  const units = Array.from({ length: count }, (_, unit) => unit);
  const items = units.map(
    (unit) =>
      `<item identifier="unit-${unit}" identifierref="page-${unit}"><title>Unit ${unit}</title></item>`,
  );
  const resources = units.map(
    (unit) =>
      `<resource identifier="page-${unit}" type="webcontent" adlcp:scormtype="sco" href="page.html?unit=${unit}"><file href="page.html"/></resource>`,
  );
  return packFiles({
    'page.html': '<!doctype html><title>Unit</title>',
    'imsmanifest.xml': `<manifest identifier="course" version="1" xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2"><metadata><schema>ADL SCORM</schema><schemaversion>1.2</schemaversion></metadata><organizations default="all"><organization identifier="all"><title>Units</title>${items.join('')}</organization></organizations><resources>${resources.join('')}</resources></manifest>`,
  });
}

/** A zip with these files. */
export async function packFiles(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-'));
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, 'course', name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  await packFolder(join(folder, 'course'), join(folder, 'course.zip'));
  return join(folder, 'course.zip');
}
