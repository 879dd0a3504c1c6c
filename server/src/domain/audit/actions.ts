import Type, { type Static, type TSchema } from 'typebox';
import { Instant, Nullable, OneOf } from '../../http/validation/schema.ts';
import type { Actor } from '../../infra/context/context.ts';
import { namesOf } from '../../lib/tables.ts';

const Id = Type.String({ format: 'uuid' });
const Changed = Type.Array(Type.String(), { description: 'Names of the changed fields.' });
const Count = Type.Integer({ minimum: 0 });
const Method = OneOf(['link', 'password', 'invitation', 'reset', 'passkey', 'provider']);
/** `check` means that a client called POST /user/check. */
const FailedMethod = OneOf(['link', 'password', 'invitation', 'reset', 'passkey', 'provider', 'check']);

/**
 * Data contains only known fields and no personal data, because the trail is never rewritten, not even by an
 * erasure.
 */
const data = <P extends Record<string, TSchema>>(properties: P) =>
  Type.Object(properties, { additionalProperties: false });
const nothing = data({});
const change = data({ Changed });
const provider = data({ ProviderID: Type.String() });

/** Kinds of targets. A person is recorded only by an ID, which no longer identifies anyone after an erasure. */
export const targetKinds = [
  'tenant',
  'key',
  'user',
  'erasure',
  'enrolment',
  'enrolment_key',
  'certificate',
  'completion',
  'requirement',
  'obligation',
  'import',
  'webhook',
  'report_schedule',
  'platform',
  'dispatch',
  'identity_provider',
  'course',
  'deployment',
] as const;
export type TargetKind = (typeof targetKinds)[number];

