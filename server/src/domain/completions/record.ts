import type { Selectable } from 'kysely';
import type { ExternalCompletionTable } from '../../db/engine/generated.ts';
import { Problem } from '../../lib/errors.ts';
import type { Completion } from './schemas.ts';

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
  return {
    CompletionID: row.completion_id,
    LoginID: row.login_id,
    CourseID: row.course_id,
    Title: row.title ?? row.course_title,
    CompletedAt: row.completed_at.toISOString(),
    Success: row.success as Completion['Success'],
    Score: row.score,
    Source: row.source,
    EvidenceText: row.evidence_text,
    EvidenceURL: row.evidence_url,
    Reference: row.reference,
    External: true,
    CreatedAt: row.created_at.toISOString(),
    CreatedBy: row.created_by as Completion['CreatedBy'],
    DeletedAt: row.deleted_at?.toISOString() ?? null,
    DeleteReason: row.delete_reason,
  };
}
