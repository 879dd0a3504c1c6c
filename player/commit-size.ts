import { resultsOnly, storageLimits } from '../standards/storage-limits.ts';
import type { Commit } from './contract.ts';

/** Larger commits are sent without everything that is not a result, because the service would reject them. */
export function fitting(commit: Commit): Commit {
  const isTooLarge =
    bytesOf(JSON.stringify(commit)) > storageLimits.commitBytes ||
    (commit.Tree?.length ?? 0) > storageLimits.treeCharacters;
  return isTooLarge ? reduced(commit) : commit;
}

export function reduced({ Tree: _, ...commit }: Commit): Commit {
  return { ...commit, Data: resultsOnly(commit.Data), DataOmitted: true };
}

export function bytesOf(text: string): number {
  return new Blob([text]).size;
}
