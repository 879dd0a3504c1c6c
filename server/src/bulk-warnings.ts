type Result = {
  Row: number;
  LoginID?: string;
  Trimmed?: string[];
  SimilarLoginID?: string;
  SameEmailLoginID?: string;
  Damaged?: string[];
};

/** More are only counted, because a file may have any number of rows. */
const maxShown = 20;

/** Collects the warnings in results, as lines for standard error. */
export function bulkWarnings() {
  const shown: string[] = [];
  let count = 0;
  const warn = (text: string) => {
    count++;
    if (shown.length < maxShown) shown.push(`Warning: ${text}\n`);
  };
  return {
    add: ({ Row, LoginID, Trimmed, SimilarLoginID, SameEmailLoginID, Damaged }: Result) => {
      if (Trimmed !== undefined)
        warn(`row ${Row} has spaces or invisible characters in ${Trimmed.join(', ')}, which were removed.`);
      if (Damaged !== undefined)
        warn(`row ${Row} has an error or number of a spreadsheet in ${Damaged.join(', ')}.`);
      if (SimilarLoginID !== undefined)
        warn(
          `row ${Row} would create ${quoted(LoginID)} although ${quoted(SimilarLoginID)} exists. LoginIDs are case-sensitive.`,
        );
      if (SameEmailLoginID !== undefined)
        warn(`row ${Row} would give ${quoted(LoginID)} the email address of ${quoted(SameEmailLoginID)}.`);
    },
    text: () =>
      shown.join('') + (count > maxShown ? `Further warnings in the results: ${count - maxShown}.\n` : ''),
  };
}

/** Written as JSON, so that control characters do not reach the terminal. */
const quoted = (loginId = '') => JSON.stringify(loginId);
