import type { components } from '../../../client/src/generated.ts';
import { namesOf } from '../../parts/choices.ts';

export type AuditEntry = components['schemas']['AuditEntry'];
export type Action = AuditEntry['Action'];
export type ActionGroup =
  | 'access'
  | 'people'
  | 'results'
  | 'keys'
  | 'webhooks'
  | 'reports'
  | 'catalogue'
  | 'deployment';

/** Every action and its group. The code does not compile if an action is missing. */
const groupOf = {
  'sign_in.succeeded': 'access',
  'sign_in.failed': 'access',
  'operator.signed_in': 'access',
  'sign_in_link.created': 'access',
  'passkey.added': 'access',
  'passkey.renamed': 'access',
  'passkey.removed': 'access',
  'identity.linked': 'access',
  'identity.unlinked': 'access',
  'platform.invited': 'access',
  'platform.created': 'access',
  'platform.changed': 'access',
  'platform.deleted': 'access',
  'tool.created': 'catalogue',
  'tool.changed': 'catalogue',
  'tool.deleted': 'catalogue',
  'dispatch.created': 'access',
  'dispatch.changed': 'access',
  'dispatch.deleted': 'access',
  'identity_provider.created': 'access',
  'identity_provider.changed': 'access',
  'identity_provider.deleted': 'access',
  'provisioning.changed': 'access',
  'provisioning.stopped': 'access',
  'provisioning.confirmed': 'access',
  'invitation.created': 'access',
  'invitation_link.created': 'access',
  'password_reset.requested': 'access',
  'invitation.revoked': 'access',
  'mail.test_requested': 'access',
  'mail.bounced': 'access',
  'mail.bounce_cleared': 'access',
  'sessions.ended': 'access',
  'key.created': 'access',
  'key.revoked': 'access',
  'administrator.created': 'people',
  'user.access_changed': 'people',
  'user.exported': 'people',
  'user.erased': 'people',
  'enrolment.overridden': 'results',
  'enrolment.unit_waived': 'results',
  'enrolment.withdrawn': 'results',
  'enrolment.reinstated': 'results',
  'enrolment.end_changed': 'results',
  'enrolment.reset': 'results',
  'enrolment.details_changed': 'results',
  'hold.placed': 'people',
  'hold.released': 'people',
  'certificate_template.changed': 'results',
  'certificate_template.deleted': 'results',
  'certificate.revoked': 'results',
  'certificate.reissued': 'results',
  'certificate.offered': 'results',
  'completion.recorded': 'results',
  'completion.deleted': 'results',
  'reminders.requested': 'people',
  'reminder_text.changed': 'deployment',
  'certificate.issued_earlier': 'results',
  'certificate_key.rotated': 'access',
  'evidence.exported': 'access',
  'requirement.created': 'catalogue',
  'requirement.changed': 'catalogue',
  'requirement.release_voided': 'catalogue',
  'obligation.exempted': 'results',
  'obligation.exemption_ended': 'results',
  'enrolment_key.issued': 'keys',
  'enrolment_key.revoked': 'keys',
  'import.applied': 'people',
  'import.undone': 'people',
  'webhook.created': 'webhooks',
  'webhook.changed': 'webhooks',
  'webhook.secret_rotated': 'webhooks',
  'webhook.replayed': 'webhooks',
  'webhook.deleted': 'webhooks',
  'report_schedule.created': 'reports',
  'report_schedule.changed': 'reports',
  'report_schedule.run_requested': 'reports',
  'report_schedule.deleted': 'reports',
  'course.created': 'catalogue',
  'course.changed': 'catalogue',
  'course.deleted': 'catalogue',
  'release.imported': 'catalogue',
  'release.made_current': 'catalogue',
  'option.created': 'catalogue',
  'option.changed': 'catalogue',
  'option.deleted': 'catalogue',
  'tenant.created': 'deployment',
  'tenant.changed': 'deployment',
  'branding.changed': 'deployment',
  'tenant.suspended': 'deployment',
  'tenant.resumed': 'deployment',
  'tenant.clock_moved': 'deployment',
  'tenant.exported': 'deployment',
  'tenant.deleted': 'deployment',
  'tenant.deletion_finished': 'deployment',
  'backup.created': 'deployment',
  'backup.restored': 'deployment',
  'signing_keys.rotated': 'deployment',
  'audit.began': 'deployment',
  'audit.head_unverified': 'deployment',
} as const satisfies Record<Action, ActionGroup>;

const actions = namesOf(groupOf);

/** The groups, ordered by how often people look for them. */
export const actionGroups: readonly { group: ActionGroup; actions: readonly Action[] }[] = (
  ['access', 'people', 'results', 'keys', 'webhooks', 'reports', 'catalogue', 'deployment'] as const
).map((group) => ({ group, actions: actions.filter((action) => groupOf[action] === group) }));

export function isAction(text: string | undefined): text is Action {
  return actions.some((action) => action === text);
}
