import { mkdir, open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readCourseStructure } from '../../../../../standards/cmi5/course-structure.ts';
import type { PackageReport } from '../../../../../standards/types.ts';
import { invalid, maxXmlBytes } from '../../../../../standards/xml.ts';
import { checkTree } from './check-tree.ts';
import type { Warnings } from './identify-course.ts';
import { syncFolder } from './zip-extract.ts';

const name = 'cmi5.xml';

/** Whether the upload is a bare XML file instead of a zip. */
export async function isXmlFile(file: string): Promise<boolean> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(64), 0, 64, 0);
    const [, start] =
      /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[\s\0]*(.?)/s.exec(buffer.toString('latin1', 0, bytesRead)) ?? [];
    return start === '<';
  } finally {
    await handle.close();
  }
}

/** Imports a cmi5 course structure whose AUs are all hosted elsewhere. The release's folder contains only this file. */
export async function readCourseStructureFile(
  { file, folder }: { file: string; folder: string },
  warnings: Warnings,
): Promise<Omit<PackageReport, 'Warnings'>> {
  const { size } = await stat(file);
  if (size > maxXmlBytes) throw invalid(name, null, 'it is larger than 16 MiB');
  const bytes = await readFile(file);
  const course = readCourseStructure(bytes, name, null, warnings.warn(name));
  checkTree(course.Tree);
  await mkdir(folder);
  const copy = await open(join(folder, name), 'wx', 0o644);
  try {
    await copy.writeFile(bytes);
    await copy.sync();
  } finally {
    await copy.close();
  }
  await syncFolder(folder);
  return { Standard: 'cmi5', ...course, Files: 1, Bytes: size };
}
