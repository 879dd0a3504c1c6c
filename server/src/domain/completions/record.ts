import type { Selectable } from 'kysely';
import type { ExternalCompletionTable } from '../../db/engine/generated.ts';
import { recordOf } from '../../http/records.ts';
import { Problem } from '../../lib/errors.ts';
import { Completion } from './schemas.ts';

export type CompletionRow = Selectable<ExternalCompletionTable>;
/** With the names that the record shows. */
export type NamedCompletion = CompletionRow & { login_id: string; course_title: string | null };

/** SQL that adds the names to rows of the table. */
export const withNames = (rows: string) => `
select held.*, known.login_id, course.title as course_title from (${rows}) held
join "user" known on known.tenant_id = $1 and known.user_id = held.user_id
left join course on course.course_id = held.course_id`;

export const completionNotFound = () =>
  new Problem('completion_not_found', 'The completion does not exist. List them with GET /completion.', {
    param: 'CompletionID',
  });

/** The casts are safe: the columns are written from the schema's values only. */
export function toCompletion(row: NamedCompletion): Completion {
  return recordOf(Completion, row, {
    Title: row.title ?? row.course_title,
    Success: row.success as Completion['Success'],
    External: true,
    CreatedBy: row.created_by as Completion['CreatedBy'],
  });
}
