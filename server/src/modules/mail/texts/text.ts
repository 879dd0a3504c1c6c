import type { MailKind } from '../kinds.ts';

/** The values that all texts can use. Each is on one line and has no control characters. */
export type TextValues = {
  tenant: string;
  name: string | null;
  /** Null if it looks like a message. The page behind the link shows it. */
  loginId: string | null;
  until: string;
  /** Empty unless the e-mail is about an enrolment. */
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
