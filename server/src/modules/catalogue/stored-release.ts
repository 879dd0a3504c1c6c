import type { CourseTree, PackageWarning, Standard } from '../../../../standards/types.ts';

/** The cast is safe: only an import writes these columns, from its report on a checked package. */
export function contentsOf(row: { standard: string | null; tree: unknown }) {
  return row as { standard: Standard; tree: CourseTree };
}

/** Safe for the same reason as `contentsOf`. */
export function warningsOf(row: { warnings: unknown }): PackageWarning[] {
  return row.warnings as PackageWarning[];
}
