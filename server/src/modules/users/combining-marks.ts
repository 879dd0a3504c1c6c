import { Problem } from '../../platform/errors.ts';
import { hasExcessiveCombiningMarks } from '../../platform/unicode.ts';

const names = ['LoginID', 'FirstName', 'LastName', 'Email'] as const;

/** The database folds these texts for searches. Sorting many combining marks can take a millisecond per text. */
export function rejectCombiningMarks(input: { [Name in (typeof names)[number]]?: string | null }): void {
  const param = names.find((name) => hasExcessiveCombiningMarks(input[name] ?? ''));
  if (param)
    throw new Problem('validation_failed', `${param} must not have more than 30 combining marks in a row.`, {
      param,
    });
}
