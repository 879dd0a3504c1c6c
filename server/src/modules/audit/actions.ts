import Type, { type Static, type TSchema } from 'typebox';
import type { Actor } from '../../platform/context.ts';
import { Instant, Nullable, OneOf } from '../../platform/schema.ts';

const Id = Type.String({ format: 'uuid' });
const Changed = Type.Array(Type.String(), { description: 'Names of the fields that changed.' });
const Count = Type.Integer({ minimum: 0 });
const Method = OneOf(['link', 'password']);
/** `check`: a client's POST /user/check. */
const FailedMethod = OneOf(['link', 'password', 'check']);

/** Nothing else fits in, so that no personal data does: the trail is never rewritten, not even by an erasure. */
const data = <P extends Record<string, TSchema>>(properties: P) =>
  Type.Object(properties, { additionalProperties: false });
const nothing = data({});
const change = data({ Changed });

/** What an entry is about. Of a person it holds no more than an id, which leads nowhere once they were erased. */
export const targetKinds = [
  'tenant',
  'key',
  'user',
  'erasure',
  'enrolment',
  'enrolment_key',
  'webhook',
  'course',
  'deployment',
] as const;
export type TargetKind = (typeof targetKinds)[number];

/** The closed list of audited actions: when each is recorded, what it is about, and its Data. */
export const auditCatalogue = {
  'tenant.created': ['A tenant was created.', 'tenant', nothing],
  'tenant.changed': ['Fields of a tenant changed.', 'tenant', change],
  'tenant.suspended': ['A tenant was suspended.', 'tenant', nothing],
  'tenant.resumed': ['A suspended tenant was made active again.', 'tenant', nothing],
  'tenant.exported': ['All data held about a tenant was exported.', 'tenant', nothing],
  'tenant.deleted': [
    'A tenant was deleted, and nobody finds it any more. Its own trail goes with its data.',
    'tenant',
    data({ ReceiptID: Id, Deleted: Type.Array(data({ Data: Type.String(), Records: Count })) }),
  ],
  'tenant.deletion_finished': ['The last data of a deleted tenant was deleted.', 'tenant', nothing],
  'key.created': [
    'An API key was created.',
    'key',
    data({ Scopes: Type.Array(Type.String()), ExpiresAt: Nullable(Instant()) }),
  ],
  'key.revoked': ['An API key was revoked.', 'key', nothing],
  'administrator.created': ['A user was created as an administrator.', 'user', nothing],
  'user.access_changed': [
    'A user became or ceased to be an administrator, was enabled or disabled, or got another password.',
    'user',
    data({
      IsAdmin: Type.Optional(Type.Boolean()),
      Enabled: Type.Optional(Type.Boolean()),
      Password: Type.Optional(Type.Boolean({ description: 'True: it was changed.' })),
    }),
  ],
  'user.erased': [
    'The personal data of a user was erased. The target is the receipt: earlier entries must not lead to it.',
    'erasure',
    nothing,
  ],
  'user.exported': ['All data held about a user was exported.', 'user', nothing],
  'sign_in_link.created': ['A sign-in link was created for a user.', 'user', nothing],
  'sign_in.succeeded': ['A user signed in.', 'user', data({ Method })],
  'sign_in.failed': [
    'An attempt to sign in failed. Without a target, the name or link is unknown.',
    'user',
    data({
      Method: FailedMethod,
      Unrecorded: Type.Optional(
        Type.Integer({ description: 'So many failures before this one have no entry of their own.' }),
      ),
    }),
  ],
  'operator.signed_in': ['The operator signed in.', 'deployment', nothing],
  'sessions.ended': ['All sessions of a user, or of the operator, were ended.', 'user', nothing],
  'enrolment.overridden': [
    'A result was decided by hand, or that decision was removed.',
    'enrolment',
    data({
      Removed: Type.Optional(Type.Boolean()),
      Completion: Type.Optional(OneOf(['unknown', 'incomplete', 'completed'])),
      Success: Type.Optional(OneOf(['unknown', 'passed', 'failed'])),
      Score: Type.Optional(Nullable(Type.Number())),
    }),
  ],
  'enrolment.withdrawn': ['An enrolment was withdrawn.', 'enrolment', nothing],
  'enrolment.reinstated': ['The withdrawal of an enrolment was reversed.', 'enrolment', nothing],
  'enrolment.end_changed': [
    'The end of access was changed by hand.',
    'enrolment',
    data({ From: Nullable(Instant()), To: Nullable(Instant()) }),
  ],
  'enrolment.details_changed': ['Reference or Metadata of an enrolment changed.', 'enrolment', change],
  'enrolment_key.issued': [
    'Enrolment keys were issued, all in one call.',
    'enrolment_key',
    data({ KeyIDs: Type.Array(Id), CourseIDs: Type.Array(Type.String()) }),
  ],
  'enrolment_key.revoked': ['An enrolment key was revoked.', 'enrolment_key', nothing],
  'webhook.created': ['A webhook endpoint was created.', 'webhook', nothing],
  'webhook.changed': ['Fields of a webhook endpoint changed.', 'webhook', change],
  'webhook.secret_rotated': ['A webhook endpoint got a new secret.', 'webhook', nothing],
  'webhook.deleted': ['A webhook endpoint was deleted.', 'webhook', nothing],
  'webhook.replayed': ['Events were sent again.', 'webhook', data({ Deliveries: Count })],
  'course.created': ['A course was created.', 'course', nothing],
  'course.changed': [
    'Fields of a course changed; Status is its new one, when that changed.',
    'course',
    data({ Changed, Status: Type.Optional(Type.String()) }),
  ],
  'course.deleted': ['A course was deleted.', 'course', nothing],
  'release.imported': [
    'A package was imported as a new release.',
    'course',
    data({ Release: Count, SHA256: Type.String() }),
  ],
  'release.made_current': ['An existing release was set as current.', 'course', data({ Release: Count })],
  'option.created': ['An enrolment option was created.', 'course', data({ DurationID: Type.String() })],
  'option.changed': [
    'Fields of an enrolment option changed; Status is its new one, when that changed.',
    'course',
    data({ DurationID: Type.String(), Changed, Status: Type.Optional(Type.String()) }),
  ],
  'option.deleted': ['An enrolment option was deleted.', 'course', data({ DurationID: Type.String() })],
  'signing_keys.rotated': ['The key ring was rotated.', 'deployment', data({ KeyID: Type.String() })],
  'backup.created': ['A backup was created.', 'deployment', data({ MadeAt: Instant() })],
  'backup.restored': ['The database was restored from a backup.', 'deployment', data({ MadeAt: Instant() })],
  'audit.began': [
    'A trail began: that of the tenant that is the target, otherwise that of the deployment. The trail of the deployment names all others.',
    'tenant',
    nothing,
  ],
  'audit.head_unverified': [
    'The trail continues from an entry whose seal does not verify: the trail was changed outside of the service, or its signing key is missing.',
    'deployment',
    nothing,
  ],
} as const satisfies Record<string, readonly [string, TargetKind, TSchema]>;

export type AuditAction = keyof typeof auditCatalogue;

export const auditActions = Object.keys(auditCatalogue) as AuditAction[];

/** One entry to write: the action says what else it holds. */
export type NewAudit = {
  [A in AuditAction]: {
    action: A;
    targetId: string | null;
    data: Static<(typeof auditCatalogue)[A][2]>;
    /** Where one statement does what several callers asked for; otherwise `ctx.actor` is meant. */
    actor?: Actor;
    /** The event that tells the tenant's application of the same change. */
    eventId?: string;
  };
}[AuditAction];
