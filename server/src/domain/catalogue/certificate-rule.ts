import Type, { type Static } from 'typebox';
import { Fields, Nullable, OneOf, Period, Text } from '../../http/validation/schema.ts';
import { isMonthAndDay } from '../../lib/days.ts';
import { invalid } from '../../lib/errors.ts';
import type { Language } from '../tenants/schemas.ts';

/** The values that the text of a certificate can contain, in braces. */
export const placeholders = ['Name', 'Course', 'Date', 'ValidUntil', 'Score', 'Issuer'] as const;

/** One text for all languages, or one for each. */
const Localized = (maxLength: number, { description, example }: { description: string; example: string }) =>
  Type.Union(
    [
      Text(maxLength),
      Fields({
        en: Type.Optional(Text(maxLength)),
        de: Type.Optional(Text(maxLength)),
        fr: Type.Optional(Text(maxLength)),
      } satisfies Record<Language, unknown>),
      Type.Null(),
    ],
    {
      description: `${description} Either one text, or one for each language, such as \`{ "en": "…", "de": "…" }\`: the one in the \`Language\` of the tenant, otherwise the English one.`,
      examples: [example],
    },
  );
export type Localized = string | Partial<Record<Language, string>> | null;

const textsOf = (text: Localized | undefined): string[] =>
  text == null ? [] : typeof text === 'string' ? [text] : Object.values(text);

export const textIn = (text: Localized, language: Language): string | null =>
  text === null || typeof text === 'string' ? text : (text[language] ?? text.en ?? null);

export const certificateFields = {
  On: OneOf(['passed', 'completed'], { description: 'The result that earns a certificate.' }),
  ValidFor: Nullable({
    ...Period('How long a certificate is valid; null means unlimited.'),
    examples: ['P1Y'],
  }),
  ValidTo: Nullable(
    Type.String({
      pattern: '^(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$',
      examples: ['12-31'],
      description:
        'Instead of ValidFor: certificates end with the next such day of the year (MM-DD), in the `TimeZone` of the tenant.',
    }),
  ),
  Title: Localized(200, {
    description: 'The heading; null means “Certificate” in the language of the tenant.',
    example: 'Certificate of achievement',
  }),
  Text: Localized(1000, {
    description: `The sentence below the name; null means a standard text. It can contain ${placeholders.map((name) => `{${name}}`).join(', ')}.`,
    example: 'has passed {Course} with {Score} %.',
  }),
};

export const CertificateRule = Fields(certificateFields, { title: 'CertificateRule' });
export type CertificateRule = Static<typeof CertificateRule>;

export const CertificateRuleChange = Type.Partial(Fields(certificateFields), {
  additionalProperties: false,
  title: 'CertificateRuleChange',
});
export type CertificateRuleChange = Static<typeof CertificateRuleChange>;

const ofCourse =
  'The certificate that learners earn from now on, in tenants without a template of their own for the course; null means none.';
/** The field of a course. */
export const Certificate = {
  ...Nullable(CertificateRule),
  description: ofCourse,
  examples: [{ On: 'passed', ValidFor: 'P1Y', ValidTo: null, Title: null, Text: null }],
};
export const CertificateChange = {
  ...Nullable(CertificateRuleChange),
  description: `${ofCourse} Fields that you leave out keep their values; a new one is for those who pass, and has no end.`,
  examples: [{ On: 'passed', ValidFor: 'P1Y' }],
};

export const newRule: CertificateRule = {
  ...{ On: 'passed', ValidFor: null, ValidTo: null, Title: null, Text: null },
};

/** The rule with what was sent. One kind of validity replaces the other. */
export const changedRule = <Rule extends object>(
  former: Rule,
  input: Partial<Rule> & { ValidFor?: string | null; ValidTo?: string | null },
): Rule => ({
  ...former,
  ...((input.ValidFor || input.ValidTo) && { ValidFor: null, ValidTo: null }),
  ...input,
});

/** Rejects what would fail or mislead only when a certificate is issued or drawn. `at` begins the parameter's name. */
export function checkRule(rule: CertificateRuleChange, at: string): void {
  const reject = (param: string, detail: string) => {
    throw invalid(`${at}${param}`, detail);
  };
  if (rule.ValidFor != null && rule.ValidTo != null)
    reject('ValidTo', 'Send either ValidFor or ValidTo, and null for the other.');
  if (rule.ValidTo != null && !isMonthAndDay(rule.ValidTo))
    reject('ValidTo', `No year has the day ${rule.ValidTo}. Send a day that exists, such as 12-31.`);
  for (const name of ['Title', 'Text'] as const)
    for (const [whole, inner = ''] of textsOf(rule[name])
      .join(' ')
      .matchAll(/\{([^{}]*)\}/g))
      if (!placeholders.some((known) => known === inner))
        reject(
          name,
          `${name} contains the unknown placeholder ${whole}. Use one of ${placeholders.map((known) => `{${known}}`).join(', ')}.`,
        );
}
