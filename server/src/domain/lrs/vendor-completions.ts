import { readInstant } from '../../../../standards/xapi/times.ts';
import type { Statement } from '../../../../standards/xapi/types.ts';
import { run, transaction } from '../../db/transaction.ts';
import { submitInside } from '../../infra/calls/once.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { codeOf } from '../../lib/errors.ts';
import { foldCase, storable } from '../../lib/unicode.ts';
import { isOffered } from '../catalogue/offers.ts';
import { recording } from '../completions/record-completion.ts';
import type { NewCompletion } from '../completions/schemas.ts';
import { type PreparedStatements, storePrepared } from './store-statements.ts';
import type { CompleteStatement } from './stored-statement.ts';

const verbs = ['http://adlnet.gov/expapi/verbs/completed', 'http://adlnet.gov/expapi/verbs/passed'];

/**
 * The learner and the course of statements that are not stored yet. An address that several users have names nobody.
 * The range is that of the index `user_by_email`.
 */
const subjectText = `
select sent.n, known.login_ids[1] as login_id, named.course_id
from jsonb_to_recordset($2::jsonb) as sent (n integer, id uuid, activity text, folded text, login_id text)
cross join lateral (
  select course.course_id from course
  where course.activity_id = sent.activity and ${isOffered('course', '$1')} order by course.course_id limit 1
) named
cross join lateral (
  select array(
    select own.login_id from "user" own where own.tenant_id = $1 and own.folded_email is not null
      and own.folded_email >= sent.folded collate "C" and own.folded_email <= sent.folded collate "C"
    order by own.folded_email, own.login_id limit 2
  ) || array(select own.login_id from "user" own where own.tenant_id = $1 and own.login_id = sent.login_id) as login_ids
) known
where cardinality(known.login_ids) = 1
  and not exists (select from statement where statement.tenant_id = $1 and statement.statement_id = sent.id)`;

type Subject = { n: number; login_id: string; course_id: string };

function learnerIn(ctx: TenantContext, { actor }: Statement) {
  if (actor.objectType === 'Group') return null;
  const { mbox, account } = actor;
  if (mbox !== undefined) return { folded: foldCase(mbox.replace(/^mailto:/i, '')), login_id: null };
  if (account?.homePage === ctx.homePage) return { folded: null, login_id: account.name };
  return null;
}

function candidatesOf(ctx: TenantContext, statements: readonly CompleteStatement[]) {
  return statements.flatMap((statement, n) => {
    const { id, verb, object, result } = statement;
    if (!verbs.includes(verb.id) || !('id' in object) || result?.completion === false) return [];
    const learner = learnerIn(ctx, statement);
    return learner ? [{ n, id, activity: object.id, ...learner }] : [];
  });
}

function completionOf(ctx: TenantContext, statement: CompleteStatement, subject: Subject): NewCompletion {
  const { id, verb, result, timestamp, context, authority } = statement;
  const now = tenantNow(ctx).getTime();
  const at =
    timestamp === undefined ? now : Math.min(now, Number(readInstant(timestamp) ?? now * 1000) / 1000);
  const scaled = result?.score?.scaled;
  const success = result?.success ?? (verb.id.endsWith('/passed') ? true : undefined);
  return {
    LoginID: subject.login_id,
    CourseID: subject.course_id,
    CompletedAt: new Date(at).toISOString(),
    Success: success === undefined ? 'unknown' : success ? 'passed' : 'failed',
    Score: scaled === undefined || scaled < 0 ? null : Math.round(scaled * 10_000) / 100,
    Source: storable((context?.platform ?? authority.account?.name ?? '').slice(0, 255)) || null,
    Reference: id,
  };
}

/** The statement is stored in any case: the person or the course may have been removed in the meantime. */
const ignored = ['user_not_found', 'course_not_found', 'completion_exists'];

/**
 * Stores statements. Those of a key that complete a course by its ActivityID are recorded as completions from elsewhere
 * in the same transaction, once, because only with a statement that is new.
 */
export async function storeWithCompletions(
  ctx: TenantContext,
  prepared: PreparedStatements,
): Promise<string[]> {
  const statements = prepared.entries.map(({ statement }) => statement);
  const candidates = prepared.input.session ? [] : candidatesOf(ctx, statements);
  if (candidates.length === 0) return storePrepared(ctx, prepared);
  const subjects = await run<Subject>(ctx, subjectText, [ctx.tenantId, JSON.stringify(candidates)]);
  if (subjects.length === 0) return storePrepared(ctx, prepared);
  const completions = await Promise.all(
    subjects.flatMap((subject) => {
      const statement = statements[subject.n];
      return statement ? [recording(ctx, completionOf(ctx, statement, subject), () => null)] : [];
    }),
  );
  return transaction(ctx, async (ctx) => {
    for (const one of await submitInside(ctx, completions))
      if (one.status === 'rejected' && !ignored.includes(codeOf(one.reason))) throw one.reason;
    return storePrepared(ctx, prepared);
  });
}
