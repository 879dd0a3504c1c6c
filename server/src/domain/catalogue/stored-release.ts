import { type Course, prepareCourse } from '../../../../scorm/sequencing/course.ts';
import { traits } from '../../../../standards/traits.ts';
import type { CompleteWhen, CourseTree, PackageWarning, Standard } from '../../../../standards/types.ts';

/** The cast is safe: only an import writes these columns, from its report on a checked package. */
export function contentsOf(row: { standard: string | null; tree: unknown }) {
  return row as { standard: Standard; tree: CourseTree };
}

/** This cast is safe for the same reason as the one in `contentsOf`. */
export function warningsOf(row: { warnings: unknown }): PackageWarning[] {
  return row.warnings as PackageWarning[];
}

/** The cast is safe: only values that the schema of CompleteWhen accepts are written to the column. */
export const ruleOf = (row: { complete_when: unknown }) => row.complete_when as CompleteWhen | null;

/** The tree prepared for sequencing; null for standards without it. */
export function prepared(standard: Standard, tree: CourseTree, title: string): Course | null {
  return traits[standard].isSequenced ? prepareCourse(tree, title) : null;
}