/** All audited actions, each with its description, target and Data. */
export const auditCatalogue = {
  'tenant.created': ['A tenant was created.', 'tenant', nothing],
  'tenant.changed': ['Fields of a tenant changed.', 'tenant', change],
  'branding.changed': ['The colour or the logo of a tenant changed.', 'tenant', change],
  'tenant.suspended': ['A tenant was suspended.', 'tenant', nothing],
  'tenant.resumed': ['A suspended tenant was resumed.', 'tenant', nothing],
  'tenant.clock_moved': ['The clock of a test tenant was moved forward.', 'tenant', data({ To: Instant() })],
  'tenant.exported': ['All data held about a tenant was exported.', 'tenant', nothing],
  'tenant.deleted': [
    'A tenant was deleted and can no longer be found. Its own trail is deleted with its data.',
    'tenant',
    data({ ReceiptID: Id, Deleted: Type.Array(data({ Data: Type.String(), Records: Count })) }),
  ],
  'tenant.deletion_finished': ['All data of a deleted tenant has now been removed.', 'tenant', nothing],
  'key.created': [
    'An API key was created.',
    'key',
    data({ Scopes: Type.Array(Type.String()), ExpiresAt: Nullable(Instant()) }),
  ],
  'key.revoked': ['An API key was revoked.', 'key', nothing],
  'administrator.created': ['An administrator was created.', 'user', nothing],
  'user.access_changed': [
    'A user became or ceased to be an administrator, was enabled or disabled, or got a new password or email address.',
    'user',
    data({
      IsAdmin: Type.Optional(Type.Boolean()),
      Enabled: Type.Optional(Type.Boolean()),
      Password: Type.Optional(Type.Boolean({ description: 'true if the password changed.' })),
      Email: Type.Optional(Type.Boolean({ description: 'true if the email address changed.' })),
    }),
  ],
  'user.erased': [
    'The personal data of a user was erased. The target is the receipt, because an entry must not link earlier entries to the person.',
    'erasure',
    nothing,
  ],
  'hold.placed': [
    'A legal hold was placed on a user, or its reason changed.',
    'user',
    data({ HoldID: Type.String() }),
  ],
  'hold.released': ['A legal hold on a user was released.', 'user', data({ HoldID: Type.String() })],
  'user.exported': ['All data held about a user was exported.', 'user', nothing],
  'invitation.created': ['A user was invited to set a password.', 'user', nothing],
  'invitation.revoked': ['An invitation was revoked.', 'user', nothing],
  'invitation_link.created': ['Another link was created for an invitation.', 'user', nothing],
  'password_reset.requested': [
    'A user who forgot their password was sent a link to set a new one.',
    'user',
    nothing,
  ],
  'mail.test_requested': ['A test email to a user was requested.', 'user', nothing],
  'mail.bounced': [
    'A bounce of an email to a user was reported. After a permanent bounce, the user gets no more emails.',
    'user',
    data({ Kind: OneOf(['permanent', 'temporary']) }),
  ],
  'mail.bounce_cleared': ["The bounce of a user's email address was cleared.", 'user', nothing],
  'sign_in_link.created': ['A sign-in link was created for a user.', 'user', nothing],
  'sign_in.succeeded': [
    'A user or, without a target, the operator signed in. The method passkey is the second step, after another method.',
    'user',
    data({ Method }),
  ],
  'sign_in.failed': [
    'A sign-in attempt failed. If there is no target, the name or link is unknown.',
    'user',
    data({
      Method: FailedMethod,
      Cause: Type.Optional(Type.String({ description: 'Why a sign-in at an identity provider failed.' })),
      NonRecordingMode: Type.Optional(
        Type.Integer({ description: 'Number of earlier failures that have no entry of their own.' }),
      ),
    }),
  ],
  'operator.signed_in': ['The operator signed in.', 'deployment', nothing],
  'sessions.ended': ['All sessions of a user, or of the operator, were ended.', 'user', nothing],
  'passkey.added': [
    'A passkey was added for a user or, without a target, for the operator.',
    'user',
    nothing,
  ],
  'passkey.renamed': ['A passkey was renamed.', 'user', nothing],
  'passkey.removed': [
    'Passkeys of a user or, without a target, of the operator were removed.',
    'user',
    data({ Passkeys: Count }),
  ],
  'identity.linked': ['A user was linked to an account at an identity provider.', 'user', provider],
  'identity.unlinked': ['A user was unlinked from an identity provider.', 'user', provider],
  'identity_provider.created': ['An identity provider was added.', 'identity_provider', nothing],
  'identity_provider.changed': [
    'Fields of an identity provider changed. Its values are not recorded.',
    'identity_provider',
    change,
  ],
  'provisioning.changed': ['Settings of provisioning by a directory changed.', 'tenant', change],
  'provisioning.stopped': [
    'A sync of a directory was stopped, because it would have disabled too many users.',
    'tenant',
    nothing,
  ],
  'provisioning.confirmed': [
    'An administrator confirmed that a directory may disable any number of users for a day.',
    'tenant',
    data({ Until: Instant() }),
  ],
  'identity_provider.deleted': ['An identity provider was deleted.', 'identity_provider', nothing],
  'enrolment.overridden': [
    'A result was overridden, or the override was removed.',
    'enrolment',
    data({
      Removed: Type.Optional(Type.Boolean()),
      Completion: Type.Optional(OneOf(['unknown', 'incomplete', 'completed'])),
      Success: Type.Optional(OneOf(['unknown', 'passed', 'failed'])),
      Score: Type.Optional(Nullable(Type.Number())),
    }),
  ],
  'enrolment.unit_waived': [
    'A unit of a cmi5 course was waived. The reason is part of the xAPI statement about the waiver.',
    'enrolment',
    data({ UnitID: Type.String() }),
  ],
  'enrolment.withdrawn': ['An enrolment was withdrawn.', 'enrolment', nothing],
  'enrolment.reinstated': ['The withdrawal of an enrolment was reversed.', 'enrolment', nothing],
  'enrolment.end_changed': [
    'The end of access was changed manually.',
    'enrolment',
    data({ From: Nullable(Instant()), To: Nullable(Instant()) }),
  ],
  'enrolment.details_changed': [
    'The Reference, Metadata or Attempts of an enrolment changed.',
    'enrolment',
    change,
  ],
  'enrolment.reset': [
    'All attempts of an enrolment were discarded. Attempt is the number of the next attempt. The reason is stored with the attempts.',
    'enrolment',
    data({ Attempt: Count }),
  ],
  'certificate_template.changed': ['The template of the certificates of a course changed.', 'course', change],
  'certificate_template.deleted': [
    'The template of the certificates of a course was deleted.',
    'course',
    nothing,
  ],
  'certificate.revoked': [
    'A certificate was revoked. The reason is stored with the certificate.',
    'certificate',
    nothing,
  ],
  'certificate.reissued': [
    'A corrected certificate was issued. Number is the new one.',
    'certificate',
    data({ Number: Type.String() }),
  ],
  'certificate.offered': [
    'An offer of a certificate to a wallet was created. The first person to use it got the certificate.',
    'certificate',
    nothing,
  ],
  'certificate.issued_earlier': [
    'Certificates were issued for results that were reached before the course had a rule. One entry for each batch.',
    'course',
    data({ Certificates: Count }),
  ],
  'evidence.exported': [
    'Evidence for an auditor was exported. AsOf is the day that it shows.',
    'tenant',
    data({ AsOf: Type.String() }),
  ],
  'certificate_key.rotated': [
    'The next keys that sign certificates were created. They sign from SignsFrom.',
    'tenant',
    data({ SignsFrom: Instant() }),
  ],
  'enrolment_key.issued': [
    'Enrolment keys were created in one call.',
    'enrolment_key',
    data({ KeyIDs: Type.Array(Id), CourseIDs: Type.Array(Type.String()) }),
  ],
  'enrolment_key.revoked': ['An enrolment key was revoked.', 'enrolment_key', nothing],
  'completion.recorded': ['A completion from elsewhere was recorded.', 'completion', nothing],
  'completion.deleted': [
    'A completion from elsewhere was deleted. The reason is stored with it.',
    'completion',
    nothing,
  ],
  'requirement.created': ['A requirement was created.', 'requirement', nothing],
  'requirement.changed': ['Fields of a requirement changed.', 'requirement', change],
  'requirement.release_voided': [
    'Completions of a release were declared void for a requirement.',
    'requirement',
    data({ CourseID: Type.String(), Release: Count, Before: Instant() }),
  ],
  'obligation.exempted': [
    'A user was exempted from a requirement. The reason is stored with the obligation.',
    'obligation',
    data({ RequirementID: Type.String(), Until: Type.Optional(Instant()) }),
  ],
  'obligation.exemption_ended': [
    'An exemption from a requirement was ended.',
    'obligation',
    data({ RequirementID: Type.String() }),
  ],
  'reminders.requested': ['People were reminded by hand.', 'tenant', data({ People: Count })],
  'reminder_text.changed': [
    'The words of reminders changed in one language.',
    'tenant',
    data({ Language: Type.String() }),
  ],
  'import.applied': ['A file was imported.', 'import', data({ Rows: Count })],
  'import.undone': ['An import was undone.', 'import', nothing],
  'webhook.created': ['A webhook endpoint was created.', 'webhook', nothing],
  'webhook.changed': ['Fields of a webhook endpoint changed.', 'webhook', change],
  'webhook.secret_rotated': ['The secret of a webhook endpoint was rotated.', 'webhook', nothing],
  'webhook.deleted': ['A webhook endpoint was deleted.', 'webhook', nothing],
  'webhook.replayed': ['Events were replayed.', 'webhook', data({ Deliveries: Count })],
  'platform.invited': [
    'A link was created with which a learning platform registers itself.',
    'tenant',
    nothing,
  ],
  'platform.created': ['A learning platform (LTI) was registered.', 'platform', nothing],
  'platform.changed': ['Fields of a learning platform changed.', 'platform', change],
  'platform.deleted': ['A learning platform was deleted.', 'platform', nothing],
  'tool.created': ['A course was made from a tool (LTI).', 'course', nothing],
  'tool.changed': ['Fields of a tool changed, or its content was chosen.', 'course', change],
  'tool.deleted': ['A tool was deleted.', 'course', nothing],
  'dispatch.created': ['A course was given to another LMS.', 'dispatch', nothing],
  'dispatch.changed': ['Fields of a dispatch changed, or it was stopped or resumed.', 'dispatch', change],
  'dispatch.deleted': ['A dispatch was deleted.', 'dispatch', nothing],
  'report_schedule.created': ['A report was scheduled.', 'report_schedule', data({ Recipients: Count })],
  'report_schedule.changed': ['Fields of a scheduled report changed.', 'report_schedule', change],
  'report_schedule.run_requested': ['A scheduled report was run manually.', 'report_schedule', nothing],
  'report_schedule.deleted': ['A scheduled report was deleted.', 'report_schedule', nothing],
  'course.created': ['A course was created.', 'course', nothing],
  'course.changed': [
    'Fields of a course changed. Status is the new status if it changed.',
    'course',
    data({ Changed, Status: Type.Optional(Type.String()) }),
  ],
  'course.deleted': ['A course was deleted.', 'course', nothing],
  'release.imported': [
    'A package was imported as a new release. Current is false if it did not become current.',
    'course',
    data({ Release: Count, SHA256: Type.String(), Current: Type.Optional(Type.Boolean()) }),
  ],
  'release.made_current': ['An existing release was set as current.', 'course', data({ Release: Count })],
  'option.created': ['An enrolment option was created.', 'course', data({ DurationID: Type.String() })],
  'option.changed': [
    'Fields of an enrolment option changed. Status is the new status if it changed.',
    'course',
    data({ DurationID: Type.String(), Changed, Status: Type.Optional(Type.String()) }),
  ],
  'option.deleted': ['An enrolment option was deleted.', 'course', data({ DurationID: Type.String() })],
  'signing_keys.rotated': ['The key ring was rotated.', 'deployment', data({ KeyID: Type.String() })],
  'backup.created': ['A backup was created.', 'deployment', data({ MadeAt: Instant() })],
  'backup.restored': ['The database was restored from a backup.', 'deployment', data({ MadeAt: Instant() })],
  'audit.began': [
    "The trail of the target tenant, or of the deployment, was started. The deployment's trail records the start of all others.",
    'tenant',
    nothing,
  ],
  'audit.head_unverified': [
    'The trail continues after an entry that could not be verified: it was changed outside the service, or its signing key is missing.',
    'deployment',
    nothing,
  ],
} as const satisfies Record<string, readonly [string, TargetKind, TSchema]>;

export type AuditAction = keyof typeof auditCatalogue;

export const auditActions = namesOf(auditCatalogue);

/** An entry to write. The action determines its other fields. */
export type NewAudit = {
  [A in AuditAction]: {
    action: A;
    targetId: string | null;
    data: Static<(typeof auditCatalogue)[A][2]>;
    /** Set if one SQL statement covers several callers. The default is `ctx.actor`. */
    actor?: Actor;
    /** The event that reports the same change to the tenant's application. */
    eventId?: string;
  };
}[AuditAction];
