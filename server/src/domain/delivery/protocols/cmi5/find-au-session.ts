import { launchNames, xapiLaunchNames } from '../../../../../../standards/cmi5/vocabulary.ts';
import { forTenant } from '../../../../db/transaction.ts';
import { type Context, type TenantContext, tenantNow } from '../../../../infra/context/context.ts';
import { Problem } from '../../../../lib/errors.ts';
import { derivedId } from '../../../../lib/ids.ts';
import { playableContent, unitOf } from '../../../catalogue/playable.ts';
import {
  type AuSessionRow,
  countStorage,
  type Registration,
  readAuSession,
} from '../../../enrolments/run-time/au-sessions.ts';
import { accessEnd, sessionEnds } from '../../../enrolments/run-time/progress-cache.ts';
import type { AuSession, FindAuSession } from '../../../lrs/au-session.ts';
import { accountOf } from '../../../lrs/identity.ts';
import { rejectSuspended } from '../../../tenants/tenants.ts';
import { checkDocument } from './document-rules.ts';
import { type AuHandle, readLrsToken } from './fetch-token.ts';
import { auAuthority } from './identity.ts';
import { processStatements } from './process-statements.ts';

const ended =
  'The session of this token has ended, or the token is invalid. Open the page again from the course.';

/** Finds the AU session of a token. Throws if the session, or access to the enrolment or tenant, has ended. */
export const findAuSession: FindAuSession = async (ctx, token) => {
  const known = readLrsToken(ctx, token);
  if (!known) return null;
  const { handle, hash } = known;
  const own = forTenant(ctx, handle.tenantId);
  await rejectSuspended(own, handle.tenantId);
  const session = await readAuSession(own, handle);
  if (!session || session.token_hash !== hash || session.ended_at !== null || isSilent(own, session))
    throw new Problem('unauthorized', ended);
  const reason = accessEnd(session, tenantNow(own));
  if (reason !== null) throw new Problem('unauthorized', sessionEnds[reason]);
  return {
    caller: {
      keyId: derivedId(hash),
      tenantId: handle.tenantId,
      scopes: ['xapi:read', 'xapi:write'],
      player: {
        tenantId: handle.tenantId,
        enrollId: handle.enrollId,
        budget: `${handle.tenantId} ${handle.enrollId}`,
      },
    },
    session: toAuSession(ctx, handle, session),
  };
};

/**
 * A session without statements stays open for as long as late results of other content are
 * accepted, because an AU may be used offline.
 */
function isSilent(ctx: TenantContext, { opened_at, last_statement_at }: AuSessionRow): boolean {
  const silence = tenantNow(ctx).getTime() - (last_statement_at ?? opened_at).getTime();
  return silence > ctx.config.lateResultsDays * 86_400_000;
}

/** The parameters of the unit's own address, and those that the launch adds. */
async function launchParameters(
  ctx: TenantContext,
  { release_id, unit_id }: Registration & AuSessionRow,
): Promise<ReadonlySet<string>> {
  const { Href } = unitOf(await playableContent(ctx, release_id), unit_id);
  return new Set([
    ...new URL(Href ?? '', ctx.config.baseUrl).searchParams.keys(),
    ...launchNames,
    ...xapiLaunchNames,
  ]);
}

function toAuSession(ctx: Context, handle: AuHandle, session: Registration & AuSessionRow): AuSession {
  return {
    authority: auAuthority(ctx, handle.sessionId),
    learner: { objectType: 'Agent', account: accountOf(ctx, session.login_id) },
    registration: handle.enrollId,
    launchParameters: () => launchParameters(forTenant(ctx, handle.tenantId), session),
    processStatements: (ctx, statements) => processStatements(ctx, handle, statements),
    checkDocument: (ctx, use) => checkDocument(ctx, session, use),
    countStorage: (ctx, bytes, isReserved = false) =>
      countStorage(ctx, handle.enrollId, { bytes, isReserved }),
  };
}
