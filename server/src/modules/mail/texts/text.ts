import type { MailKind } from '../kinds.ts';

/** What all texts can use. Each value is on one line and has no control characters. */
export type TextValues = { tenant: string; name: string | null; loginId: string; until: string };

export type MailText = {
  subject: string;
  greeting: string;
  /** Paragraphs before and after the link. */
  before: readonly string[];
  action: string;
  after: readonly string[];
};

export type Texts = { locale: string; texts: Record<MailKind, (values: TextValues) => MailText> };
