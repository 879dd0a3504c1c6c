import { bodyOf, type Entry } from '../document.ts';

export type AnswerType = {
  /** The media type; null if the response has no body. */
  type: string | null;
  /** False for redirects. */
  isSuccess: boolean;
  /** Whether the response is a page of a list. */
  isPage: boolean;
};

/** The response to a valid request. JSON is the default of operations that can also return other types. */
export function answerTypeOf(entry: Entry): AnswerType {
  const [status, answer] = Object.entries(entry.responses).find(([status]) => /^[23]/.test(status)) ?? [''];
  const body = bodyOf(answer?.content);
  const fields = body?.schema.properties ?? {};
  return {
    type: body?.type ?? null,
    isSuccess: status.startsWith('2'),
    isPage: 'Items' in fields && 'NextCursor' in fields,
  };
}
