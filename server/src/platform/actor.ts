import type { FastifyRequest } from 'fastify';
import type { Actor } from './context.ts';
import type { Caller } from './http/routes.ts';

function kindOf(caller: Caller | null): Actor['kind'] {
  if (caller === null) return 'anyone';
  if (!caller.isSession) return caller.tenantId === null ? 'operator_key' : 'key';
  if (caller.tenantId === null) return 'operator';
  return caller.learner === undefined ? 'administrator' : 'learner';
}

/**
 * Identifies the sender of a request. Omits learners' IP addresses, because audit entries cannot be
 * erased.
 */
export function actorOf(request: FastifyRequest): Actor {
  const { caller } = request;
  const kind = kindOf(caller);
  return {
    kind,
    id: caller?.keyId ?? null,
    userId: caller?.userId ?? null,
    address: kind === 'learner' ? null : request.address,
    requestId: request.id,
  };
}
