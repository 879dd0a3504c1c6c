import type { GroupEnrolment } from './group-rows.ts';
import type { Source } from './source.ts';
import { unfinishedSignature } from './unfinished.ts';

type Wanted = Omit<GroupEnrolment, 'users'>;
type Kept = readonly [owner: string, of: 'group', selectedId: string | null, wanted: Wanted, people: number];

/** FNV-1a. A collision is harmless, because the service compares the rows. */
function hashOf(texts: readonly string[]): number {
  let hash = 0x811c9dc5;
  for (const text of texts)
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** Identifies the people of a plan without naming them, because the signature is stored in the browser. */
export const peopleIn = ({ cells }: Source) => hashOf(cells.map(([loginId]) => loginId ?? ''));

/**
 * Identifies an enrolment of a group by its owner, so that it can be continued in another tab. If the group has
 * changed, people are enrolled in a new call, but an extension is continued or rejected, because nobody may be
 * extended twice.
 */
export function signatureOf(
  owner: string,
  selectedId: string | undefined,
  { users: _, ...wanted }: GroupEnrolment,
  people: number,
): string {
  const same = wanted.ifEnrolled === 'extend' ? 0 : people;
  return JSON.stringify([owner, 'group', selectedId ?? null, wanted, same] satisfies Kept);
}

/** The choices made for an interrupted enrolment of this group or selection, or null. */
export function unfinishedGroup(owner: string, selectedId: string | undefined): Wanted | null {
  const signature = unfinishedSignature();
  const kept: unknown = signature === null ? null : JSON.parse(signature);
  if (!isKept(kept)) return null;
  const [keptOwner, , keptSelection, wanted] = kept;
  return keptOwner === owner && keptSelection === (selectedId ?? null) ? wanted : null;
}

const isKept = (kept: unknown): kept is Kept =>
  Array.isArray(kept) && kept[1] === 'group' && kept.length === 5;
