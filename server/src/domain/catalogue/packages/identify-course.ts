import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readAiccCourse } from '../../../../../standards/aicc/course.ts';
import {
  type CourseFiles,
  findCourseFiles,
  maxFileBytes,
} from '../../../../../standards/aicc/course-files.ts';
import { authoringToolOf } from '../../../../../standards/authoring-tools.ts';
import { readCourseStructure } from '../../../../../standards/cmi5/course-structure.ts';
import type { FileIndex } from '../../../../../standards/launch-path.ts';
import { readManifest } from '../../../../../standards/manifest.ts';
import type { PackageReport } from '../../../../../standards/types.ts';
import type { createWarnings } from '../../../../../standards/warnings.ts';
import { rejectOtherStandards, startPage, titleOfPage, webTree } from '../../../../../standards/web.ts';
import { readXapiPackage } from '../../../../../standards/xapi-package.ts';
import { invalid, maxXmlBytes } from '../../../../../standards/xml.ts';
import { Problem } from '../../../lib/errors.ts';
import { checkTree } from './check-tree.ts';
import { createFileIndex } from './file-index.ts';
import { readHead } from './read-head.ts';

export type Warnings = ReturnType<typeof createWarnings>;
export type Course = Pick<PackageReport, 'Standard' | 'Title' | 'Tree'>;

type Unpacked = { folder: string; files: FileIndex; fallback: string; warn: Warnings['warn'] };

const manifestNames = ['imsmanifest.xml', 'cmi5.xml', 'tincan.xml'] as const;

/** Describes the course in an unpacked folder, based on its manifest or, if there is none, on its start page. */
export async function identifyCourse(
  folder: string,
  paths: string[],
  title: string | null,
  warnings: Warnings,
): Promise<Course> {
  const files = createFileIndex(paths);
  const course = await identify(folder, paths, title, { files, warnings });
  checkTree(course.Tree);
  const tool = authoringToolOf(files);
  if (tool === null) return course;
  if (tool.note && course.Standard === 'xapi') warnings.warn('tincan.xml')('note', tool.note);
  return { ...course, Tree: { ...course.Tree, AuthoringTool: tool.name } };
}

async function identify(
  folder: string,
  paths: string[],
  title: string | null,
  { files, warnings: { warn } }: { files: FileIndex; warnings: Warnings },
): Promise<Course> {
  const unpacked = { folder, files, fallback: title ?? 'Untitled course', warn };
  for (const name of manifestNames) {
    const found = files.find(name);
    if (found !== null) return describe(name, found, unpacked);
  }
  const aicc = findCourseFiles(paths);
  if (aicc) return describeAicc(aicc, unpacked);
  rejectOtherStandards(files);
  const page = startPage(paths, files);
  if (page === null) throw noCourse(paths);
  const titleOfCourse = titleOfPage(await readHead(join(folder, page))) ?? unpacked.fallback;
  return { Standard: 'web', Title: titleOfCourse, Tree: webTree(page, titleOfCourse) };
}

async function describe(
  name: (typeof manifestNames)[number],
  found: string,
  { folder, files, fallback, warn }: Unpacked,
): Promise<Course> {
  const path = join(folder, found);
  if ((await stat(path)).size > maxXmlBytes) throw invalid(found, null, 'it is larger than 16 MiB');
  if (found !== name)
    warn(found)('note', `The file should be named ${name}; this makes no difference to learners`);
  const bytes = await readFile(path);
  if (name === 'cmi5.xml')
    return { Standard: 'cmi5', ...readCourseStructure(bytes, found, files, warn(found)) };
  const report =
    name === 'tincan.xml'
      ? { Standard: 'xapi' as const, ...readXapiPackage(bytes, found, files, warn(found)) }
      : readManifest(bytes, found, files, warn(found));
  return { ...report, Title: report.Title ?? fallback };
}

async function describeAicc(
  found: CourseFiles,
  { folder, files, fallback, warn }: Unpacked,
): Promise<Course> {
  const bytes = new Map<string, Uint8Array>();
  for (const path of [found.crs, found.au, found.des, found.cst, ...found.ignored]) {
    if (path === null) continue;
    const file = join(folder, path);
    if ((await stat(file)).size > maxFileBytes) throw invalid(path, null, 'it is larger than 4 MiB');
    bytes.set(path, await readFile(file));
  }
  const course = readAiccCourse({ found, bytes, files, warn });
  return { Standard: 'aicc', ...course, Title: course.Title ?? fallback };
}

function noCourse(paths: string[]): Problem {
  const deeper = paths.find((path) => /(^|\/)(imsmanifest|cmi5|tincan)\.xml$/i.test(path));
  const hint = deeper
    ? `There is a manifest at ${deeper}: zip the contents of that folder, not the folder itself.`
    : 'Put imsmanifest.xml (SCORM), cmi5.xml, tincan.xml (xAPI), the .crs and .au files (AICC) or index.html (web page) at the top level of the zip.';
  return new Problem(
    'package_invalid',
    `The zip has neither a manifest nor a start page at its top level. ${hint}`,
  );
}
