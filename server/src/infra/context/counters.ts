import { Counter } from 'prom-client';

/** The limits beyond which requests are rejected, as `lectern_rejections_total` names them. */
export const limitNames = [
  'requests',
  'requests_of_tenant',
  'calls_of_key',
  'commits',
  'commit_bytes',
  'files',
  'launches',
  'units',
  'enrolment_keys',
  'pings',
  'certificates',
  'bulk_calls',
  'file_checks',
  'hashes',
  'imports',
  'disk',
] as const;
export type LimitName = (typeof limitNames)[number];

/** `check` means POST /user/check, and `key` an API key or credentials at /oauth/token. */
const signInKinds = [
  'password',
  'link',
  'invitation',
  'reset',
  'passkey',
  'provider',
  'check',
  'key',
] as const;

/** As in `Outcome` of a message. */
const mailResults = ['sent', 'rejected', 'delayed', 'unavailable'] as const;

/** Counters are not in a global registry, because a process may have several contexts, for example in tests. */
function counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]) {
  return new Counter<Label>({ name, help, labelNames, registers: [] });
}

/**
 * Counters of events on this node since it started, incremented where the events happen. Labels come from closed lists.
 */
export function openCounters() {
  const rejected = counter('lectern_rejections_total', 'Requests rejected because of a limit, by limit.', [
    'limit',
  ]);
  const signInFailures = counter('lectern_sign_in_failures_total', 'Wrong credentials, by kind.', ['kind']);
  const commitsRejected = counter('lectern_commits_rejected_total', 'Commits rejected, by error code.', [
    'code',
  ]);
  const commitsWithoutData = counter(
    'lectern_commits_without_data_total',
    'Commits and AICC reports whose result was stored without all of their run-time data, because it exceeded a limit.',
    [],
  );
  const lateCommits = counter(
    'lectern_late_commits_total',
    'Commits accepted after their session had ended or been superseded.',
    [],
  );
  const mails = counter('lectern_mail_attempts_total', 'Attempts to send an email, by result.', ['result']);
  // Start at 0, because a series that begins with its first failure would show no increase.
  for (const limit of limitNames) rejected.inc({ limit }, 0);
  for (const result of mailResults) mails.inc({ result }, 0);
  for (const kind of signInKinds) signInFailures.inc({ kind }, 0);
  return {
    rejected,
    signInFailures,
    commitsRejected,
    commitsWithoutData,
    lateCommits,
    mails,
  };
}

export type Counters = ReturnType<typeof openCounters>;

type Counting = { readonly counters: Counters };

export function countRejection({ counters }: Counting, limit: LimitName): void {
  counters.rejected.inc({ limit });
}

export function countMail({ counters }: Counting, result: (typeof mailResults)[number]): void {
  counters.mails.inc({ result });
}

export function countSignInFailure({ counters }: Counting, kind: (typeof signInKinds)[number]): void {
  counters.signInFailures.inc({ kind });
}
