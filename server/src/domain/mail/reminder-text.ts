import type { MailReminder, ReminderItem } from './kinds.ts';
import type { MailText, Texts } from './text.ts';

/** What a tenant's own words can contain, in braces. */
export const reminderPlaceholders = ['Name', 'Organisation', 'Courses', 'Count'] as const;

const maxItems = 20;

/** The course, and why it is due if that has another name. */
const named = (title: string, course = title) => (course === title ? title : `${course} (${title})`);

type Values = { tenant: string; name: string | null; reminder: MailReminder | undefined };

/** The reminder of one person: what is open for them and, for a manager, what is overdue in the team. */
export function reminderText(
  phrases: Texts['reminder'],
  locale: string,
  { tenant, name, reminder }: Values,
): MailText {
  const { own, team, words: custom } = reminder ?? { own: [], team: [], words: null };
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
  const line = ({ kind, title, course, day: on, who }: ReminderItem) =>
    `${who === undefined ? '' : `${who}: `}${named(title, course)} \u2013 ${phrases[kind]} ${day.format(new Date(on))}`;
  const linesOf = (items: readonly ReminderItem[]) => [
    ...items.slice(0, maxItems).map(line),
    ...(items.length > maxItems ? [phrases.more(items.length - maxItems)] : []),
  ];
  const [first] = own.length > 0 ? own : team;
  const values: Record<(typeof reminderPlaceholders)[number], string> = {
    Name: name ?? '',
    Organisation: tenant,
    Courses:
      own.length > 0
        ? phrases.courses(first?.course ?? first?.title ?? '', own.length - 1)
        : `${phrases.team} (${team.length})`,
    Count: String(own.length),
  };
  const fill = (text: string) =>
    text.replaceAll(/\{(\w+)\}/g, (whole, key: string) => values[key as keyof typeof values] ?? whole);
  const words = custom ?? phrases.words;
  return {
    subject: fill(words.subject),
    greeting: phrases.greeting(name),
    before: own.length > 0 ? [fill(words.intro)] : [],
    lists: [
      ...(own.length > 0 ? [{ heading: null, items: linesOf(own) }] : []),
      ...(team.length > 0 ? [{ heading: phrases.team, items: linesOf(team) }] : []),
    ],
    action: phrases.action,
    after: [fill(words.closing)],
  };
}
