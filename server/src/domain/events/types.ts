import Type, { type TSchema } from 'typebox';
import { Instant, Nullable, OneOf } from '../../http/validation/schema.ts';
import { invalid } from '../../lib/errors.ts';
import { namesOf } from '../../lib/tables.ts';

const Count = Type.Integer({ minimum: 0 });
const Percent = Type.Number({ minimum: 0, maximum: 100 });
const Status = OneOf(['enrolled', 'in_progress', 'completed', 'expired', 'withdrawn'], {
  title: 'EnrolmentStatus',
});
const Outcome = OneOf(
  ['not_started', 'in_progress', 'passed', 'failed', 'completed', 'expired', 'withdrawn'],
  { title: 'EnrolmentOutcome', description: 'The result, or the status if there is none: see Enrolment.' },
);
const state = { Status, Outcome: Type.Optional(Outcome) };
const Changed = Type.Array(Type.String(), { description: 'Names of the changed fields.' });
const LoginID = Nullable(Type.String({ description: 'null once the user has been erased.' }));
const Id = Type.String({ format: 'uuid' });
const Reference = Nullable(Type.String());
const PathEnrollID = Nullable(
  Type.String({ description: 'The enrolment on the path of which the course is a part.' }),
);

/** Fields may be added to Data at any time, so readers must ignore unknown ones. */
const data = <P extends Record<string, TSchema>>(properties: P) => Type.Object(properties);

const Success = OneOf(['unknown', 'passed', 'failed'], { title: 'SuccessStatus' });

const attemptResult = {
  Completion: OneOf(['unknown', 'incomplete', 'completed'], { title: 'CompletionStatus' }),
  Success,
  Score: Nullable(Percent),
  Progress: Percent,
  TotalSeconds: Type.Number({ minimum: 0 }),
};
/** The Data of events that report the result of an enrolment. */
export const courseResult = data({ ...state, ...attemptResult });
const change = data({
  Changed: Type.Optional(Changed),
  Status: Type.Optional(Status),
  Outcome: Type.Optional(Outcome),
  Success: Type.Optional(Success),
});

const certificateNumber = Type.String({ description: 'The number of the certificate.' });
const certificate = data({
  Number: certificateNumber,
  Attempt: Count,
  ValidUntil: Nullable(Instant()),
  VerifyURL: Type.String({ description: 'The public page that shows whether the certificate is valid.' }),
  Replaces: Nullable(Type.String({ description: 'The number of the certificate that this one replaces.' })),
});

const recorded = data({
  CompletionID: Id,
  CompletedAt: Instant(),
  Success,
});

const obligation = data({
  RequirementID: Type.String(),
  Cycle: Count,
  Status: OneOf(['not_due', 'due_soon', 'overdue', 'met', 'expiring', 'expired', 'exempt', 'closed'], {
    title: 'ObligationStatus',
  }),
  DueAt: Instant(),
  MetAt: Nullable(Instant()),
  ValidUntil: Nullable(Instant()),
});

const score = {
  PlatformID: Id,
  Platform: Type.String({ description: 'The name of the platform.' }),
  Score: Nullable(Percent),
};

