import type { FileIndex } from '../../../../../standards/launch-path.ts';
import { toNfc } from '../../../platform/unicode.ts';

export function createFileIndex(paths: Iterable<string>): FileIndex {
  const exact = new Set(paths);
  const loose = new Map([...exact].map((path) => [loosely(path), path]));
  return {
    has: (path) => exact.has(path),
    find: (path) => (exact.has(path) ? path : (loose.get(loosely(path)) ?? null)),
  };
}

function loosely(path: string): string {
  return toNfc(path).toLowerCase();
}
