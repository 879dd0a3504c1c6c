import { Problem } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { toProblem } from '../problems.ts';

export type StepResult = { Status: number } & Record<string, unknown>;
export type RowResult = StepResult & { Row: number };

/** Logs rows that failed because of the service. */
export type FailedRows = { add: (error: unknown) => void; end: () => void };

/** Logs the first failure of a call and the number of others, because a call can have millions of rows. */
export function logFailedRows(log: Pick<Log, 'error'>, request_id: string): FailedRows {
  let others = -1;
  return {
    add: (error) => {
      if (++others === 0) log.error({ request_id, err: error }, 'a row of a bulk call failed');
    },
    end: () => {
      if (others > 0) log.error({ request_id, rows: others }, 'more rows of the bulk call failed');
    },
  };
}

export function refuse<Result extends StepResult>(
  failed: FailedRows,
  result: Result,
  error: unknown,
  plan: boolean,
): Result {
  const problem =
    toProblem(error) ??
    new Problem('internal_error', 'The service failed to process this row. Send it again.');
  if (problem.status >= 500) failed.add(error);
  const { retryAfter, errors, ...extras } = problem.extras;
  return Object.assign(result, {
    Status: problem.status,
    ...(plan ? { Plan: problem.code === 'user_exists' ? 'differs' : 'error' } : {}),
    code: problem.code,
    detail: problem.message,
    ...extras,
  });
}
