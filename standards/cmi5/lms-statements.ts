import type { AssignableUnit } from '../types.ts';
import type { SatisfiedNode } from './satisfaction.ts';
import { activityTypes, categories, extensions, type LaunchMode, lmsVerbs } from './vocabulary.ts';

type Names = Record<string, string>;

/** The parts that all LMS statements about a registration have in common. */
export type Registration = {
  account: { homePage: string; name: string };
  registration: string;
};

export type LaunchedAu = {
  sessionId: string;
  activityId: string;
  publisherId: string;
  names: Names;
  au: AssignableUnit;
  launchMode: LaunchMode;
};

export type LmsStatement = {
  timestamp: string;
  verb: { id: string; display: Names };
  actor: object;
  object: object;
  result?: object;
  context: object;
};

type Parts = {
  verb: keyof typeof lmsVerbs;
  at: Date;
  sessionId: string;
  publisherId: string;
  object: { id: string; definition?: object };
  isMoveOn?: boolean;
  extensions?: Record<string, unknown>;
  result?: object;
};

export const actorOf = (account: Registration['account']) => ({ objectType: 'Agent' as const, account });

/** Section 9.6: the context that all statements of a session contain. */
export function contextTemplate({ sessionId, publisherId }: Pick<LaunchedAu, 'sessionId' | 'publisherId'>) {
  return {
    contextActivities: { grouping: [{ id: publisherId }] },
    extensions: { [extensions.sessionId]: sessionId },
  };
}

function statementOf(to: Registration, parts: Parts): LmsStatement {
  const template = contextTemplate(parts);
  const category = [{ id: categories.cmi5 }, ...(parts.isMoveOn ? [{ id: categories.moveOn }] : [])];
  return {
    timestamp: parts.at.toISOString(),
    actor: actorOf(to.account),
    verb: { id: lmsVerbs[parts.verb], display: { en: parts.verb } },
    object: { objectType: 'Activity', ...parts.object },
    ...(parts.result && { result: parts.result }),
    context: {
      registration: to.registration,
      contextActivities: { ...template.contextActivities, category },
      extensions: { ...template.extensions, ...parts.extensions },
    },
  };
}

function auObject({ activityId, names, au }: Pick<LaunchedAu, 'activityId' | 'names' | 'au'>) {
  return { id: activityId, definition: { name: names, ...(au.ActivityType && { type: au.ActivityType }) } };
}

/** Section 9.3.1. `launchUrl` is the AU's URL without the launch parameters (9.6.3.4). */
export function launched(
  to: Registration,
  launch: LaunchedAu,
  { at, launchUrl }: { at: Date; launchUrl: string },
): LmsStatement {
  const { MasteryScore, MoveOn, LaunchParameters } = launch.au;
  return statementOf(to, {
    ...{ verb: 'launched', at, sessionId: launch.sessionId, publisherId: launch.publisherId },
    object: auObject(launch),
    extensions: {
      [extensions.launchMode]: launch.launchMode,
      [extensions.launchUrl]: launchUrl,
      [extensions.moveOn]: MoveOn,
      ...(MasteryScore !== null && { [extensions.masteryScore]: MasteryScore }),
      ...(LaunchParameters !== null && { [extensions.launchParameters]: LaunchParameters }),
    },
  });
}

/** Section 9.3.6. `duration` is the time from the launch to the AU's last statement (9.5.4.2). */
export function abandoned(
  to: Registration,
  { sessionId, publisherId, activityId }: Pick<LaunchedAu, 'sessionId' | 'publisherId' | 'activityId'>,
  { at, duration }: { at: Date; duration: string },
): LmsStatement {
  const object = { id: activityId };
  return statementOf(to, { verb: 'abandoned', at, sessionId, publisherId, object, result: { duration } });
}

/** Section 9.3.7. */
export function waived(
  to: Registration,
  waiver: Omit<LaunchedAu, 'launchMode'>,
  { at, reason }: { at: Date; reason: string },
): LmsStatement {
  const result = { success: true, completion: true, extensions: { [extensions.reason]: reason } };
  const { sessionId, publisherId } = waiver;
  return statementOf(to, {
    ...{ verb: 'waived', at, sessionId, publisherId, result, isMoveOn: true },
    object: auObject(waiver),
  });
}

/** Section 9.3.9. */
export function satisfied(
  to: Registration,
  node: SatisfiedNode,
  { at, sessionId, activityId }: { at: Date; sessionId: string; activityId: string },
): LmsStatement {
  const definition = { type: activityTypes[node.kind], name: node.names };
  return statementOf(to, {
    ...{ verb: 'satisfied', at, sessionId, publisherId: node.id },
    object: { id: activityId, definition },
  });
}

/** Section 10.2: the document that the AU reads when it starts. */
export function launchData(launch: Omit<LaunchedAu, 'activityId' | 'names'>, returnUrl: string) {
  const { MasteryScore, MoveOn, LaunchParameters, EntitlementKey } = launch.au;
  return {
    contextTemplate: contextTemplate(launch),
    launchMode: launch.launchMode,
    moveOn: MoveOn,
    returnURL: returnUrl,
    ...(LaunchParameters !== null && { launchParameters: LaunchParameters }),
    ...(MasteryScore !== null && { masteryScore: MasteryScore }),
    ...(EntitlementKey !== null && { entitlementKey: { courseStructure: EntitlementKey } }),
  };
}

/** Section 8.1: adds the launch parameters to the query of the AU's URL, before the fragment. */
export function withLaunchParameters(address: string, parameters: Record<string, string>): string {
  const at = address.indexOf('#');
  const [page, fragment] = at < 0 ? [address, ''] : [address.slice(0, at), address.slice(at)];
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `${page}${page.includes('?') ? '&' : '?'}${query.join('&')}${fragment}`;
}
