import type { Unit } from '../../../../../../standards/types.ts';
import { nodesIn } from '../../../../../../standards/unit-status.ts';
import type { Agent } from '../../../../../../standards/xapi/types.ts';
import type { Context } from '../../../../infra/context/context.ts';
import { sha256 } from '../../../../lib/ids.ts';
import { courseActivity } from '../../../lrs/identity.ts';

export function auAuthority({ homePage }: Context, sessionId: string): Agent {
  return { objectType: 'Agent', account: { homePage, name: `au-session/${sessionId}` } };
}

const activitiesOf = (ctx: Context, courseId: string) => `${courseActivity(ctx, courseId)}/`;

/** Whether the service created the activity's ID for another course. */
export function isOfOtherCourse(ctx: Context, courseId: string, activityId: string): boolean {
  return (
    activityId.startsWith(`${ctx.homePage}/course/`) && !activityId.startsWith(activitiesOf(ctx, courseId))
  );
}

/**
 * Returns the activity ID of a course, block or AU, derived from its ID in the course structure. The activity
 * ID is the same in all registrations and releases, and differs from the publisher's ID (sections 8.1.5 and
 * 9.4).
 */
export function activityIdOf(ctx: Context, courseId: string, publisherId: string): string {
  return `${activitiesOf(ctx, courseId)}activity/${sha256(publisherId).slice(0, 22)}`;
}

/** xAPI packages expect the activity ID of their own `tincan.xml`. */
export function activityIdOfUnit(ctx: Context, courseId: string, { UnitID, AssignableUnit }: Unit): string {
  return AssignableUnit ? activityIdOf(ctx, courseId, UnitID) : UnitID;
}

/** To find the unit above an activity, only this many slashes and other separators in its ID are checked. */
const maxLevels = 20;

/**
 * Whether the course may define an activity for everyone and use its profiles. The activity must be
 * a unit, lie below a unit, or have an ID that the service created for the course. Any other
 * activity may belong to another course.
 */
export function ownActivities(
  ctx: Context,
  { courseId, units }: { courseId: string; units: readonly Unit[] },
): (activityId: string) => boolean {
  const ids = nodesIn(units);
  const isUnit = (id: string) => ids.has(id) && isSpecific(id);
  return (activityId) => {
    if (activityId.startsWith(`${ctx.homePage}/course/`))
      return activityId.startsWith(activitiesOf(ctx, courseId));
    if (ids.has(activityId)) return true;
    const separators = activityId.matchAll(/[/#?]/g).take(maxLevels);
    return separators.some(
      ({ index }) => isUnit(activityId.slice(0, index)) || isUnit(activityId.slice(0, index + 1)),
    );
  };
}

/** Excludes IDs such as `https:/`, because every web address would lie below them. */
const isSpecific = (unit: string) => /^[^:/]+:\/{0,2}[^/]/.test(unit);
