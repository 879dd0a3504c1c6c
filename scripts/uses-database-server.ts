import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const imported = /(?:from|import)\s*\(?'(\.[^']+\.tsx?)'/g;

/** Whether a test connects to the server in TEST_DATABASE_URL, directly or through its imports. */
export function usesDatabaseServer(file: string, seen: Set<string> = new Set()): boolean {
  if (seen.has(file) || !existsSync(file)) return false;
  seen.add(file);
  const source = readFileSync(file, 'utf8');
  if (source.includes('TEST_DATABASE_URL')) return true;
  return [...source.matchAll(imported)].some(([, path = '']) =>
    usesDatabaseServer(join(dirname(file), path), seen),
  );
}
