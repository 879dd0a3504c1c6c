import type { MailKind } from './kinds.ts';

/** The values that all texts can use. Each is a single line without control characters. */
export type TextValues = {
  tenant: string;
  name: string | null;
  /** Null if it reads like a message. The linked page shows it instead. */
  loginId: string | null;
  until: string;
  /** Empty unless the email is about an enrolment. */
  course: string;
  /** The name and the days of a report; empty in other emails. */
  report: string;
  period: string;
  /** Whether the report is attached. Otherwise, it is too large. */
  isAttached: boolean;
  /** When the account was changed; empty in other emails. */
  at: string;
  /** Whether the user changed the account. */
  isOwn: boolean;
  /** Whether all passkeys were removed, which ends all sessions. */
  isAll: boolean;
};

export type MailText = {
  subject: string;
  greeting: string;
  /** Paragraphs before and after the link. */
  before: readonly string[];
  action: string;
  after: readonly string[];
};

export type Texts = { locale: string; texts: Record<MailKind, (values: TextValues) => MailText> };