/** The closed catalogue of events. Each entry describes when the event is written and what its Data contains. */
export const eventCatalogue = {
  'user.created': ['A user was created.', data({ LoginID })],
  'user.updated': ['Fields of a user changed.', data({ LoginID, Changed })],
  'user.disabled': ['A user was disabled.', data({ LoginID, Changed })],
  'user.erased': [
    'The personal data of a user was erased and their access ended. It was also removed from their earlier events.',
    data({ ReceiptID: Id }),
  ],
  'invitation.created': [
    'An administrator or application invited a user to set a password. Data contains no link: create one with POST /invitation/{LoginID}/{InvitationID}/link.',
    data({ LoginID, InvitationID: Id, ExpiresAt: Instant() }),
  ],
  'invitation.accepted': [
    'An invited user set a password and signed in.',
    data({ LoginID, InvitationID: Id }),
  ],
  'mail.bounced': [
    "The mail provider could not deliver an email to a user. After a `permanent` bounce, the service sends no more emails to this address. If MailID is null, another user's email to the same address bounced, or the email is not in the log.",
    data({
      LoginID,
      EmailAddress: Nullable(Type.String()),
      Kind: OneOf(['permanent', 'temporary'], { title: 'BounceKind' }),
      Reason: Nullable(Type.String()),
      MailID: Nullable(Id),
    }),
  ],
  'enrolment.created': [
    'A user was enrolled on a course.',
    data({ DurationID: Type.String(), PathEnrollID, Reference }),
  ],
  'enrolment.updated': ['Fields of an enrolment changed, or it was reactivated.', change],
  'enrolment.launched': ['A learner started the course.', data({ Launch: Count, ...state })],
  'enrolment.progressed': ['A learner made progress.', courseResult],
  'enrolment.completed': ['A learner completed the course.', courseResult],
  'enrolment.passed': ['A learner passed the course.', courseResult],
  'enrolment.failed': ['A learner failed the course.', courseResult],
  'enrolment.attempt_started': [
    'A launch started another attempt, because the enrolment has rules for attempts.',
    data({ Attempt: Count }),
  ],
  'enrolment.attempt_finished': [
    'An attempt was completed, passed or failed, in an enrolment with rules for attempts. Its result is not necessarily the one that counts.',
    data({ Attempt: Count, ...attemptResult }),
  ],
  'enrolment.reset': [
    'An administrator discarded all attempts, so that the learner can start over. Attempt is the number of the next one.',
    data({ Attempt: Count, ...state, Success: Type.Optional(Success) }),
  ],
  'enrolment.extended': [
    'An enrolment was extended by enrolling again. DurationID is the option whose duration was added.',
    data({
      DurationID: Type.String(),
      ExpiresAt: Nullable(Instant()),
      ...state,
      Reference: Nullable(Type.String({ description: 'Reference of this extension.' })),
    }),
  ],
  'enrolment.ending': [
    "Access ends soon, and the course is not completed. Reported with a reminder: Days is the number of days left, one of the tenant's Reminders. If MailID is null, Lectern does not email the learner.",
    data({ Days: Count, ExpiresAt: Instant(), MailID: Nullable(Id) }),
  ],
  'enrolment.expired': ['An enrolment expired.', change],
  'enrolment.withdrawn': ['An enrolment was withdrawn.', change],
  'enrolment.renewed': [
    'An enrolment was ended by renewal. NewEnrollID is the enrolment that replaced it, which has its own event.',
    data({ NewEnrollID: Id, ...state }),
  ],
  'certificate.issued': ['A learner earned a certificate, or a certificate was corrected.', certificate],
  'certificate.expiring': [
    "A certificate ends soon. Days is the number of days left, one of the DaysBefore of the tenant's Reminders.",
    data({ Number: certificateNumber, Days: Count, ValidUntil: Instant() }),
  ],
  'certificate.expired': [
    'A certificate has ended.',
    data({ Number: certificateNumber, ValidUntil: Instant() }),
  ],
  'certificate.revoked': ['A certificate was revoked.', data({ Number: certificateNumber })],
  'completion.recorded': ['A completion from elsewhere was recorded.', recorded],
  'completion.deleted': [
    'A completion from elsewhere was deleted, and no longer counts.',
    data({ CompletionID: Id }),
  ],
  'obligation.opened': [
    'A requirement began to concern a user, its next cycle began, or an exemption ended before it was completed. EnrollID is null if the user could not be enrolled.',
    obligation,
  ],
  'obligation.due_soon': ['An obligation is due in DueSoonDays.', obligation],
  'obligation.overdue': ['An obligation was not met in time.', obligation],
  'obligation.met': ['A completion satisfied an obligation.', obligation],
  'obligation.expiring': ['The completion that satisfies an obligation expires in ExpiringDays.', obligation],
  'obligation.expired': ['The completion that satisfied an obligation no longer counts.', obligation],
  'obligation.closed': [
    'An obligation no longer applies: the user left the audience, or the next cycle replaced it.',
    obligation,
  ],
  'score.accepted': [
    'A learning platform accepted the score of an enrolment (LTI). Score is between 0 and 100; null if only the activity was reported.',
    data({ ...score, Activity: OneOf(['Initialized', 'InProgress', 'Completed']) }),
  ],
  'score.rejected': [
    'A learning platform did not accept the score of an enrolment, or has another grade, which a teacher gave. Problem is the HTTP status, or `changed_there`. It is reported once until a score is accepted.',
    data({ ...score, Problem: Type.String(), Detail: Type.String() }),
  ],
  'key.redeemed': [
    'An enrolment key was redeemed.',
    data({
      KeyID: Id,
      PurchaseOrder: Nullable(Type.String()),
      EnrollIDs: Type.Array(Id),
    }),
  ],
  'course.released': [
    'A course offered to the tenant has a new release, or an earlier release became current again.',
    data({ Release: Count, Standard: Type.String(), Title: Type.String() }),
  ],
  'package.imported': [
    'A package was imported for a course offered to the tenant, and became its current release.',
    data({ Release: Count, Warnings: Count }),
  ],
  'report.ready': [
    'A scheduled report with the delivery `webhook` is ready. Read it from URL with a key, as JSON or, with `Accept: text/csv`, as CSV. From is null if the report shows the figures at the end of To, or, for `access`, at the time when it is read.',
    data({
      ScheduleID: Id,
      Name: Type.String(),
      Report: OneOf(['completion', 'activity', 'access', 'compliance']),
      From: Nullable(Type.String({ format: 'date' })),
      To: Type.String({ format: 'date' }),
      URL: Type.String(),
    }),
  ],
  'webhook.disabled': [
    'A webhook endpoint was disabled after failing for 72 hours.',
    data({ WebhookID: Id, URL: Type.String(), FailingSince: Instant() }),
  ],
} as const satisfies Record<string, readonly [string, TSchema]>;

export type EventType = keyof typeof eventCatalogue;

export const eventTypes = namesOf(eventCatalogue);

const isEventType = (name: string): name is EventType => Object.hasOwn(eventCatalogue, name);

/** Returns the given types, or throws a problem that names the first unknown type. */
export function readTypes(names: readonly string[], param: string): EventType[] {
  const trimmed = names.map((name) => name.trim());
  const unknown = trimmed.find((name) => !isEventType(name));
  if (unknown === undefined) return trimmed.filter(isEventType);
  throw invalid(param, `The event type "${unknown}" does not exist. Use one of ${eventTypes.join(', ')}.`);
}
