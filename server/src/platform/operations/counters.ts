import { Counter } from 'prom-client';

/** The reasons for rejecting a request before its work begins. */
export const rejections = {
  anonymous: [
    'full',
    'stalled',
    'address_rate',
    'address_concurrency',
    'site_concurrency',
    'tenant_concurrency',
    'wrong_credentials',
  ],
  api: [
    'full',
    'stalled',
    'key_rate',
    'key_concurrency',
    'tenant_concurrency',
    'list_concurrency',
    'export_concurrency',
    'ping_rate',
    'merged_bytes',
    'issued_keys',
    'unread_responses',
  ],
  runTime: [
    'full',
    'session_rate',
    'session_bytes',
    'session_concurrency',
    'tenant_concurrency',
    'tenant_bytes',
    'launch_rate',
    'merged_bytes',
    'unread_responses',
  ],
  connections: ['address_concurrency', 'address_rate', 'tiny_chunks', 'unread'],
  hashes: ['tenant_concurrency'],
  passwords: ['full', 'address_concurrency', 'site_concurrency'],
  uploads: ['key_concurrency', 'tenant_concurrency', 'disk'],
  imports: ['full'],
} as const;

export type RejectingPool = keyof typeof rejections;
export type Rejection<P extends RejectingPool> = (typeof rejections)[P][number];

/** `check` means POST /user/check, and `key` an API key or credentials at /oauth/token. */
const signInKinds = ['password', 'link', 'invitation', 'reset', 'passkey', 'check', 'key'] as const;

/**
 * Counters are not in a global registry, because a process may have several contexts, for example
 * in tests.
 */
function counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]) {
  return new Counter<Label>({ name, help, labelNames, registers: [] });
}

/**
 * Counters of events on this node since it started, incremented where the events happen. Labels come from closed lists.
 */
export function openCounters() {
  const rejected = counter(
    'lectern_rejections_total',
    'Requests rejected before their work began, by pool and reason.',
    ['pool', 'reason'],
  );
  const signInFailures = counter('lectern_sign_in_failures_total', 'Wrong credentials, by kind.', ['kind']);
  const commitsRejected = counter('lectern_commits_rejected_total', 'Commits rejected, by error code.', [
    'code',
  ]);
  const lateCommits = counter(
    'lectern_late_commits_total',
    'Commits accepted after their session had ended or been superseded.',
    [],
  );
  const poolWaits = counter('lectern_pool_waits_total', 'Requests that waited for a slot, by pool.', [
    'pool',
  ]);
  const stalls = counter(
    'lectern_event_loop_stalls_total',
    'Times that the event loop was blocked for more than 2 s.',
    [],
  );
  const workerReplacements = counter(
    'lectern_worker_replacements_total',
    'Worker processes started to replace ones that exited.',
    [],
  );
  // Start at 0, because a series that begins with its first failure would show no increase.
  for (const [pool, reasons] of Object.entries(rejections))
    for (const reason of reasons) rejected.inc({ pool, reason }, 0);
  for (const kind of signInKinds) signInFailures.inc({ kind }, 0);
  for (const pool of ['passwords', 'hashes', 'lists', 'erasures', 'replays', 'plays', 'openings'])
    poolWaits.inc({ pool }, 0);
  return {
    rejected,
    signInFailures,
    commitsRejected,
    lateCommits,
    poolWaits,
    stalls,
    workerReplacements,
  };
}

export type Counters = ReturnType<typeof openCounters>;

type Counting = { readonly counters: Counters };

export function countRejection<P extends RejectingPool>(
  { counters }: Counting,
  pool: P,
  reason: Rejection<P>,
): void {
  counters.rejected.inc({ pool, reason });
}

export function countSignInFailure({ counters }: Counting, kind: (typeof signInKinds)[number]): void {
  counters.signInFailures.inc({ kind });
}
