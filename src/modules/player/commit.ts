import type { Context } from '../../platform/context.ts';
import { commitProgress } from '../enrolments/progress.ts';
import type { Commit, Receipt } from './schemas.ts';
import type { SessionHandle } from './tokens.ts';

/** Text that JSON in PostgreSQL can hold; content writes what it likes, and a commit must not fail for it. */
function storable(text: string): string {
  return text.replaceAll('\0', '\u{FFFD}').toWellFormed();
}

/** Takes a commit of a session's page. The receipt means that the database has it. */
export function commit(ctx: Context, session: SessionHandle, body: Commit): Promise<Receipt> {
  const data = Object.entries(body.Data).map(([name, value]) => [storable(name), storable(value)]);
  return commitProgress(
    { ...ctx, tenantId: session.tenantId },
    {
      enrollId: session.enrollId,
      launch: session.launch,
      number: body.Number,
      unitId: body.UnitID,
      data: Object.fromEntries(data),
      treeState: body.Tree === undefined ? null : storable(body.Tree),
      root: body.Root ?? null,
      exit: body.Exit ?? false,
    },
  );
}
