import Type from 'typebox';
import { parseAnySeconds } from '../../../../standards/durations.ts';
import { traits } from '../../../../standards/traits.ts';
import type { Standard } from '../../../../standards/types.ts';
import { OneOf } from '../../http/validation/schema.ts';
import { invalid } from '../../lib/errors.ts';

/** The limit for courses that set none. Every attempt is stored, so the number of attempts must be limited. */
export const maxAttempts = 1_000;

const properties = {
  Limit: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    minimum: 1,
    maximum: 100,
    description: `Maximum number of attempts; null (default) means no limit other than ${maxAttempts.toLocaleString('en-GB')}. Attempts before a reset do not count.`,
  }),
  CoolDown: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    pattern: '^P(?=\\d|T\\d)(\\d{1,3}D)?(T(?=\\d)(\\d{1,3}H)?(\\d{1,3}M)?)?$',
    examples: ['P1D'],
    maxLength: 20,
    description:
      'Minimum time between the end of an attempt and the start of the next one, as an ISO 8601 duration in days, hours and minutes, such as P1D or PT30M; null (default) means no waiting time.',
  }),
  Counts: OneOf(['best', 'last', 'first'], {
    description:
      'Which finished attempt decides the result of the enrolment. best (default): the passed attempt or, if none was passed, the attempt with the highest score.',
  }),
  After: OneOf(['failed', 'finished'], {
    description:
      'When a launch starts a new attempt. failed (default): if the learner failed the latest attempt and the enrolment is not passed; other launches reopen the latest attempt. finished: whenever the latest attempt is finished, even if it was passed.',
  }),
  Review: Type.Unsafe<boolean>({
    type: 'boolean',
    description:
      'Whether the learner can open the latest attempt for review while no new attempt can start. SCORM content runs in review mode (`cmi.mode` or `cmi.core.lesson_mode` is `review`), and nothing is recorded. false (default): the course stays closed.',
  }),
};

export type AttemptRules = {
  Limit: number | null;
  CoolDown: string | null;
  Counts: 'best' | 'last' | 'first';
  After: 'failed' | 'finished';
  Review: boolean;
};

const base = { type: ['object', 'null'], additionalProperties: false, properties };

const example = { Limit: 3, CoolDown: 'P1D', Counts: 'best', After: 'failed', Review: false };

export const AttemptRules = Type.Unsafe<AttemptRules | null>({
  ...base,
  required: Object.keys(properties),
  examples: [example],
  description: 'The rules for attempts; null means a single attempt, which stays open.',
});

export const AttemptRulesChange = Type.Unsafe<Partial<AttemptRules> | null>({
  ...base,
  examples: [example],
  description:
    'Replaces the rules for attempts; fields that you leave out get their default values. null means a single attempt, which stays open.',
});

/** The rules with their defaults. Throws if they contradict each other. */
export function withDefaultRules(sent: Partial<AttemptRules>): AttemptRules {
  const rules = {
    Limit: null,
    CoolDown: null,
    Counts: 'best',
    After: 'failed',
    Review: false,
    ...sent,
  } as const;
  if (rules.Limit === 1 && rules.CoolDown !== null)
    throw invalid(
      'Attempts.CoolDown',
      'With a Limit of 1, there is no second attempt to which a CoolDown could apply. Raise Limit, or set CoolDown to null.',
    );
  return rules;
}

export const coolDownMilliseconds = ({ CoolDown }: AttemptRules) => parseAnySeconds(CoolDown) * 1000;

/** The cast is safe: only complete rules are written to the column. */
export const rulesOf = (stored: unknown): AttemptRules | null => stored as AttemptRules | null;

/** A cmi5 registration is one attempt, so its statements cannot be divided into several. */
export function rejectRules(standard: Standard | null): void {
  if (standard === null || traits[standard].hasAttempts) return;
  throw invalid(
    'Attempts',
    'cmi5 courses have a single attempt per enrolment. Set Attempts to null; to let a learner start over, enrol them with IfEnrolled set to renew.',
  );
}
