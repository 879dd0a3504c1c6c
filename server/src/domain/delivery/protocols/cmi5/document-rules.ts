import { isPreferences } from '../../../../../../standards/cmi5/preferences.ts';
import { launchDataId, preferencesId } from '../../../../../../standards/cmi5/vocabulary.ts';
import { isSameAccount } from '../../../../../../standards/xapi-results.ts';
import type { TenantContext } from '../../../../infra/context/context.ts';
import { Problem } from '../../../../lib/errors.ts';
import { playableContent } from '../../../catalogue/playable.ts';
import {
  type AuSessionRow,
  type Registration,
  updateAuSession,
} from '../../../enrolments/run-time/au-sessions.ts';
import type { DocumentUse } from '../../../lrs/au-session.ts';
import { accountOf } from '../../../lrs/identity.ts';
import { isOfOtherCourse, ownActivities } from './identity.ts';
import { lockSession } from './lock-session.ts';

type Session = Registration & AuSessionRow;

/** Allows an AU to use only documents of its learner, registration and course (sections 10 and 11). */
export async function checkDocument(ctx: TenantContext, session: Session, use: DocumentUse): Promise<void> {
  const { kind, action, agent, activityId, registration, documentId } = use;
  // Lock the session before the document, because a launch also locks the enrolment first.
  const handle = { enrollId: session.enroll_id, sessionId: session.session_id };
  if (action !== 'read') await lockSession(ctx, handle);
  if (kind !== 'activity_profile' && !isLearner(ctx, session, agent))
    throw violation("The agent must be the launch's actor.");
  if (registration !== null && registration !== session.enroll_id)
    throw violation("The registration must be the launch's registration.");
  if (activityId !== null && !(await mayUse(ctx, session, use, activityId)))
    throw violation("The activity must be the launch's activity, or another activity of its course.");
  const isLaunchData = kind === 'state' && (documentId === launchDataId || documentId === null);
  if (isLaunchData && action !== 'read') throw violation(`${launchDataId} cannot be changed.`);
  if (kind !== 'agent_profile' || documentId !== preferencesId) return;
  if (action === 'delete') throw violation(`${preferencesId} cannot be deleted.`);
  if (action === 'write' && !isPreferences(use.document?.contentType, use.document?.content.toString()))
    throw violation(
      `${preferencesId} needs languagePreference, such as "en-GB,fr", and audioPreference, "on" or "off".`,
    );
  if (action !== 'read' || session.prepared) return;
  await updateAuSession(ctx, handle, { prepared: true });
}

/**
 * State with a registration belongs only to that registration, so content may use any activity ID for it. All
 * courses share profiles and state without a registration.
 */
async function mayUse(
  ctx: TenantContext,
  session: Session,
  { kind, registration }: DocumentUse,
  activityId: string,
): Promise<boolean> {
  if (kind === 'state' && registration !== null) return !isOfOtherCourse(ctx, session.course_id, activityId);
  const { tree } = await playableContent(ctx, session.release_id);
  return ownActivities(ctx, { courseId: session.course_id, units: tree.Units })(activityId);
}

function isLearner(ctx: TenantContext, { login_id }: Session, agent: string | null): boolean {
  return agent !== null && isSameAccount(JSON.parse(agent), accountOf(ctx, login_id));
}

const violation = (detail: string) => new Problem('cmi5_violation', detail);
