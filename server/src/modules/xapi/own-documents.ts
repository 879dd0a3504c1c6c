import { identityOf } from '../../../../standards/xapi/actors.ts';
import type { Agent } from '../../../../standards/xapi/types.ts';
import type { TenantContext } from '../../platform/context.ts';
import { writeDocument } from './documents.ts';
import { searchKey } from './search-keys.ts';

export type OwnState = {
  agent: Agent;
  activityId: string;
  registration: string;
  stateId: string;
  content: object;
};

/**
 * Writes a state document of the service itself in the caller's transaction. Replaces the document if it
 * exists.
 */
export function writeState(ctx: TenantContext, own: OwnState): Promise<void> {
  const { agent, activityId, registration, stateId } = own;
  const use = { kind: 'state' as const, agent: JSON.stringify(agent), activityId, registration };
  const address = {
    kind: use.kind,
    agent_key: searchKey('agent', identityOf(agent) ?? ''),
    activity_key: searchKey('activity', activityId),
    registration,
    documentId: stateId,
    use: { ...use, documentId: stateId },
  };
  return writeDocument(ctx, address, {
    contentType: 'application/json',
    content: Buffer.from(JSON.stringify(own.content)),
    merges: false,
    preconditions: { ifMatch: undefined, ifNoneMatch: undefined, areRequired: 'never' },
    check: async () => {},
    countStorage: async () => {},
  });
}
