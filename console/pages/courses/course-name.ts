import { idOf } from '../../parts/id-of.ts';
import { isSingleFile } from './file-types.ts';

/**
 * Suggests a CourseID for a file name: fire-safety-v2 for `Fire Safety (v2).zip`. Never suggests one that is already
 * taken.
 */
export function courseIdOf(fileName: string, taken: readonly string[] = []): string {
  const wanted = idOf(fileName.replace(/\.(zip|pdf|mp4|mp3|html?)$/i, '')) || 'course';
  for (let number = 1; ; number++) {
    const courseId = number === 1 ? wanted : `${wanted}-${number}`;
    if (!taken.includes(courseId)) return courseId;
  }
}

/** Suggests a title for a file that has none. Packages have their own. */
export function titleOf(fileName: string): string {
  return isSingleFile(fileName) ? fileName.replace(/\.\w+$/, '').replaceAll('_', ' ') : '';
}
