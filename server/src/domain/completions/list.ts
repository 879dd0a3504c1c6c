import { updateOwn } from '../../db/own-rows.ts';
import type { Condition } from '../../db/page.ts';
import { run, transaction } from '../../db/transaction.ts';
import { type Order, type PageQuery, pageById } from '../../http/pagination.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { isId } from '../../lib/ids.ts';
import { appendAudit } from '../audit/chain.ts';
import { appendEvents } from '../events/append.ts';
import { isOfPeople, type PeopleFilter } from '../users/groups.ts';
import { completionNotFound, type NamedCompletion, toCompletion, withNames } from './record.ts';
import type { Completion } from './schemas.ts';

export type CompletionFilter = PageQuery &
  Order &
  PeopleFilter & { CourseID?: string; Reference?: string; Count?: boolean };

function conditionsOf(input: CompletionFilter): Condition[] {
  const { CourseID, Reference } = input;
  const where: Condition[] = [() => 'held.deleted_at is null', ...isOfPeople(input)];
  if (CourseID !== undefined) where.push(({ add }) => `held.course_id = ${add(CourseID)}`);
  if (Reference !== undefined) where.push(({ add }) => `held.reference = ${add(Reference)}`);
  return where;
}

/** Lists the completions that were not deleted, in the order in which they were recorded. */
export async function listCompletions(ctx: TenantContext, input: CompletionFilter) {
  const [where, newest] = [conditionsOf(input), input.Order === 'newest'];
  const list = {
    table: 'external_completion',
    key: 'completion_id',
    where,
    newest,
    show: withNames,
  } as const;
  return pageById<NamedCompletion, Completion>(ctx, input, list, toCompletion);
}

const oneText = withNames(`select own.* from external_completion own
  where own.tenant_id = $1 and own.completion_id = $2`);

async function readRow(ctx: TenantContext, completionId: string): Promise<NamedCompletion> {
  const values = [ctx.tenantId, completionId];
  const [row] = isId(completionId) ? await run<NamedCompletion>(ctx, oneText, values) : [];
  if (!row) throw completionNotFound();
  return row;
}

/** A deleted completion can still be read, with the reason. */
export const readCompletion = async (
  ctx: TenantContext,
  input: { completionId: string },
): Promise<Completion> => toCompletion(await readRow(ctx, input.completionId));

/** From now on, the completion does not count. Its row stays, with the reason. */
export function deleteCompletion(
  ctx: TenantContext,
  { completionId, reason }: { completionId: string; reason: string },
): Promise<Completion> {
  return transaction(ctx, async (ctx) => {
    const { user_id, course_id } = await readRow(ctx, completionId);
    const deleted = await updateOwn(ctx, 'external_completion', {
      completion_id: completionId,
      deleted_at: null,
    })
      .set({ deleted_at: tenantNow(ctx), delete_reason: reason })
      .returning('completion_id')
      .executeTakeFirst();
    if (deleted) {
      const courseId = course_id === null ? {} : { courseId: course_id };
      const data = { CompletionID: completionId };
      await appendEvents(ctx, [{ type: 'completion.deleted', userId: user_id, ...courseId, data }]);
      const entry = { action: 'completion.deleted', targetId: completionId, data: {} } as const;
      await appendAudit(ctx, ctx.tenantId, entry);
    }
    return toCompletion(await readRow(ctx, completionId));
  });
}
