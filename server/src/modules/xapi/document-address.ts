import { identityOf } from '../../../../standards/xapi/actors.ts';
import type { DocumentUse } from './au-session.ts';
import {
  agentParameter,
  iriParameter,
  type LrsRequest,
  requiredParameter,
  uuidParameter,
} from './lrs-request.ts';
import { searchKey } from './search-keys.ts';

export type DocumentKind = DocumentUse['kind'];

/** Identifies one document, or all documents of a context. */
export type DocumentAddress = {
  kind: DocumentKind;
  agent_key: string;
  activity_key: string;
  /** Null lists states with any registration and states without one. */
  registration: string | null;
  /** Null for all documents of the context. */
  documentId: string | null;
  /** The parts that `checkDocument` of an AU's session needs. */
  use: Omit<DocumentUse, 'action'>;
};

/** The parameters of each resource (Communication 2.3, 2.6, 2.7). */
const resources = {
  state: { id: 'stateId', names: ['activityId', 'agent', 'registration', 'stateId'] },
  activity_profile: { id: 'profileId', names: ['activityId', 'profileId'] },
  agent_profile: { id: 'profileId', names: ['agent', 'profileId'] },
} as const satisfies Record<DocumentKind, { id: string; names: readonly string[] }>;

/** The key of a missing registration, agent or activity, because a primary key has no nulls. */
export const noKey = '00000000-0000-0000-0000-000000000000';

export function documentParameters(kind: DocumentKind): string[] {
  return [...resources[kind].names, 'since'];
}

/**
 * Reads the address from the parameters. If `needsId` is true, they must include the ID of a
 * document.
 */
export function readAddress(
  kind: DocumentKind,
  { parameters }: LrsRequest,
  needsId: boolean,
): DocumentAddress {
  const { id, names } = resources[kind];
  for (const name of names)
    if (name === 'activityId' || name === 'agent') requiredParameter(parameters, name);
  const agent = agentParameter(parameters);
  const activityId = iriParameter(parameters, 'activityId');
  const registration = uuidParameter(parameters, 'registration');
  const documentId = needsId || parameters[id] !== undefined ? requiredParameter(parameters, id) : null;
  const identity = agent === null ? null : identityOf(agent);
  return {
    kind,
    agent_key: identity === null ? noKey : searchKey('agent', identity),
    activity_key: activityId === null ? noKey : searchKey('activity', activityId),
    registration: registration ?? (documentId === null && kind === 'state' ? null : noKey),
    documentId,
    use: { kind, agent: parameters.agent ?? null, activityId, registration, documentId },
  };
}
