import type { Explanation, ruleCodes } from './schemas.ts';

/** The data on which the launch decision depends. */
export type LaunchFacts = {
  userEnabled: boolean;
  withdrawn: boolean;
  expiresAt: Date | null;
  courseStatus: string;
  playable: boolean;
};

type Rule = {
  code: (typeof ruleCodes)[number];
  passes: (facts: LaunchFacts, now: Date) => boolean;
  holds: string;
  fails: string;
};

/** In the order of evaluation. */
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
];

/** The launch decision and its reasons, for both the LaunchURL and `explain`. */
export function decideLaunch(
  facts: LaunchFacts,
  now: Date,
): Pick<Explanation, 'MayLaunch' | 'Rules'> & { reason: string | null } {
  const asked = rules.map((rule) => {
    const passed = rule.passes(facts, now);
    return { Rule: rule.code, Passed: passed, Detail: passed ? rule.holds : rule.fails };
  });
  const failed = asked.find((rule) => !rule.Passed);
  return { MayLaunch: !failed, Rules: asked, reason: failed?.Detail ?? null };
}
