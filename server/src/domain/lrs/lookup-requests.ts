import { identityOf } from '../../../../standards/xapi/actors.ts';
import { invalid } from '../../../../standards/xapi/invalid.ts';
import { isActor, subjectsOf } from '../../../../standards/xapi/subjects.ts';
import type { Actor, Statement } from '../../../../standards/xapi/types.ts';
import { run } from '../../db/transaction.ts';
import type { RouteResponse } from '../../http/routes.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import { readDefinitions } from './activity-definitions.ts';
import { agentParameter, iriParameter, type LrsRequest, requiredParameter } from './lrs-request.ts';
import { searchKey } from './stored-statement.ts';

const json = (value: unknown): RouteResponse => ({
  status: 200,
  body: JSON.stringify(value),
  headers: { 'Content-Type': 'application/json' },
});

/** Communication 2.8. */
export function getAbout(): RouteResponse {
  return json({ version: ['2.0.0', '1.0.3', '1.0.2', '1.0.1', '1.0.0'] });
}

/** Communication 2.5: returns everything known about an activity. For an unknown activity, this is only its ID. */
export async function getActivity(ctx: TenantContext, { parameters }: LrsRequest): Promise<RouteResponse> {
  requiredParameter(parameters, 'activityId');
  const id = iriParameter(parameters, 'activityId') ?? '';
  const definition = (await readDefinitions(ctx, new Set([id]))).get(id);
  return json({ objectType: 'Activity', id, ...(definition ? { definition } : {}) });
}

/** An agent's names are read from this many of the newest statements. */
const maxStatements = 20;

/** Larger statements are left out. */
const maxBytes = 32 * 1024;

const readAgentNames = `
select statement.payload from (
  select statement_match.position from statement_match
  where statement_match.tenant_id = $1 and statement_match.key = $2::uuid order by statement_match.position desc limit ${maxStatements}
) page join statement on statement.tenant_id = $1 and statement.position = page.position
where statement.bytes <= ${maxBytes} order by statement.position desc`;

/**
 * Communication 2.4: returns the agent as a person, whose properties are lists. The only identifier
 * that we know is the given one.
 */
export async function getAgent(
  ctx: TenantContext,
  { parameters, caller }: LrsRequest,
): Promise<RouteResponse> {
  requiredParameter(parameters, 'agent');
  const agent = agentParameter(parameters);
  if (!agent || agent.objectType === 'Group') return invalid('agent', 'must be an agent.');
  const identity = identityOf(agent) ?? '';
  if (caller.kind === 'au' && identity !== identityOf(caller.session.learner))
    throw new Problem('cmi5_violation', "The agent must be the launch's actor.");
  const rows = await run<{ payload: string }>(ctx, readAgentNames, [
    ctx.tenantId,
    searchKey('agent', identity),
  ]);
  const found = rows.flatMap(({ payload }) => namesIn(JSON.parse(payload) as Statement, identity));
  const names = [...new Set([...(agent.name === undefined ? [] : [agent.name]), ...found])];
  const { mbox, mbox_sha1sum, openid, account } = agent;
  return json({
    objectType: 'Person',
    ...(names.length > 0 ? { name: names } : {}),
    ...(mbox === undefined ? {} : { mbox: [mbox] }),
    ...(mbox_sha1sum === undefined ? {} : { mbox_sha1sum: [mbox_sha1sum] }),
    ...(openid === undefined ? {} : { openid: [openid] }),
    ...(account === undefined ? {} : { account: [account] }),
  });
}

function namesIn(statement: Statement, identity: string): string[] {
  if (!subjectsOf(statement).agents.includes(identity)) return [];
  const { actor, object } = statement;
  const actors: Actor[] = isActor(object) ? [actor, object] : [actor];
  const agents = actors.flatMap((one) => [one, ...('member' in one ? (one.member ?? []) : [])]);
  return agents.flatMap((one) => (identityOf(one) === identity && one.name !== undefined ? [one.name] : []));
}
