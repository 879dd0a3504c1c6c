import pino, { type Logger } from 'pino';

export type Log = Pick<Logger, 'info' | 'warn' | 'error' | 'debug' | 'isLevelEnabled'>;

/** Other members that the database adds to an error, such as `detail`, may contain a row's values and are left out. */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause } = error;
  return {
    type: name,
    message,
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    stack,
    ...(cause !== undefined && depth < 3 ? { cause: describeError(cause, depth + 1) } : {}),
  };
}

/**
 * Opens a log that writes JSON lines to standard output. Callers name each field: a request, header or body
 * is never logged as a whole.
 */
export function openLog(level: string, everyLine: Record<string, unknown> = {}): Logger {
  return pino({
    level,
    base: everyLine,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: (error) => describeError(error), error: (error) => describeError(error) },
  });
}
