import type { FastifyRequest } from 'fastify';
import type { Agent } from '../../../../standards/xapi/types.ts';
import type { Context } from '../../platform/context.ts';
import type { Authenticate } from '../../platform/http/guards.ts';
import { basicKeyCaller } from '../auth/authenticate.ts';
import type { AuSession, FindAuSession, LrsCaller } from './au-session.ts';

declare module 'fastify' {
  interface FastifyRequest {
    auSession: AuSession | null;
  }
}

/**
 * Communication 4.0: accepts an AU's token, a key sent by HTTP Basic, or any credentials that the API
 * accepts.
 */
export function lrsAuthenticate(other: Authenticate, findAuSession: FindAuSession): Authenticate {
  return async (ctx, request) => {
    const [, token] = /^(?:Basic|Bearer) +(\S{1,4096})$/i.exec(request.headers.authorization ?? '') ?? [];
    const au = token === undefined ? null : await findAuSession(ctx, token);
    request.auSession = au?.session ?? null;
    return au?.caller ?? (await basicKeyCaller(ctx, request)) ?? (await other(ctx, request));
  };
}

export function lrsCallerOf({ auSession, caller }: FastifyRequest): LrsCaller {
  return auSession ? { kind: 'au', session: auSession } : { kind: 'key', keyId: caller?.keyId ?? '' };
}

/**
 * Data 2.4.9: returns the authority of a statement. For a statement sent with an API key, the authority is
 * that key, even if the statement names another authority.
 */
export function authorityOf(ctx: Context, caller: LrsCaller): Agent {
  if (caller.kind === 'au') return caller.session.authority;
  return { objectType: 'Agent', account: { homePage: ctx.homePage, name: caller.keyId } };
}
