import { identitiesOf } from './actors.ts';
import {
  type Activity,
  type Actor,
  type Context,
  contextActivityKinds,
  type Statement,
  type StatementObject,
  type SubStatement,
} from './types.ts';

/** The values that the filters of GET statements are compared with (Communication 2.1.3). */
export type Subjects = {
  verb: string;
  registration: string | null;
  /** For `agent`: the actor, the object, and the members of groups. */
  agents: string[];
  /** Additional values for `related_agents`. */
  relatedAgents: string[];
  /** For `activity`: the object. */
  activities: string[];
  /** Additional values for `related_activities`. */
  relatedActivities: string[];
  /** The ID of the statement that the object refers to. */
  refersTo: string | null;
};

type Core = Pick<Statement, 'actor' | 'object' | 'context'>;

export const isActivity = (object: StatementObject): object is Activity =>
  object.objectType === undefined || object.objectType === 'Activity';

export const isActor = (object: StatementObject): object is Actor =>
  object.objectType === 'Agent' || object.objectType === 'Group';

export const isSubStatement = (object: StatementObject): object is SubStatement =>
  object.objectType === 'SubStatement';

export function activitiesIn({ contextActivities = {} }: Context): Activity[] {
  return contextActivityKinds.flatMap((kind) => contextActivities[kind] ?? []);
}

function actorsIn({ instructor, team, contextAgents = [], contextGroups = [] }: Context): Actor[] {
  return [
    ...(instructor ? [instructor] : []),
    ...(team ? [team] : []),
    ...contextAgents.map(({ agent }) => agent),
    ...contextGroups.map(({ group }) => group),
  ];
}

const ownActors = ({ actor, object }: Core): Actor[] => (isActor(object) ? [actor, object] : [actor]);
const ownActivities = ({ object }: Core): Activity[] => (isActivity(object) ? [object] : []);

function coreOf({ actor, object, context }: Statement | SubStatement): Core {
  return { actor, object, ...(context ? { context } : {}) };
}

/** All activities that a statement mentions. */
export function allActivities(statement: Statement): Activity[] {
  const { object, context = {} } = statement;
  const inner = isSubStatement(object) ? allActivities(coreOf(object) as Statement) : [];
  return [...ownActivities(statement), ...activitiesIn(context), ...inner];
}

function allActors(core: Core): Actor[] {
  const { object, context = {} } = core;
  const inner = isSubStatement(object) ? allActors(coreOf(object)) : [];
  return [...ownActors(core), ...actorsIn(context), ...inner];
}

function without(all: readonly string[], some: readonly string[]): string[] {
  const left = new Set(all);
  for (const one of some) left.delete(one);
  return [...left];
}

export function subjectsOf(statement: Statement): Subjects {
  const { verb, object, context, authority } = statement;
  const agents = [...new Set(ownActors(statement).flatMap(identitiesOf))];
  const activities = ownActivities(statement).map(({ id }) => id);
  const actors = [...allActors(coreOf(statement)), ...(authority ? [authority] : [])];
  return {
    verb: verb.id,
    registration: context?.registration?.toLowerCase() ?? null,
    agents,
    relatedAgents: without(actors.flatMap(identitiesOf), agents),
    activities,
    relatedActivities: without(
      allActivities(statement).map(({ id }) => id),
      activities,
    ),
    refersTo: object.objectType === 'StatementRef' ? object.id.toLowerCase() : null,
  };
}
