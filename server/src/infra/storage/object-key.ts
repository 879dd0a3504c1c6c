import type { StoredFile } from './package-files.ts';

export const objectsBelow = 'blobs/';

/** Each upload has a key of its own, so that an upload never meets the removal of an older one. */
export const keyOf = ({ sha256, uploadId }: Pick<StoredFile, 'sha256' | 'uploadId'>): string =>
  `${objectsBelow}${sha256}.${uploadId}`;

export function parseKey(key: string): Pick<StoredFile, 'sha256' | 'uploadId'> | null {
  const [, sha256, uploadId] = /^blobs\/([0-9a-f]{64})\.([0-9a-f-]{36})$/.exec(key) ?? [];
  return sha256 && uploadId ? { sha256, uploadId } : null;
}
