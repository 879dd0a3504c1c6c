import { joinTransaction, run } from '../../db/transaction.ts';
import { openVerb, type Submission, type VerbCall } from '../../infra/calls/once.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { invalid, Problem } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { differences } from '../../lib/tables.ts';
import { appendAudit } from '../audit/chain.ts';
import { isOffered } from '../catalogue/offers.ts';
import { courseNotFound } from '../catalogue/problems.ts';
import { appendEvents } from '../events/append.ts';
import { startOfDay } from '../tenants/time-zone.ts';
import { userNotFound } from '../users/users.ts';
import { type NamedCompletion, toCompletion, withNames } from './record.ts';
import type { Completion, NewCompletion } from './schemas.ts';

/** What was sent, with the time as an instant and null for what was left out. */
type Row = Required<NewCompletion> & { CompletionID: string; CreatedBy: string };
type Known = { n: number; user_id: string | null; course_found: boolean };
type Outcome = Known & { made?: NamedCompletion; existing?: NamedCompletion };

const knownText = `
select request.n, known.user_id, request."CourseID" is null or course.course_id is not null as course_found
from jsonb_to_recordset($2::jsonb) as request (n integer, "LoginID" text, "CourseID" text)
left join "user" known on known.tenant_id = $1 and known.login_id = request."LoginID"
left join course on course.course_id = request."CourseID" and ${isOffered('course', '$1')}`;

const insertText = `
insert into external_completion (tenant_id, completion_id, user_id, course_id, title, completed_at, success, score, source,
  evidence_text, evidence_url, reference, created_at, created_by)
select $1, sent."CompletionID", sent.user_id, sent."CourseID", sent."Title", sent."CompletedAt", sent."Success", sent."Score",
  sent."Source", sent."EvidenceText", sent."EvidenceURL", sent."Reference", $3, sent."CreatedBy"
from jsonb_to_recordset($2::jsonb) as sent (user_id uuid, "CompletionID" uuid, "CourseID" text, "Title" text,
  "CompletedAt" timestamptz, "Success" text, "Score" double precision, "Source" text, "EvidenceText" text,
  "EvidenceURL" text, "Reference" text, "CreatedBy" text)
on conflict (tenant_id, reference) where deleted_at is null do nothing`;

const recordedText = withNames(`select own.* from external_completion own
  where own.tenant_id = $1 and own.deleted_at is null
    and (own.completion_id = any($2::uuid[]) or own.reference = any($3::text[]))`);

async function insertRows(ctx: TenantContext, calls: readonly VerbCall<Row>[]): Promise<Outcome[]> {
  return joinTransaction(ctx, async (ctx) => {
    const sent = calls.map(({ row }, n) => ({ n, ...row }));
    const read = <R>(text: string, ...values: unknown[]) => run<R>(ctx, text, [ctx.tenantId, ...values]);
    const known = new Map((await read<Known>(knownText, JSON.stringify(sent))).map((one) => [one.n, one]));
    const rows = sent.flatMap((row) => {
      const { user_id = null, course_found = false } = known.get(row.n) ?? {};
      return user_id === null || !course_found ? [] : [{ ...row, user_id }];
    });
    await read(insertText, JSON.stringify(rows), tenantNow(ctx));
    const ids = rows.map(({ CompletionID }) => CompletionID);
    const references = rows.flatMap(({ Reference }) => Reference ?? []);
    const stored = await read<NamedCompletion>(recordedText, ids, references);
    await report(
      ctx,
      stored.filter(({ completion_id }) => ids.includes(completion_id)),
      calls,
    );
    return sent.map(({ n, CompletionID, Reference }): Outcome => {
      const made = stored.find(({ completion_id }) => completion_id === CompletionID);
      const existing = stored.find(({ reference }) => reference !== null && reference === Reference);
      return {
        ...(known.get(n) ?? { n, user_id: null, course_found: false }),
        ...(made ? { made } : existing && { existing }),
      };
    });
  });
}

async function report(ctx: TenantContext, made: NamedCompletion[], calls: readonly VerbCall<Row>[]) {
  await appendEvents(
    ctx,
    made.map((row) => ({
      type: 'completion.recorded',
      userId: row.user_id,
      ...(row.course_id !== null && { courseId: row.course_id }),
      data: {
        CompletionID: row.completion_id,
        CompletedAt: row.completed_at.toISOString(),
        Success: row.success,
      },
    })),
  );
  await appendAudit(
    ctx,
    ctx.tenantId,
    ...made.map((row) => ({
      action: 'completion.recorded' as const,
      targetId: row.completion_id,
      data: {},
      actor: calls.find((call) => call.row.CompletionID === row.completion_id)?.ctx.actor ?? ctx.actor,
    })),
  );
}

const submission = openVerb<Row, Outcome>({
  name: 'record_completion',
  key: ({ Reference, CompletionID }) => Reference ?? CompletionID,
  run: insertRows,
});

export type Recorded = { completion: Completion; isNew: boolean };

async function rowOf(ctx: TenantContext, input: NewCompletion): Promise<Row> {
  const now = tenantNow(ctx);
  const completedAt = await startOfDay(ctx, input.CompletedAt, 'CompletedAt');
  if (completedAt > now) throw invalid('CompletedAt', 'CompletedAt must not be in the future.');
  if (input.CourseID == null && !input.Title)
    throw invalid('CourseID', 'CourseID and Title are missing. Send one of them.');
  return {
    CompletionID: newId(now),
    LoginID: input.LoginID,
    CourseID: input.CourseID ?? null,
    Title: input.Title || null,
    CompletedAt: completedAt.toISOString(),
    Success: input.Success ?? 'unknown',
    Score: input.Score ?? null,
    Source: input.Source ?? null,
    EvidenceText: input.EvidenceText ?? null,
    EvidenceURL: input.EvidenceURL ?? null,
    Reference: input.Reference ?? null,
    CreatedBy: ctx.actor.kind,
  };
}

function recorded(row: Row, { user_id, course_found, made, existing }: Outcome): Recorded {
  if (user_id === null) throw userNotFound();
  if (!course_found) throw courseNotFound();
  if (made) return { completion: toCompletion(made), isNew: true };
  if (!existing)
    throw new Problem(
      'unavailable',
      'The completion is being changed by other requests. Retry the request.',
      { retryAfter: 1 },
    );
  const { CompletionID: _, CreatedBy: __, ...sent } = row;
  const record = toCompletion(existing);
  const differs = differences(sent, { ...record, Title: existing.title });
  if (differs.length === 0) return { completion: record, isNew: false };
  throw new Problem(
    'completion_exists',
    `A completion with this Reference exists, but differs in ${differs.join(', ')}. Send another Reference, or delete that completion first.`,
    { param: 'Reference', differs },
  );
}

/** Records a completion. With a known Reference and the same data, returns the existing one, so a retry is safe. */
export async function recording<T>(
  ctx: TenantContext,
  input: NewCompletion,
  answer: (recorded: Recorded) => T,
): Promise<Submission<T>> {
  const row = await rowOf(ctx, input);
  return submission(row, (outcome) => answer(recorded(row, outcome)));
}
