import type { TenantContext } from '../../platform/context.ts';
import type { Attachment } from '../../platform/mail/send.ts';

export const mailKinds = [
  'invitation',
  'password_reset',
  'access_ending',
  'report',
  'password_changed',
  'passkey_added',
  'passkey_removed',
] as const;
export type MailKind = (typeof mailKinds)[number];

/**
 * Each tenant has two queues: one for urgent emails, and one with an hourly limit for the rest. Warnings are not urgent:
 * somebody who changes a password again and again must not delay the email that resets it.
 */
export const isUrgent: Record<MailKind, boolean> = {
  invitation: false,
  password_reset: true,
  access_ending: false,
  report: false,
  password_changed: false,
  passkey_added: false,
  passkey_removed: false,
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
  /** Only in emails about an enrolment. */
  enrolment?: { enrollId: string; courseTitle: string };
  /** Only in emails with a report. */
  report?: MailReport;
  /**
   * Only in emails about a change to the account. `isOwn` is true if the user made it, and `isAll` if all passkeys were
   * removed.
   */
  change?: { at: string; isOwn: boolean; isAll?: boolean };
};

/** `from` is null if the report shows the figures at the end of one day, which is `to`. */
export type MailReport = {
  scheduleId: string;
  name: string;
  report: 'completion' | 'activity' | 'access';
  query: Readonly<Record<string, string>>;
  from: string | null;
  to: string;
};

/**
 * Whether an email should still be sent. `expiresAt` is the time at which its link stops working.
 */
export type MailCheck = (ctx: TenantContext, content: MailContent, expiresAt: Date) => Promise<boolean>;
export type MailChecks = Partial<Record<MailKind, MailCheck>>;

/** `attachment` is null if it would be too large. `content` is what the email says, if the attachment changes this. */
type Attached = { attachment: Attachment | null; content: MailContent };
/** Writes an email's attachment when the email is sent. Returns null if there is none. */
export type MailAttach = (ctx: TenantContext, content: MailContent) => Promise<Attached | null>;
export type MailAttachments = Partial<Record<MailKind, MailAttach>>;
