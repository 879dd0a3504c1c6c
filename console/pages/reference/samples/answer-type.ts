import type { Entry } from '../document.ts';

/** The media type of the response to a valid request; null if it has no body. `isSuccess` is false for redirects. */
export function answerTypeOf(entry: Entry): { type: string | null; isSuccess: boolean } {
  const [status, answer] = Object.entries(entry.responses).find(([status]) => /^[23]/.test(status)) ?? [''];
  const types = Object.keys(answer?.content ?? {});
  const other = types.find((type) => type !== 'application/json');
  return { type: other ?? types[0] ?? null, isSuccess: status.startsWith('2') };
}
