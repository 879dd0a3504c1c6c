import type { MailKind } from '../kinds.ts';

/** The values that all texts can use. Each is a single line without control characters. */
export type TextValues = {
  tenant: string;
  name: string | null;
  /** Null if it reads like a message. The linked page shows it instead. */
  loginId: string | null;
  until: string;
  /** Empty unless the email is about an enrolment. */
  course: string;
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
