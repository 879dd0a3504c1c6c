import type { TObject } from 'typebox';
import { perform, type Submission } from '../../infra/calls/once.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import type { Problem } from '../../lib/errors.ts';
import { compileRows } from '../validation/validation.ts';
import { validationProblem } from '../validation/validation-issues.ts';
import { type FailedRows, type RowResult, refuse, type StepResult } from './refuse.ts';
import type { RowFormat, SourceRow } from './rows.ts';

/**
 * The outcome of one row: the status that a single call would have returned, the IDs of the record and, if it was
 * updated, the names of the changed fields. The warnings are for plans.
 */
export type RowDone = { Status: 200 | 201; Changed?: string[] } & RowWarnings & Record<string, unknown>;

/** Other users for whom a plan warns: with a similar LoginID, or with the same Email. */
type RowWarnings = { SimilarLoginID?: string; SameEmailLoginID?: string };

/** Does the slow work for one row and returns its row for the queue of a frequent verb. */
type Prepare<T> = (ctx: TenantContext, row: T) => Promise<Submission<RowDone>>;

/** The plan of a row and, if the row would succeed, of its next step. */
export type PlannedRow = PromiseSettledResult<RowDone> & { next?: PromiseSettledResult<RowDone> };

/** A second change for a row, in a transaction of its own. If it fails, the first change stays. */
export type NextStep<T> = {
  /** The member of the row's result that contains the result of this step. */
  name: string;
  /** The field of a row that asks for this step. */
  field: string;
  isWanted: (row: T) => boolean;
  prepare: Prepare<T>;
  /** Fields of the row that this step's result repeats. */
  names: readonly string[];
  /** Additional fields of this step's result. */
  ids: readonly string[];
};

export type BulkOperation<T> = {
  prepare: Prepare<T>;
  next?: NextStep<T>;
  /** Plans up to 200 rows without changing anything; each row succeeds or fails independently. */
  plan: (ctx: TenantContext, rows: T[]) => Promise<PlannedRow[]>;
  row: TObject;
  /** The exported record. Its other fields are ignored in rows. */
  record: TObject;
  /** Fields of the row that its result repeats. */
  names: readonly string[];
  /** Additional fields of the result. */
  ids: readonly string[];
};

/** Makes a step of a row idempotent. The first step has no name. */
export type Keyed = (
  row: number,
  prepare: () => Promise<Submission<RowDone>>,
  step: string | null,
) => Promise<RowDone>;

type Mode = { format: RowFormat; plan: boolean; keyed: Keyed | null; failed: FailedRows };

type Valid<T> = { row: number; value: T; result: RowResult };

/** Compiles the validation of a bulk operation once, on its first call. The returned function processes a chunk. */
export function openWork<T>(operation: BulkOperation<T>) {
  const checks: Partial<Record<RowFormat, ReturnType<typeof compileRows>>> = {};
  const { next } = operation;

  /** `keyed` is null without an Idempotency-Key. */
  return async (ctx: TenantContext, rows: SourceRow[], mode: Mode): Promise<RowResult[]> => {
    const { format, plan, failed } = mode;
    const results: RowResult[] = [];
    const valid: Valid<T>[] = [];
    for (const source of rows) {
      const problem = 'problem' in source ? source.problem : check(source.value, format);
      const names = 'value' in source ? named(source.value, operation.names) : {};
      const Trimmed = source.trimmed?.filter((name) => Object.hasOwn(operation.row.properties, name)) ?? [];
      const result: RowResult = {
        Row: source.row,
        Status: 0,
        ...names,
        ...(Trimmed.length > 0 && { Trimmed }),
        ...(plan && 'value' in source && damageIn(source.value)),
      };
      results.push(result);
      if (problem) refuse(failed, result, problem, plan);
      else if ('value' in source) valid.push({ row: source.row, value: source.value as T, result });
    }
    const settled: PlannedRow[] = plan
      ? await operation.plan(
          ctx,
          valid.map(({ value }) => value),
        )
      : await act(ctx, valid, operation.prepare, mode, null);
    for (const [at, { result }] of valid.entries()) finish(result, settled[at], mode);
    if (!next) return results;
    const following = valid.flatMap((one, at) => {
      const isWanted = settled[at]?.status === 'fulfilled' && next.isWanted(one.value);
      return isWanted ? [{ ...one, planned: settled[at]?.next }] : [];
    });
    const outcomes = plan
      ? following.map(({ planned }) => planned)
      : await act(ctx, following, next.prepare, mode, next.name);
    for (const [at, { result, value }] of following.entries()) {
      const step: StepResult = { Status: 0, ...named(value, next.names) };
      finish(step, outcomes[at], mode);
      result[next.name] = step;
    }
    return results;
  };

  function check(value: unknown, format: RowFormat): Problem | null {
    checks[format] ??= compileRows(operation.row, format === 'csv');
    const validate = checks[format];
    return validate(value) ? null : validationProblem(validate.errors ?? [], 'row');
  }
}

/** What spreadsheets make of values that they cannot show, in their English, German and French versions. */
export const damaged =
  /^(?:#(?:N\/A|NV|REF!|BEZUG!|VALUE!|WERT!|VALEUR!|NAME\?|NOM\?|DIV\/0!|NULL!|NUM!|ZAHL!|NOMBRE!|#+)|\d(?:[.,]\d+)?E\+\d+|=.*)$/i;

function damageIn(value: unknown): { Damaged?: string[] } {
  const Damaged = Object.entries(Object(value)).flatMap(([name, text]) =>
    typeof text === 'string' && damaged.test(text) ? [name] : [],
  );
  return Damaged.length > 0 ? { Damaged } : {};
}

/** The row's identifying fields, which its result repeats even if the row is rejected. */
function named(value: unknown, names: readonly string[]): Record<string, unknown> {
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  return Object.fromEntries(
    names.flatMap((name) => (typeof fields[name] === 'string' ? [[name, fields[name]]] : [])),
  );
}

function act<T>(
  ctx: TenantContext,
  rows: readonly Valid<T>[],
  prepare: Prepare<T>,
  { keyed }: Mode,
  step: string | null,
): Promise<PromiseSettledResult<RowDone>[]> {
  return Promise.allSettled(
    rows.map(({ row, value }) =>
      keyed ? keyed(row, () => prepare(ctx, value), step) : perform(ctx, () => prepare(ctx, value)),
    ),
  );
}

function finish(
  result: StepResult,
  outcome: PromiseSettledResult<RowDone> | undefined,
  { plan, failed }: Mode,
): void {
  if (outcome?.status === 'fulfilled') succeed(result, outcome.value, plan);
  else refuse(failed, result, outcome?.reason, plan);
}

function succeed(result: StepResult, done: RowDone, plan: boolean): void {
  if (!plan) Object.assign(result, done);
  else {
    const { Status, Changed, SimilarLoginID, SameEmailLoginID } = done;
    const Plan = Status === 201 ? 'created' : Changed?.length ? 'updated' : 'exists';
    const more = {
      ...(Changed && { Changed }),
      ...(SimilarLoginID !== undefined && { SimilarLoginID }),
      ...(SameEmailLoginID !== undefined && { SameEmailLoginID }),
    };
    Object.assign(result, { Status, Plan, ...more });
  }
}
