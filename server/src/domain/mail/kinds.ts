import Type from 'typebox';
import { Fields, Instant, Nullable, OneOf, Text } from '../../http/validation/schema.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import type { Attachment } from '../../infra/mail/send.ts';

const mailKinds = [
  'invitation',
  'password_reset',
  'reminder',
  'report',
  'password_changed',
  'passkey_added',
  'passkey_removed',
  'test',
] as const;
export type MailKind = (typeof mailKinds)[number];

/**
 * Each tenant has two queues: one for urgent emails, and one with an hourly limit for the rest. Warnings are not urgent:
 * somebody who changes a password again and again must not delay the email that resets it.
 */
export const isUrgent: Record<MailKind, boolean> = {
  invitation: false,
  password_reset: true,
  reminder: false,
  report: false,
  password_changed: false,
  passkey_added: false,
  passkey_removed: false,
  test: true,
};

/** Warnings, which go to the address that the user had when the account was changed. */
export const accountKinds: readonly MailKind[] = ['password_changed', 'passkey_added', 'passkey_removed'];

export const mailStatuses = ['queued', 'sent', 'failed', 'cancelled', 'bounced'] as const;
export type MailStatus = (typeof mailStatuses)[number];

/** Also called hard and soft bounces. */
export const bounceKinds = ['permanent', 'temporary'] as const;
export type BounceKind = (typeof bounceKinds)[number];

/** The values in the text of an email, apart from the tenant's values. */
export type MailContent = {
  firstName: string | null;
  lastName: string | null;
  loginId: string;
  /** Null if the email needs no link. */
  url: string | null;
  /** Only in reminders. */
  reminder?: MailReminder;
  /** Only in emails with a report. */
  report?: MailReport;
  /**
   * Only in emails about a change to the account. `isOwn` is true if the user made it, and `isAll` if all passkeys were
   * removed.
   */
  change?: { at: string; isOwn: boolean; isAll?: boolean };
};

/**
 * Something that is due, or access that ends. `title` is that of the requirement, if one asks for the course. `who` is the
 * person in a manager's team; `day` a calendar day.
 */
export type ReminderItem = {
  kind: 'due' | 'overdue' | 'ends';
  title: string;
  course?: string;
  day: string;
  who?: string;
};

/** The items and the words are read when the email is sent. */
export type MailReminder = {
  /** Somebody asked for it, so it lists everything that is open, however late it is due. */
  isByHand: boolean;
  isForManager: boolean;
  own: readonly ReminderItem[];
  team: readonly ReminderItem[];
  words: ReminderWords | null;
};

/** With placeholders; null in an email means the standard words of the language. */
export type ReminderWords = { subject: string; intro: string; closing: string };

/** `from` is null if the report shows the figures at the end of one day, which is `to`. */
export type MailReport = {
  scheduleId: string;
  name: string;
  report: 'completion' | 'activity' | 'access' | 'compliance';
  query: Readonly<Record<string, string>>;
  from: string | null;
  to: string;
};

/** What an email says now, which may be long after it was queued; null if it should no longer be sent. */
export type MailCheck = (ctx: TenantContext, content: MailContent) => Promise<MailContent | null>;
export type MailChecks = Partial<Record<MailKind, MailCheck>>;

/** `attachment` is null if it would be too large. `content` is what the email says, if the attachment changes this. */
type Attached = { attachment: Attachment | null; content: MailContent };
/** Writes an email's attachment when the email is sent. Returns null if there is none. */
export type MailAttach = (ctx: TenantContext, content: MailContent) => Promise<Attached | null>;
export type MailAttachments = Partial<Record<MailKind, MailAttach>>;

const MailID = Type.String({ format: 'uuid', description: 'Opaque.' });

export const Mail = Fields(
  {
    MailID,
    LoginID: Text(255, { description: 'The recipient.' }),
    Kind: OneOf(mailKinds, { title: 'MailKind' }),
    Address: Text(320, { description: "The user's `Email` when it was queued." }),
    Status: OneOf(mailStatuses, {
      title: 'MailStatus',
      description:
        '`queued`: it will be sent, or tried again. `sent`: the mail server accepted it. `failed`: the mail server rejected it or was unavailable for 72 hours, or the link expired. `cancelled`: its link was used, replaced or revoked before it was sent, nothing that it reminds of is open any more, its report was deleted, or its address bounced. `bounced`: the mail provider reported afterwards that it could not deliver the email.',
    }),
    Attempts: Type.Integer({ minimum: 0 }),
    Answer: Nullable(Text(500, { description: "The mail server's last response; null if there was none." })),
    CreatedAt: Instant(),
    AttemptedAt: Nullable(Instant('The last attempt.')),
    NextAttemptAt: Nullable(Instant('When a queued email is sent or retried next.')),
    BouncedAt: Nullable(Instant('When the bounce was reported.')),
    BounceKind: Nullable(
      OneOf(bounceKinds, {
        title: 'BounceKind',
        description: '`permanent`: no further email is sent to this address.',
      }),
    ),
    BounceReason: Nullable(Text(500, { description: 'The reason, as reported.' })),
  },
  { title: 'Mail', description: 'An email to a user. It is kept for 90 days, without its text.' },
);
export type Mail = Type.Static<typeof Mail>;
