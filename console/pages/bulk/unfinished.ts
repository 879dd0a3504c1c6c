import { newRequestKey } from '../../parts/request-key.ts';

const storageKey = 'lectern-import';
/** One hour less than the 24 hours for which the service replays responses. */
const keptMilliseconds = 23 * 3_600_000;

type Kept = { signature: string; key: string; at: number };

function read(): Kept | null {
  try {
    const kept: Kept | null = JSON.parse(localStorage.getItem(storageKey) ?? 'null');
    return kept && Date.now() - kept.at < keptMilliseconds ? kept : null;
  } catch {
    return null;
  }
}

/** Whether an import of the same file with the same columns was interrupted. */
export const isUnfinished = (signature: string) => read()?.signature === signature;

/** The signature of an interrupted import, or null. */
export const unfinishedSignature = () => read()?.signature ?? null;

/** The ID of an import. An interrupted import keeps its ID, so that completed rows are not repeated. */
export function begin(signature: string): string {
  const kept = read();
  if (kept?.signature === signature) return kept.key;
  const key = newRequestKey();
  try {
    localStorage.setItem(storageKey, JSON.stringify({ signature, key, at: Date.now() } satisfies Kept));
  } catch {
    // If the storage is full, an interrupted import cannot be continued in another tab.
  }
  return key;
}

export function finish(signature: string): void {
  if (isUnfinished(signature)) localStorage.removeItem(storageKey);
}
