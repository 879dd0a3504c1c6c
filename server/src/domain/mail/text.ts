import type { MailKind, ReminderItem, ReminderWords } from './kinds.ts';

/** The values that all texts can use. Each is a single line without control characters. */
export type TextValues = {
  tenant: string;
  name: string | null;
  /** Null if it reads like a message. The linked page shows it instead. */
  loginId: string | null;
  until: string;
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
  /** Between `before` and the link. */
  lists?: readonly { heading: string | null; items: readonly string[] }[];
  action: string;
  after: readonly string[];
};

/** The phrases of reminders. `words` are templates that a tenant can replace with its own. */
type ReminderPhrases = Record<ReminderItem['kind'], string> & {
  greeting: (name: string | null) => string;
  words: ReminderWords;
  courses: (first: string, more: number) => string;
  more: (count: number) => string;
  team: string;
  action: string;
};

export type Texts = {
  locale: string;
  reminder: ReminderPhrases;
  texts: Record<Exclude<MailKind, 'reminder'>, (values: TextValues) => MailText>;
};
