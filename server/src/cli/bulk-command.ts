import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { rowTypes } from '../http/rows/rows.ts';
import { reasonOf } from './exit.ts';

const paths: Record<string, string> = { users: '/user/bulk', enrolments: '/enrol/bulk' };

export const bulkSubjects = Object.keys(paths);

export type BulkCommand = {
  subject: string;
  /** `-` means standard input. */
  file: string;
  plan: boolean;
  url: string;
  key: string;
  tenant: string | null;
  idempotencyKey: string | null;
};

/** Sends a file to a running service. Results go to standard output as they arrive, and totals to standard error. */
export async function bulkCommand(input: BulkCommand): Promise<{ failed: number }> {
  // Opens the file first, so that its errors are not reported as those of the connection.
  const source = input.file === '-' ? process.stdin : (await open(input.file)).createReadStream();
  const response = await fetch(`${input.url}${paths[input.subject]}${input.plan ? '?Plan=true' : ''}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${input.key}`,
      'content-type': extname(input.file).toLowerCase() === '.csv' ? rowTypes.csv : rowTypes.ndjson,
      ...(input.tenant !== null && { tenant: encodeURIComponent(input.tenant) }),
      ...(input.idempotencyKey !== null && { 'idempotency-key': input.idempotencyKey }),
    },
    body: Readable.toWeb(source) as ReadableStream,
    duplex: 'half',
  } as RequestInit).catch((error: unknown) => {
    throw new Error(
      `No response from a service at ${input.url} (${reasonOf(error)}). Start the service, or check --url.`,
    );
  });
  if (response.status !== 200 || !response.body) throw new Error(refusalOf(await response.text()));
  const counts = noCounts();
  const enrolments = noCounts();
  const created = new Set<string>();
  const warnings = bulkWarnings();
  let rest = '';
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const result: Result = JSON.parse(line);
      const outcome = outcomeOf(result);
      warnings.add(result);
      // A plan does not see earlier rows for the same user if they are far apart.
      const isRepeated = input.plan && outcome === 'created' && created.has(result.LoginID ?? '');
      counts[isRepeated ? 'exists' : outcome]++;
      if (input.plan && outcome === 'created' && result.LoginID) created.add(result.LoginID);
      if (result.Enrolment) enrolments[outcomeOf(result.Enrolment)]++;
    }
    const written = lines.map((line) => `${line}\n`).join('');
    if (written && !process.stdout.write(written)) await once(process.stdout, 'drain');
  }
  const hasEnrolments = Object.values(enrolments).some((count) => count > 0);
  const totals = hasEnrolments
    ? `users: ${totalsOf(counts)}; enrolments: ${totalsOf(enrolments)}`
    : totalsOf(counts);
  process.stderr.write(warnings.text());
  process.stderr.write(`${input.plan ? 'Dry run, nothing was changed: ' : ''}${totals}\n`);
  return { failed: counts.failed + enrolments.failed };
}

type Step = { Status: number; Changed?: string[] };
type Result = Step & {
  Row: number;
  LoginID?: string;
  Trimmed?: string[];
  SimilarLoginID?: string;
  SameEmailLoginID?: string;
  Damaged?: string[];
  Enrolment?: Step;
};

const noCounts = () => ({ created: 0, updated: 0, exists: 0, failed: 0 });

function totalsOf({ created, updated, exists, failed }: ReturnType<typeof noCounts>): string {
  return `${created} created, ${updated > 0 ? `${updated} updated, ` : ''}${exists} already there, ${failed} failed`;
}

function outcomeOf({ Status, Changed }: Step) {
  if (Status === 201) return 'created';
  if (Status !== 200) return 'failed';
  return Changed?.length ? 'updated' : 'exists';
}

function refusalOf(text: string): string {
  try {
    const { code, detail }: { code: string; detail: string } = JSON.parse(text);
    return `${code}: ${detail}`;
  } catch {
    return `The service returned an unexpected response: ${text.slice(0, 200)}`;
  }
}

type Warned = {
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
function bulkWarnings() {
  const shown: string[] = [];
  let count = 0;
  const warn = (text: string) => {
    count++;
    if (shown.length < maxShown) shown.push(`Warning: ${text}\n`);
  };
  return {
    add: ({ Row, LoginID, Trimmed, SimilarLoginID, SameEmailLoginID, Damaged }: Warned) => {
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
