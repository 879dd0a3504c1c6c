export const mailKinds = ['invitation', 'password_reset'] as const;
export type MailKind = (typeof mailKinds)[number];

/** Each tenant has a queue, with a limit, for these and another one for the rest. */
export const isUrgent: Record<MailKind, boolean> = { invitation: false, password_reset: true };

export const mailStatuses = ['queued', 'sent', 'failed', 'cancelled'] as const;
export type MailStatus = (typeof mailStatuses)[number];

/** What the text of an e-mail is made of, besides its tenant. */
export type MailContent = {
  firstName: string | null;
  lastName: string | null;
  loginId: string;
  url: string;
};
