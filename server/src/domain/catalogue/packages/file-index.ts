import type { FileIndex } from '../../../../../standards/launch-path.ts';
import { toNfc } from '../../../lib/unicode.ts';

export function createFileIndex(paths: Iterable<string>): FileIndex {
  const exact = new Set(paths);
  const loose = new Map([...exact].map((path) => [foldCase(path), path]));
  return {
    has: (path) => exact.has(path),
    find: (path) => (exact.has(path) ? path : (loose.get(foldCase(path)) ?? null)),
  };
}

function foldCase(path: string): string {
  return toNfc(path).toLowerCase();
}
