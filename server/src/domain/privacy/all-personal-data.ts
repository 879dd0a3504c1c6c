import { ownRows } from '../../db/own-rows.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import type { Person, PersonalData } from '../../infra/context/personal-data.ts';
import { auditData } from '../audit/personal-data.ts';
import { certificateData } from '../certificates/personal-data.ts';
import { completionData } from '../completions/personal-data.ts';
import { dispatchData } from '../dispatch/personal-data.ts';
import { enrolmentKeyData } from '../enrolment-keys/personal-data.ts';
import {
  auSessionData,
  commitData,
  earlierAttemptData,
  earlierRunTimeData,
  enrolmentData,
  enrolmentsOf,
  launchData,
  runTimeData,
} from '../enrolments/personal-data.ts';
import { eventData } from '../events/personal-data.ts';
import { deliveryData } from '../events/webhooks/personal-data.ts';
import { evidenceData } from '../evidence/personal-data.ts';
import { importData } from '../imports/personal-data.ts';
import { documentData, statementData } from '../lrs/personal-data.ts';
import { ltiData } from '../lti/personal-data.ts';
import { rosterData } from '../lti/roster/personal-data.ts';
import { mailData } from '../mail/personal-data.ts';
import { provisioningData } from '../provisioning/personal-data.ts';
import { reminderData } from '../reminders/personal-data.ts';
import { countedData } from '../reports/personal-data.ts';
import { recipientData } from '../reports/schedules/personal-data.ts';
import { obligationData } from '../requirements/personal-data.ts';
import { scoreData } from '../scores/personal-data.ts';
import { passkeyData } from '../sign-in/passkeys/user-store.ts';
import { sessionData } from '../sign-in/personal-data.ts';
import { identityData } from '../sign-in/providers/identities.ts';
import { invitationData } from '../users/invitations/personal-data.ts';
import { teamData, userData } from '../users/personal-data.ts';
import { holdData } from './holds.ts';

/** All data held about a person, in the order used by receipts and exports. */
export const allPersonalData: readonly PersonalData[] = [
  enrolmentData,
  launchData,
  runTimeData,
  earlierAttemptData,
  earlierRunTimeData,
  auSessionData,
  commitData,
  countedData,
  statementData,
  documentData,
  enrolmentKeyData,
  certificateData,
  evidenceData,
  holdData,
  completionData,
  obligationData,
  reminderData,
  importData,
  dispatchData,
  scoreData,
  ltiData,
  rosterData,
  sessionData,
  passkeyData,
  identityData,
  provisioningData,
  invitationData,
  recipientData,
  mailData,
  deliveryData,
  eventData,
  auditData,
  teamData,
  userData,
];

/** With `lock`, no request can enrol the user or redeem a key for them until the transaction ends. */
export async function findPerson(ctx: TenantContext, loginId: string, lock: boolean): Promise<Person | null> {
  const user = await ownRows(ctx, 'user', { login_id: loginId })
    .select(['user_id', 'is_admin'])
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst();
  if (!user) return null;
  return personOf(ctx, { userId: user.user_id, loginId, isAdmin: user.is_admin });
}

const personOf = (ctx: TenantContext, user: Omit<Person, 'enrolments'>): Person => ({
  ...user,
  enrolments: () => enrolmentsOf(ctx, user.userId),
});
