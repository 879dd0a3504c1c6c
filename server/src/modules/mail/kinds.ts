import type { TenantContext } from '../../platform/context.ts';

export const mailKinds = ['invitation', 'password_reset', 'access_ending'] as const;
export type MailKind = (typeof mailKinds)[number];

/** Each tenant has a queue, with a limit, for these and another one for the rest. */
export const isUrgent: Record<MailKind, boolean> = {
  invitation: false,
  password_reset: true,
  access_ending: false,
};

export const mailStatuses = ['queued', 'sent', 'failed', 'cancelled'] as const;
export type MailStatus = (typeof mailStatuses)[number];

/** What the text of an e-mail is made of, besides its tenant. */
export type MailContent = {
  firstName: string | null;
  lastName: string | null;
  loginId: string;
  /** Null if the recipient has nothing to open with a link. */
  url: string | null;
  /** Only in e-mails about an enrolment. */
  enrolment?: { enrollId: string; courseTitle: string };
};

/** Whether an e-mail should still be sent. `expiresAt`: when its link stops working. */
export type MailCheck = (ctx: TenantContext, content: MailContent, expiresAt: Date) => Promise<boolean>;
export type MailChecks = Partial<Record<MailKind, MailCheck>>;
