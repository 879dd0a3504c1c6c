import { Problem } from './platform/errors.ts';

function reasonOf(cause: unknown): string {
  return cause instanceof AggregateError
    ? reasonOf(cause.errors[0])
    : cause instanceof Error
      ? cause.message
      : String(cause);
}

/** A start-up failure is reported as one sentence; the stack is logged with LOG_LEVEL=debug. */
export function exitWithReason(error: unknown): never {
  const { code, cause } = error as { code?: string; cause?: unknown };
  if (code === 'EADDRINUSE')
    console.error(
      'The port is in use. Stop the program that is listening on it, or set PORT and CONTENT_PORT.',
    );
  else if (error instanceof Problem && code === 'unavailable')
    console.error(`The database does not respond (${reasonOf(cause)}). Start it, or check DATABASE_URL.`);
  else console.error(error instanceof Error && process.env.LOG_LEVEL !== 'debug' ? error.message : error);
  process.exit(1);
}
