import { isDeepStrictEqual } from 'node:util';

/** The names of the given fields whose values differ from the record's. */
export function differences(sent: Record<string, unknown>, record: Record<string, unknown>): string[] {
  return Object.keys(sent).filter((name) => !isDeepStrictEqual(sent[name], record[name]));
}
