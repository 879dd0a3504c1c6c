import { updateOwn } from '../../db/own-rows.ts';
import { run, transaction } from '../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { requireScope } from '../../infra/context/scopes.ts';
import { invalid, Problem } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { cleanText } from '../../lib/unicode.ts';
import { audit } from '../audit/chain.ts';
import { dayOrInstantOf } from './dates.ts';
import { findCourse, readCourses } from './facts.ts';
import { columnsOf, type FileColumn, isField, type Subject, subjectOf, withMeanings } from './headings.ts';
import { type FileRow, readFile } from './read-file.ts';
import type { ImportCounts, ImportOptions, NewImport } from './schemas.ts';

export const noCounts = (rows: number): ImportCounts => ({
  ...{ Rows: rows, Done: 0, Created: 0, Updated: 0, Unchanged: 0, Partial: 0, Refused: 0 },
  ...{ UsersCreated: 0, EnrolmentsCreated: 0 },
});

/** Who works on an import in the background: the caller, with the caller's scopes. */
export const workerOf = ({ actor, scopes }: TenantContext) => ({
  actor: JSON.stringify({ ...actor, address: null }),
  scopes: scopes ? [...scopes] : null,
});

function chosenColumns(names: readonly string[], { Columns, CourseID }: NewImport): FileColumn[] {
  const hasCourse = CourseID !== undefined;
  if (Columns === undefined) return columnsOf(names, hasCourse);
  const chosen = Columns.split(',').map((name) => name.trim() || null);
  const unknown = chosen.find((name) => name !== null && !isField(name));
  const param = { param: 'Columns' };
  if (unknown != null)
    throw new Problem(
      'validation_failed',
      `“${unknown}” is not a field. Leave it blank, or use a field.`,
      param,
    );
  if (chosen.length > names.length)
    throw new Problem('validation_failed', `The file has only ${names.length} columns.`, param);
  const known = chosen.filter((name) => name !== null);
  const twice = known.find((name, at) => known.indexOf(name) !== at);
  if (twice !== undefined)
    throw new Problem('validation_failed', `Two columns are ${twice}. Leave one of them blank.`, param);
  return withMeanings(names, chosen, hasCourse || known.includes('CourseID'));
}

/** Options that are wrong for all rows are rejected before anything is stored. */
async function checkOptions(ctx: TenantContext, input: NewImport): Promise<void> {
  const { CourseID, ExpiresAt } = input;
  if (CourseID !== undefined) {
    const found = findCourse(await readCourses(ctx), CourseID);
    if ('detail' in found) throw invalid('CourseID', found.detail);
  }
  const end = ExpiresAt === undefined ? '' : dayOrInstantOf(ExpiresAt, input.DateOrder ?? null);
  if (end === null || end === 'ambiguous')
    throw invalid('ExpiresAt', `“${ExpiresAt}” is not a date, or could be two days. Write it as 2027-04-03.`);
}

const insertRows = `
insert into import_row (tenant_id, import_id, line, login_id, fields)
select $1, $2, sent.line, sent.login_id, sent.fields
from jsonb_to_recordset($3::jsonb) as sent (line integer, login_id text, fields jsonb)`;

const rowsAtOnce = 500;

/** Text that people and spreadsheets write into a cell that has no value. */
const placeholder = /^(n\/a|-+|–|—)$/i;

function toStored({ line, cells }: FileRow, columns: readonly FileColumn[]) {
  const fields = columns.flatMap(({ Field }, at) => {
    const text = (cells[at] ?? '').trim();
    return Field === null || text === '' || placeholder.test(text) ? [] : [[Field, text] as const];
  });
  const known = Object.fromEntries(fields);
  const loginId = known.LoginID === undefined ? null : cleanText(known.LoginID).slice(0, 1000);
  return { line, login_id: loginId, fields: known };
}

/**
 * Stores a file as an import, which is then planned in the background. An upload that is interrupted leaves an import
 * that nobody sees and a job deletes.
 */
export async function startImport(
  ctx: TenantContext,
  { file, ...input }: NewImport & { file: Buffer },
): Promise<string> {
  const { Plan = false, Name = 'import.csv', Of, Columns: _, ...options } = input;
  await checkOptions(ctx, input);
  const { names, rows } = await readFile(file);
  const columns = chosenColumns(names, input);
  if (!columns.some(({ Field }) => Field === 'LoginID'))
    throw invalid(
      'LoginID',
      `No column is recognised as LoginID. The columns are: ${names.join(', ').slice(0, 300)}. Rename one of them, or send Columns.`,
    );
  const hasCourse = input.CourseID !== undefined || columns.some(({ Field }) => Field === 'CourseID');
  const subject = Of ?? subjectOf(columns, hasCourse);
  if (subject === 'enrolments' && !hasCourse)
    throw invalid(
      'CourseID',
      'The file names no course. Add a column CourseID, or choose one course for the whole file.',
    );
  if (hasCourse) requireScope(ctx, 'enrolments:write', 'Enrolling');
  return storeImport(ctx, {
    ...{ name: Name, subject, isAutomatic: !Plan, options, columns, platformId: null },
    rows: rows.map((row) => toStored(row, columns)),
  });
}

type Stored = ReturnType<typeof toStored>;

/** Stores the rows, in steps unless the caller has a transaction, and leaves the plan to the background. */
export async function storeImport(
  ctx: TenantContext,
  input: {
    name: string;
    subject: Subject;
    isAutomatic: boolean;
    options: ImportOptions;
    columns: FileColumn[];
    rows: readonly Stored[];
    platformId: string | null;
  },
): Promise<string> {
  const { name, subject, isAutomatic, options, columns, rows, platformId } = input;
  const importId = newId(ctx.now());
  await ctx.db
    .insertInto('import')
    .values({
      ...{ tenant_id: ctx.tenantId, import_id: importId, name, subject, status: 'reading' },
      ...{ is_automatic: isAutomatic, options: JSON.stringify(options), platform_id: platformId },
      ...{ columns: JSON.stringify(columns), counts: JSON.stringify(noCounts(rows.length)) },
      ...{ ...workerOf(ctx), created_at: tenantNow(ctx) },
    })
    .execute();
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    await run(ctx, insertRows, [ctx.tenantId, importId, JSON.stringify(rows.slice(at, at + rowsAtOnce))]);
  }
  await transaction(ctx, async (ctx) => {
    await updateOwn(ctx, 'import', { import_id: importId }).set({ status: 'planning' }).execute();
    const data = { Rows: rows.length };
    if (isAutomatic) await audit(ctx, 'import.applied', importId, data);
  });
  return importId;
}
