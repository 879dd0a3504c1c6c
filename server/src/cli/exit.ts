import { StorageError } from '../infra/storage/object-store.ts';
import { Problem } from '../lib/errors.ts';

/** Returns the message of the root cause, because `fetch` itself only reports "fetch failed". */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : reasonOf(error.cause);
}

/** A start-up failure as one sentence for the operator. */
export function sentenceFor(error: unknown): string {
  const { code, cause } = error as { code?: string; cause?: unknown };
  if (cause instanceof StorageError) return cause.message;
  if (error instanceof Problem && code === 'unavailable')
    return `The database does not respond (${reasonOf(cause)}). Start it, or check DATABASE_URL.`;
  return error instanceof Error ? error.message : String(error);
}

/** With LOG_LEVEL=debug, the stack of an unexpected error is printed. */
export function exitWithReason(error: unknown): never {
  const sentence = sentenceFor(error);
  const isOwn = error instanceof Error && error.message === sentence;
  console.error(isOwn && process.env.LOG_LEVEL === 'debug' ? error : sentence);
  process.exit(1);
}
