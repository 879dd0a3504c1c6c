import { type RowResult as BulkResult, logFailedRows, type StepResult } from '../../http/rows/refuse.ts';
import { type Keyed, openWork } from '../../http/rows/work-rows.ts';
import { once, valueOrThrow } from '../../infra/calls/once.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { nearest } from '../../lib/nearest.ts';
import { enrolmentRows, personRows } from '../enrolments/bulk.ts';
import { type Facts, nearestLogin } from './facts.ts';
import { prepareRow, type Refusal, similarLogin } from './prepare-row.ts';
import type { ImportLine, ImportRecord, RowResult } from './record.ts';
import type { Effect, ImportCounts, ImportNote, RowOutcome } from './schemas.ts';

const workPeople = openWork(personRows);
const workEnrolments = openWork(enrolmentRows);

/** Plans or applies the rows with the functions of the bulk calls. A row that must be repeated later has no result. */
export async function processRows(
  ctx: TenantContext,
  { record, facts, plan }: { record: ImportRecord; facts: Facts; plan: boolean },
  lines: readonly ImportLine[],
): Promise<(RowResult | null)[]> {
  const prepared = lines.map((line) => prepareRow(record, facts, line));
  const sent = prepared.flatMap((one, at) =>
    'value' in one ? [{ row: lines[at]?.line ?? 0, value: one.value }] : [],
  );
  // The first attempt to apply a row stores its outcome in the same transaction; a repetition returns it.
  const keyed: Keyed = async (row, prepare, step) => {
    const loginId = sent.find((one) => one.row === row)?.value.LoginID;
    const key = `import\0${record.import_id}\0${row}\0${step ?? ''}`;
    const request = { key, request: key, about: typeof loginId === 'string' ? loginId : null };
    return valueOrThrow((await once(ctx, request, prepare)).outcome);
  };
  const failed = logFailedRows(ctx.log, record.import_id);
  const work = record.subject === 'users' ? workPeople : workEnrolments;
  const results = await work(ctx, sent, { format: 'csv', plan, keyed: plan ? null : keyed, failed });
  failed.end();
  const done = results.values();
  const stored = await Promise.all(
    prepared.map(async (one, at) => {
      const line = lines[at] as ImportLine;
      if (!('value' in one)) return refused(line, one, one.nearest);
      const result = done.next().value as BulkResult;
      const toStore = resultOf(record, result, { line, notes: one.notes, value: one.value });
      return toStore && withNearest(ctx, toStore, result);
    }),
  );
  return stored;
}

function refused(line: ImportLine, { code, param, detail }: Refusal, nearest: string | null): RowResult {
  return {
    ...{ outcome: 'refused', loginId: line.login_id, courseId: line.fields.CourseID ?? null },
    ...{ user: null, enrolment: null, changed: [], notes: [], nearest, code, param, detail },
  };
}

const isTemporary = ({ Status }: StepResult) => Status >= 500 || Status === 429 || Status === 0;

function effectOf({ Status, Changed, code }: StepResult): Effect | null {
  if (code !== undefined) return null;
  if (Status === 201) return 'created';
  return Array.isArray(Changed) && Changed.length > 0 ? 'updated' : 'unchanged';
}

const textIn = (value: unknown) => (typeof value === 'string' ? value : null);

function detailOf(failure: Record<string, unknown> | null): string | null {
  const offered = failure?.AvailableEnrolOptions;
  if (!Array.isArray(offered) || offered.length === 0) return textIn(failure?.detail);
  const ids = offered.map(({ DurationID }) => String(DurationID));
  return `Enter one of these as the DurationID: ${ids.join(', ')}.`;
}

/** Null if the service was overloaded, so that the row must be repeated. */
function resultOf(
  { subject, options }: ImportRecord,
  result: BulkResult,
  { line, notes, value }: { line: ImportLine; notes: ImportNote[]; value: Record<string, unknown> },
): RowResult | null {
  const step = (result.Enrolment ?? null) as StepResult | null;
  if (isTemporary(result) || result.code === 'in_progress' || (step && isTemporary(step))) return null;
  const similar = textIn(result.SimilarLoginID);
  if (similar !== null && options.Similar !== 'create')
    return refused(line, similarLogin(String(value.LoginID), similar), similar);
  const user = subject === 'users' ? effectOf(result) : null;
  const enrolled = subject === 'users' ? step : result;
  const found = enrolled && effectOf(enrolled);
  const isChange = value.IfEnrolled === 'extend' || value.IfEnrolled === 'renew';
  const enrolment = found === 'unchanged' && isChange ? 'updated' : found;
  const failure = result.code === undefined ? (step?.code === undefined ? null : step) : result;
  const sameEmail = textIn(result.SameEmailLoginID);
  return {
    outcome: outcomeOf(user, enrolment, failure !== null),
    loginId: textIn(value.LoginID),
    courseId: textIn(value.CourseID),
    ...(typeof enrolled?.EnrollID === 'string' && { enrollId: enrolled.EnrollID }),
    user,
    enrolment,
    changed: Array.isArray(result.Changed) ? result.Changed.map(String) : [],
    notes: sameEmail === null ? notes : [...notes, { Kind: 'same_email', Value: sameEmail, Nearest: null }],
    nearest: sameEmail,
    code: textIn(failure?.code),
    param: textIn(failure?.param),
    detail: detailOf(failure),
  };
}

function outcomeOf(user: Effect | null, enrolment: Effect | null, hasFailed: boolean): RowOutcome {
  if (hasFailed) return user === 'created' || user === 'updated' ? 'partial' : 'refused';
  const effects = [user, enrolment];
  if (effects.includes('created')) return 'created';
  return effects.includes('updated') ? 'updated' : 'unchanged';
}

/** Adds the existing name that was probably meant. */
async function withNearest(ctx: TenantContext, row: RowResult, result: BulkResult): Promise<RowResult> {
  const near = async () => {
    if (row.code === 'user_not_found') return nearestLogin(ctx, row.loginId ?? '');
    if (row.code !== 'option_not_found') return null;
    const step = (result.Enrolment ?? result) as StepResult;
    const offered = (step.AvailableEnrolOptions ?? []) as { DurationID: string }[];
    const asked = textIn(step.DurationID) ?? '';
    return nearest(asked, offered, ({ DurationID }) => DurationID)?.DurationID ?? null;
  };
  const found = await near();
  if (found === null) return row;
  return { ...row, nearest: found, detail: `${row.detail} Did you mean “${found}”?` };
}

const counted = {
  created: 'Created',
  updated: 'Updated',
  unchanged: 'Unchanged',
  partial: 'Partial',
  refused: 'Refused',
} as const satisfies Record<RowOutcome, keyof ImportCounts>;

export function countResults(before: ImportCounts, results: readonly RowResult[]): ImportCounts {
  const counts = { ...before };
  for (const { outcome, user, enrolment } of results) {
    counts.Done++;
    counts[counted[outcome]]++;
    if (user === 'created') counts.UsersCreated++;
    if (enrolment === 'created') counts.EnrolmentsCreated++;
  }
  return counts;
}
