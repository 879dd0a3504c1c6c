import { type AttemptRules, maxAttempts, rulesOf } from '../../catalogue/attempt-rules.ts';
import type { Explanation, ruleCodes } from './schemas.ts';
import { coolDownEnd, startsAnother, stateOf } from './states.ts';

/** The data on which the launch decision depends. */
export type LaunchFacts = {
  userEnabled: boolean;
  withdrawn: boolean;
  expiresAt: Date | null;
  courseStatus: string;
  playable: boolean;
  /** Whether the tenant or the course requires a sign-in, and whether the tenant has an identity provider for it. */
  requiresSignIn: boolean;
  canSignIn: boolean;
  attempt: AttemptDecision;
};

type Rule = {
  code: (typeof ruleCodes)[number];
  passes: (facts: LaunchFacts, now: Date) => boolean;
  holds: string | ((facts: LaunchFacts) => string);
  fails: string | ((facts: LaunchFacts) => string);
};

/** The launch rules, in the order of evaluation. */
const rules: Rule[] = [
  {
    code: 'user_enabled',
    passes: (facts) => facts.userEnabled,
    holds: 'The account is enabled.',
    fails: 'This account is disabled. Ask your administrator to enable it.',
  },
  {
    code: 'not_withdrawn',
    passes: (facts) => !facts.withdrawn,
    holds: 'The enrolment was not withdrawn.',
    fails: 'This enrolment was withdrawn. Ask your administrator to enrol you again.',
  },
  {
    code: 'not_expired',
    passes: (facts, now) => facts.expiresAt === null || facts.expiresAt > now,
    holds: 'Access has not expired.',
    fails:
      'Your access to this course has expired. Ask your administrator to extend it. Your results are kept.',
  },
  {
    code: 'course_available',
    passes: (facts) => facts.courseStatus !== 'draft',
    holds: 'The course is available.',
    fails: 'The course is not published at the moment. Try again later.',
  },
  {
    code: 'course_playable',
    passes: (facts) => facts.playable,
    holds: 'The course has content.',
    fails: 'The course has no content yet. Try again later.',
  },
  {
    code: 'attempts_left',
    passes: ({ attempt }) => !attempt.isUsedUp,
    holds: 'An attempt is open, or another attempt is left.',
    fails: ({ attempt: { limit } }) =>
      `${limit === 1 ? 'The only attempt at this course has been used' : `You have used ${limit} of ${limit} attempts at this course`}. Ask your administrator for another one. Your results are kept.`,
  },
  {
    code: 'cool_down_over',
    passes: ({ attempt }) => attempt.waitUntil === null,
    holds: 'There is no waiting time before the next attempt.',
    fails: ({ attempt }) =>
      `The next attempt can start on ${inWords(attempt.waitUntil, 'en-GB')}. Open the course again then. Your results are kept.`,
  },
  {
    code: 'signed_in',
    passes: ({ requiresSignIn, canSignIn }) => !requiresSignIn || canSignIn,
    holds: ({ requiresSignIn }) =>
      requiresSignIn
        ? 'A click on the launch link asks the learner to sign in with the identity provider.'
        : 'The launch link does not require a sign-in.',
    fails:
      'This course requires a sign-in, but no identity provider is enabled. Ask your administrator to set one up.',
  },
];

const inFacts = (text: Rule['fails'], facts: LaunchFacts) => (typeof text === 'string' ? text : text(facts));

/** Formats a time as `24 November 2026 at 14:05 UTC`. Rounds it up to the minute. */
export function inWords(time: Date | null, locale: 'en-GB' | 'de' | 'fr'): string {
  const at = new Date(Math.ceil((time?.getTime() ?? 0) / 60_000) * 60_000);
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  return `${format.format(at)} UTC`;
}

/** Whether the next launch starts another attempt, and what prevents one. */
export type AttemptDecision = {
  startsAnother: boolean;
  isAllowed: boolean;
  isUsedUp: boolean;
  limit: number;
  /** When a cool-down ends; null if there is nothing to wait for. */
  waitUntil: Date | null;
};

export function decideAttempt(row: Parameters<typeof startsAnother>[0], now: Date): AttemptDecision {
  const limit = rulesOf(row.attempt_rules)?.Limit ?? maxAttempts;
  const starts = startsAnother(row);
  const isUsedUp = starts && stateOf(row).Used >= limit;
  const end = starts && !isUsedUp ? coolDownEnd(row) : null;
  const waitUntil = end && end > now ? end : null;
  return { startsAnother: starts, isAllowed: starts && !isUsedUp && !waitUntil, isUsedUp, limit, waitUntil };
}

const ofAttempts: readonly string[] = ['attempts_left', 'cool_down_over'];

/** Whether the latest attempt may be opened for review: only the rules for attempts prevent a launch. */
export function mayReview(
  { MayLaunch, Rules }: Pick<Explanation, 'MayLaunch' | 'Rules'>,
  rules: AttemptRules | null,
): boolean {
  return (
    !MayLaunch &&
    (rules?.Review ?? false) &&
    Rules.every(({ Rule, Passed }) => Passed || ofAttempts.includes(Rule))
  );
}

/** The launch decision and its reasons, for both the LaunchURL and `explain`. */
export function decideLaunch(
  facts: LaunchFacts,
  now: Date,
): Pick<Explanation, 'MayLaunch' | 'Rules' | 'NextAttemptAt'> & { reason: string | null } {
  const asked = rules.map((rule) => {
    const passed = rule.passes(facts, now);
    return { Rule: rule.code, Passed: passed, Detail: inFacts(passed ? rule.holds : rule.fails, facts) };
  });
  const failed = asked.find((rule) => !rule.Passed);
  const NextAttemptAt = facts.attempt.waitUntil?.toISOString() ?? null;
  return { MayLaunch: !failed, NextAttemptAt, Rules: asked, reason: failed?.Detail ?? null };
}
