import { PackageRejection } from '../rejection.ts';
import type { Warn } from '../warnings.ts';
import { invalid } from '../xml.ts';
import { readTable, type Table, TableError } from './tables.ts';

/** The paths in the package of the files that describe an AICC course. */
export type CourseFiles = {
  crs: string;
  au: string;
  des: string | null;
  cst: string | null;
  /** Prerequisites and completion requirements, which are not enforced. */
  ignored: string[];
};

export const maxFileBytes = 4 * 1_048_576;

const splitPath = (path: string) => {
  const [, folder = '', name = '', extension = ''] = /^(.*\/)?([^/]*)\.([^./]*)$/.exec(path) ?? [];
  return { path, folder, name: name.toLowerCase(), extension: extension.toLowerCase() };
};

/**
 * Finds the `.crs` file of a course, and the other course files in its folder. Returns null if there is no
 * course. An `.au` file without a `.crs` file in the same folder may be an audio file.
 */
export function findCourseFiles(paths: readonly string[]): CourseFiles | null {
  const all = paths.map(splitPath);
  const besides = new Map<string, typeof all>();
  for (const file of all) {
    if (!/^(au|des|cst|pre|cmp)$/.test(file.extension)) continue;
    const folder = besides.get(file.folder) ?? [];
    besides.set(file.folder, folder);
    folder.push(file);
  }
  const courses = all.filter(
    ({ folder, extension }) =>
      extension === 'crs' && besides.get(folder)?.some((file) => file.extension === 'au'),
  );
  const [course] = courses;
  if (!course) return null;
  if (courses.length > 1) throw severalCourses(courses.map(({ path }) => path));
  const beside = (extension: string) => {
    const found = besides.get(course.folder)?.filter((file) => file.extension === extension) ?? [];
    return (found.find(({ name }) => name === course.name) ?? found[0])?.path ?? null;
  };
  return {
    ...{ crs: course.path, au: beside('au') ?? '', des: beside('des'), cst: beside('cst') },
    ignored: [beside('pre'), beside('cmp')].filter((path) => path !== null),
  };
}

function severalCourses(paths: string[]): PackageRejection {
  const named = paths.slice(0, 3).join(', ').slice(0, 500);
  const detail = `The zip contains ${paths.length} AICC courses (${named}). Upload each course as a separate zip.`;
  return new PackageRejection('package_invalid', detail);
}

/** Decodes UTF-8 or windows-1252, which most older files use. */
export function decodeText(bytes: Uint8Array, warn: Warn): string {
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe;
  try {
    return printable(new TextDecoder(isWide ? 'utf-16le' : 'utf-8', { fatal: true }).decode(bytes));
  } catch {
    warn(
      'warning',
      'The text is not UTF-8, so it was read as Windows-1252; accented letters in titles may look wrong to learners',
    );
    return printable(new TextDecoder('windows-1252').decode(bytes));
  }
}

/** Control characters cannot be stored. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this removes them.
const printable = (text: string) => text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g, '');

/** The maximum number of columns. A structure file has one column for each member of its largest block. */
const maxColumns = 2_000;

/** Reads the table in a course file. */
export function tableIn(text: string, file: string): Table {
  try {
    return readTable(text, maxColumns);
  } catch (error) {
    throw error instanceof TableError ? invalid(file, error.line, error.message) : error;
  }
}

/** A value from the `.crs` file, which consists of groups of `name=value` lines. Null if it is missing. */
export function courseValue(text: string, group: string, name: string): string | null {
  let current = '';
  for (const line of text.split(/\r\n|\r|\n/)) {
    const heading = /^\s*\[([^\]]{1,100})\]\s*$/.exec(line)?.[1];
    if (heading !== undefined) current = heading.trim().toLowerCase();
    else if (current === group) {
      const equals = line.indexOf('=');
      if (line.slice(0, equals).trim().toLowerCase() === name) return line.slice(equals + 1).trim() || null;
    }
  }
  return null;
}
