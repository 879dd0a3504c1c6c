import type { Unit } from '../../../../standards/types.ts';
import { nodesIn } from '../../../../standards/unit-status.ts';
import type { Agent } from '../../../../standards/xapi/types.ts';
import type { Context } from '../../platform/context.ts';
import { sha256 } from '../../platform/ids.ts';
import { courseActivity } from '../xapi/identity.ts';

export function auAuthority({ config }: Context, sessionId: string): Agent {
  return { objectType: 'Agent', account: { homePage: config.baseUrl, name: `au-session/${sessionId}` } };
}

const activitiesOf = (ctx: Context, courseId: string) => `${courseActivity(ctx, courseId)}/`;

/** Whether the service created the activity's ID for another course. */
export function isOfOtherCourse(ctx: Context, courseId: string, activityId: string): boolean {
  return (
    activityId.startsWith(`${ctx.config.baseUrl}/course/`) &&
    !activityId.startsWith(activitiesOf(ctx, courseId))
  );
}

/**
 * The activity of a course, a block or an AU, from its ID in the course structure. It is the same in all registrations
 * and releases, and differs from the publisher's ID (sections 8.1.5 and 9.4).
 */
export function activityIdOf(ctx: Context, courseId: string, publisherId: string): string {
  return `${activitiesOf(ctx, courseId)}activity/${sha256(publisherId).slice(0, 22)}`;
}

/** xAPI packages expect the activity ID of their own `tincan.xml`. */
export function activityIdOfUnit(ctx: Context, courseId: string, { UnitID, AssignableUnit }: Unit): string {
  return AssignableUnit ? activityIdOf(ctx, courseId, UnitID) : UnitID;
}

/** Maximum number of slashes and other separators in an activity's ID that are checked to find the unit above it. */
const maxLevels = 20;

/**
 * Whether an activity is the course's own, so that its units can define it for everyone and use its profiles: it is one
 * of them, below one, or has an ID that the service created for the course. Anything else may belong to another course.
 */
export function ownActivities(
  ctx: Context,
  { courseId, units }: { courseId: string; units: readonly Unit[] },
): (activityId: string) => boolean {
  const ids = nodesIn(units);
  const isUnit = (id: string) => ids.has(id) && isSpecific(id);
  return (activityId) => {
    if (activityId.startsWith(`${ctx.config.baseUrl}/course/`))
      return activityId.startsWith(activitiesOf(ctx, courseId));
    if (ids.has(activityId)) return true;
    const separators = activityId.matchAll(/[/#?]/g).take(maxLevels);
    return separators.some(
      ({ index }) => isUnit(activityId.slice(0, index)) || isUnit(activityId.slice(0, index + 1)),
    );
  };
}

/** Every web address would be below an ID such as `https:/`. */
const isSpecific = (unit: string) => /^[^:/]+:\/{0,2}[^/]/.test(unit);
