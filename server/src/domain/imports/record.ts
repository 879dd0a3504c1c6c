import type { Selectable } from 'kysely';
import type { Schema } from '../../db/engine/generated.ts';
import { ownRows } from '../../db/own-rows.ts';
import { type Actor, type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { isScope, type Scope } from '../../infra/context/scopes.ts';
import { Problem } from '../../lib/errors.ts';
import { undoMs } from '../users/untouched.ts';
import type { FileColumn, Subject } from './headings.ts';
import type {
  Effect,
  Import,
  ImportCounts,
  ImportNote,
  ImportOptions,
  ImportRow,
  ImportStatus,
  RowOutcome,
  UndoCounts,
} from './schemas.ts';

/** What comes of a row, as stored. */
export type RowResult = {
  outcome: RowOutcome;
  loginId: string | null;
  courseId: string | null;
  enrollId?: string;
  user: Effect | null;
  enrolment: Effect | null;
  changed: string[];
  notes: ImportNote[];
  nearest: string | null;
  code: string | null;
  param: string | null;
  detail: string | null;
};

/** What an undo has done with a row. `reason` is null if nothing of it stays. */
export type RowUndo = { users: number; restored: number; enrolments: number; reason: string | null };

const undoneOf = ({ users, restored, enrolments, reason }: RowUndo) =>
  reason === null ? 'removed' : users + restored + enrolments > 0 ? 'partly' : 'kept';

type Stored = Selectable<Schema['import']>;
export type ImportRecord = Omit<
  Stored,
  'subject' | 'status' | 'options' | 'columns' | 'counts' | 'undo_counts' | 'actor' | 'scopes'
> & {
  subject: Subject;
  status: ImportStatus | 'reading';
  options: ImportOptions;
  columns: FileColumn[];
  counts: ImportCounts;
  undo_counts: UndoCounts | null;
  actor: Actor;
  scopes: Scope[] | null;
};

/** Safe because only this room writes the table. */
export const recordOf = (row: Stored): ImportRecord => ({
  ...(row as unknown as ImportRecord),
  scopes: row.scopes?.filter(isScope) ?? null,
});

type StoredRow = Selectable<Schema['import_row']>;
export type ImportLine = Pick<StoredRow, 'line' | 'login_id'> & {
  fields: Record<string, string>;
  plan: RowResult | null;
  result: RowResult | null;
  undo: RowUndo | null;
};

/** Safe because only this room writes the table. */
export const lineOf = (row: StoredRow): ImportLine => row as unknown as ImportLine;

export const importNotFound = () =>
  new Problem('import_not_found', 'No import has this ImportID. Imports are deleted after 30 days.');

/** The import of the tenant. With `lock`, its row is locked until the transaction ends. */
export async function readRecord(
  ctx: TenantContext,
  { importId, lock = false }: { importId: string; lock?: boolean },
): Promise<ImportRecord> {
  const isUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(importId);
  if (!isUuid) throw importNotFound();
  const row = await ownRows(ctx, 'import', { import_id: importId })
    .selectAll()
    .where('status', '<>', 'reading')
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst();
  if (!row) throw importNotFound();
  return recordOf(row);
}

const dayMs = 86_400_000;
/** Long enough to find out in a month-end check what a file has done. */
export const keptMs = 30 * dayMs;
/** A file is undone by the person who has imported it. Members arrive at night, so somebody notices later. */
export const undoMsOf = ({ platform_id }: Pick<ImportRecord, 'platform_id'>) =>
  platform_id === null ? undoMs : keptMs;

export type ImportExample = Import['Columns'][number]['Example'];

export function toImport(
  ctx: TenantContext,
  record: ImportRecord,
  more: Pick<Import, 'Questions'> & { example?: ImportExample | null },
): Import {
  const { status, applied_at, created_at, columns } = record;
  const example = more.example ?? null;
  const undoableUntil = applied_at && new Date(applied_at.getTime() + undoMsOf(record));
  const isUndoable = status === 'applied' && undoableUntil !== null && undoableUntil > tenantNow(ctx);
  return {
    ImportID: record.import_id,
    Name: record.name,
    PlatformID: record.platform_id,
    Of: record.subject,
    Status: status as ImportStatus,
    Summary: summaryOf(record),
    Counts: record.counts,
    Undo: record.undo_counts,
    Options: record.options,
    Columns: columns.map((column) => ({
      ...column,
      Example: column.Meaning === null && column.Field === 'ExpiresAt' ? example : null,
    })),
    Questions: more.Questions,
    CreatedAt: created_at.toISOString(),
    UndoableUntil: isUndoable ? undoableUntil.toISOString() : null,
    DeletedAt: new Date(created_at.getTime() + keptMs).toISOString(),
  };
}

const count = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;
const listed = (parts: string[]) =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;

/** One sentence whose numbers add up to the rows of the file. */
export function summaryOf({ status, counts, undo_counts: undo }: ImportRecord): string {
  const { Rows, Done, Created, Updated, Unchanged, Partial, Refused } = counts;
  const rows = count(Rows, 'row', 'rows');
  if (undo && status !== 'undoing') {
    const gone = listed([
      count(undo.UsersRemoved, 'person removed', 'people removed'),
      ...(undo.UsersRestored > 0
        ? [count(undo.UsersRestored, 'person enabled or disabled again', 'people enabled or disabled again')]
        : []),
      count(undo.EnrolmentsWithdrawn, 'enrolment withdrawn', 'enrolments withdrawn'),
    ]);
    const kept =
      undo.Kept > 0 ? `; something stays of ${count(undo.Kept, 'row', 'rows')}` : '; nothing stays';
    return `${gone}${kept}.`;
  }
  if (status === 'undoing') return `${undo?.Done ?? 0} of ${count(undo?.Rows ?? 0, 'row', 'rows')} undone.`;
  if (status === 'planning' || (status === 'applying' && Done < Rows))
    return `${Done} of ${rows} ${status === 'planning' ? 'checked' : 'processed'}.`;
  const isPlan = status === 'planned' || status === 'applying';
  const parts = [
    [Created, isPlan ? 'would be created' : 'created'],
    [Updated, isPlan ? 'would be updated' : 'updated'],
    [Unchanged, isPlan ? 'would stay unchanged' : 'unchanged'],
    [Partial, isPlan ? 'would be imported without the enrolment' : 'imported without the enrolment'],
    [Refused, isPlan ? 'would be refused' : 'refused'],
  ] as const;
  const known = parts.filter(([n]) => n > 0).map(([n, text]) => `${n} ${text}`);
  const made = listed([
    ...(counts.UsersCreated > 0 ? [count(counts.UsersCreated, 'person', 'people')] : []),
    ...(counts.EnrolmentsCreated > 0 ? [count(counts.EnrolmentsCreated, 'enrolment', 'enrolments')] : []),
  ]);
  const is = counts.UsersCreated + counts.EnrolmentsCreated === 1 ? 'was' : 'were';
  const creation = made && ` ${made} ${isPlan ? 'would be' : is} created.`;
  return `${rows}: ${listed(known)}.${creation}`;
}

/** The names of the users of a page of rows. */
export type RowNames = ReadonlyMap<string, Pick<ImportRow, 'FirstName' | 'LastName'>>;

export function toRow(
  { line, login_id, fields, plan, result, undo }: ImportLine,
  names: RowNames,
): ImportRow {
  const known = result ?? plan;
  return {
    Line: line,
    LoginID: login_id,
    FirstName: fields.FirstName ?? null,
    LastName: fields.LastName ?? null,
    ...names.get(login_id ?? ''),
    CourseID: known?.courseId ?? null,
    EnrollID: known?.enrollId ?? null,
    Outcome: known?.outcome ?? null,
    User: known?.user ?? null,
    Enrolment: known?.enrolment ?? null,
    Changed: known?.changed ?? [],
    Notes: known?.notes ?? [],
    Nearest: known?.nearest ?? null,
    code: known?.code ?? null,
    param: known?.param ?? null,
    detail: known?.detail ?? null,
    Undone: undo && undoneOf(undo),
    UndoReason: undo?.reason ?? null,
  };
}
