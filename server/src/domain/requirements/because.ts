/** What a plan, a date or the next step of an obligation follows from. Clients may say it in other languages by the name. */
const sentences = {
  joined: 'The user belongs to the audience.',
  joined_completed: 'The user belongs to the audience and already completed the course on {day}.',
  window: 'The window before the end of the present term has begun.',
  repeat: 'The earlier completion no longer counts, so the course must be repeated.',
  left: 'The user no longer belongs to the audience.',
  retired: 'The requirement is retired.',
  renewed: 'A new completion already satisfies the next cycle.',
  voided: 'The completion no longer counts.',
  not_needed: 'The previous completion counts for longer, or not at all.',
  ends: 'It ends.',
  met: 'The completion of {day} satisfies it.',
  reopened: 'The completion that satisfied it no longer counts.',
  due_moved: 'It is due on {day} instead of {before}.',
  validity_moved: 'The completion counts until {day} instead of {before}.',
  validity_ends: 'The completion counts until {day} instead of permanently.',
  validity_permanent: 'The completion counts permanently instead of until {before}.',
  previous_term: 'The end of the previous term.',
  earlier_void: 'An earlier completion was declared void.',
  due_on: 'DueOn is {day}: the last second of that day in {zone}.',
  due_after: 'Joined the audience on {day}, plus {period}: the last second of that day in {zone}.',
  before_due: '{days} days before it is due.',
  elsewhere: 'A completion from elsewhere.',
  completed: 'The course was completed.',
  no_certificate: 'The requirement has neither ValidFor nor Cycle, and the completion has no certificate.',
  endless_certificate:
    'The requirement has neither ValidFor nor Cycle, and the certificate {number} has no end.',
  certificate: 'The end of the certificate {number}, because the requirement has neither ValidFor nor Cycle.',
  cycle: 'The cycle that ends every year on {on}, for a completion on {day}.',
  cycle_of_years: 'The cycle that ends every {years} years on {on}, for a completion on {day}.',
  term: 'Counts from {day}, plus {period}: the last second of that day in {zone}.',
  terms: 'Counts from {day}, plus {times} × {period}: the last second of that day in {zone}.',
  before_end: '{days} days before the term ends.',
  not_required: 'Nothing: the user does not belong to the audience.',
  disabled: 'Nothing: the account is disabled.',
  exempt: 'Nothing: the user is exempt. {reason}',
  exempt_until: 'Nothing until {day}: the user is exempt. {reason}',
  exemption_ends: 'The last day of the exemption. The obligation counts again after it.',
  complete: 'Complete {courses}.',
  complete_or_valid: 'Complete {courses}. A completion that is still valid counts too.',
  complete_since: 'Complete {courses} on or after {day}.',
  permanent: 'Nothing: the completion counts permanently.',
  renew: 'Nothing yet. It must be completed again by {day}.',
  renew_by: 'Renew by {day}: complete {courses}.',
  renew_late: 'Complete {courses} again. The completion counted until {day}.',
};

export type Because = keyof typeof sentences;
export const reasons = Object.keys(sentences) as Because[];

/** Days such as 2026-01-15, periods such as P1Y, and titles of courses, one a line. */
type Values = Record<string, string>;
export type Reason = { Because: Because; Values: Values };

const units: Record<string, string> = { Y: 'year', M: 'month', W: 'week', D: 'day' };

/** A period in words: P2M is 2 months. */
const inWords = (period: string) =>
  period.replace(
    /^P(\d+)([YMWD])$/,
    (_, count, unit) => `${count} ${units[unit]}${count === '1' ? '' : 's'}`,
  );

/** The sentence in English. */
export const sentenceOf = ({ Because, Values }: Reason): string =>
  sentences[Because]
    .replaceAll(/\{(\w+)\}/g, (_, name) => {
      const value = Values[name] ?? '';
      return name === 'period' ? inWords(value) : name === 'courses' ? value.replaceAll('\n', ' or ') : value;
    })
    .trim();
