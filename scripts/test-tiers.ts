import { globSync } from 'node:fs';

/**
 * The database tests of `npm test`: what the contract promises, each promise once. All database tests run on PostgreSQL
 * in the gate. Tests without a database always run.
 */
export const contract = [
  'client/test/client.test.ts',
  'server/src/cli/commands.test.ts',
  'server/src/domain/delivery/protocols/aicc/dialects.test.ts',
  'server/src/domain/identity/{keys,oauth}.test.ts',
  'server/src/domain/catalogue/courses.test.ts',
  'server/src/domain/delivery/protocols/cmi5/late-documents.test.ts',
  'server/src/domain/enrolment-keys/redeem.test.ts',
  'server/src/domain/imports/imports.test.ts',
  'server/src/domain/enrolments/{enrol,enrol-again,if-enrolled,change-enrolment,expire}.test.ts',
  'server/src/domain/enrolments/{list-enrolments,override,seats}.test.ts',
  'server/src/domain/enrolments/run-time/{launch-decision,start}.test.ts',
  'server/src/domain/enrolments/history/timeline.test.ts',
  'server/src/domain/events/{catalogue,events}.test.ts',
  'server/src/domain/privacy/export.test.ts',
  'server/src/domain/sign-in/{password-sign-in,sessions}.test.ts',
  'server/src/domain/delivery/player/{access-ends,commit,commit-order,late-commits,launch}.test.ts',
  'server/src/domain/sandbox/clock.test.ts',
  'server/src/domain/tenants/tenants.test.ts',
  'server/src/domain/users/{bulk,change-user,create-user,list-users,login-id}.test.ts',
  'server/src/domain/events/webhooks/webhooks.test.ts',
  'server/src/domain/lrs/{au-session,documents,statements}.test.ts',
  'server/src/db/{engine/engine,transaction}.test.ts',
  'server/src/http/{serve/entry,methods}.test.ts',
  'server/src/http/validation/validation.test.ts',
  'server/src/http/idempotency.test.ts',
  'server/test/{identifiers,routes,settings,statements,tenant-guard-mutations}.test.ts',
];

/** The journeys of the gate. The others run in `npm run gate:full`. */
export const firstJourneys = [
  'test/journeys/{first-day,scorm12,saving,packages,aicc,remote-units,choice,media}.test.ts',
  'test/journeys/{own-window,review,row}.test.ts',
  'test/journeys/console-{access,courses,enrolments}.test.ts',
  'test/journeys/{daily-tasks,every-page}.test.ts',
];

/** The files that the patterns name. A pattern without a file is an error, so that a renamed test is not lost. */
export function filesOf(patterns: readonly string[]): Set<string> {
  const files = new Set<string>();
  for (const pattern of patterns) {
    const named = globSync(pattern);
    const names = (pattern.match(/\{(.*)\}/)?.[1] ?? '').split(',').length;
    if (named.length !== names)
      throw new Error(`scripts/test-tiers.ts: ${pattern} names ${named.length} files.`);
    for (const file of named) files.add(file);
  }
  return files;
}
