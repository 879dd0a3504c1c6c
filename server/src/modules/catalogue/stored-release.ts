import type { CourseTree, PackageWarning, Standard } from '../../../../standards/types.ts';

/** The cast is right: only an import writes these columns, from the report on a package that it has checked. */
export function contentsOf(row: { standard: string | null; tree: unknown }) {
  return row as { standard: Standard; tree: CourseTree };
}

/** As `contentsOf`, for the same reason. */
export function warningsOf(row: { warnings: unknown }): PackageWarning[] {
  return row.warnings as PackageWarning[];
}
