import { Problem } from '../../platform/errors.ts';
import { isSlowToFold } from '../../platform/unicode.ts';

const names = ['LoginID', 'FirstName', 'LastName', 'Email'] as const;

/** The database folds these texts for searches, which can take it more than a millisecond. */
export function rejectSlowTexts(input: { [Name in (typeof names)[number]]?: string | null }): void {
  const param = names.find((name) => isSlowToFold(input[name] ?? ''));
  if (param)
    throw new Problem(
      'validation_failed',
      `${param} has more than 30 combining marks in a row, or too many characters that stand for several letters. Remove some of them.`,
      { param },
    );
}
