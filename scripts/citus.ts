import { nodesOf } from '../server/test/support/server-database.ts';

/** Why the tests on Citus cannot run on this server; null if they can. */
export async function reasonAgainstCitus(serverUrl: string | undefined): Promise<string | null> {
  if (!serverUrl) return 'TEST_DATABASE_URL does not name a Citus coordinator';
  const nodes = await nodesOf(serverUrl);
  if (nodes.length === 0) return 'the server in TEST_DATABASE_URL is not a Citus coordinator';
  if (nodes.filter(({ isCoordinator }) => !isCoordinator).length < 2)
    return 'the Citus cluster in TEST_DATABASE_URL has fewer than two workers';
  return null;
}

type Exclusion = { file: string; test?: string; why: string };

/** Test files, and single tests, that cannot pass on Citus. */
const exclusions: Exclusion[] = [];

/** Whether no test of the file can run on Citus. */
export function cannotRunOnCitus(file: string): boolean {
  return exclusions.some((entry) => entry.file === file && entry.test === undefined);
}

/** Node.js arguments that leave out the excluded tests of files that otherwise run. */
export const skippedOnCitus: string[] = exclusions.flatMap(({ test }) =>
  test === undefined ? [] : [`--test-skip-pattern=^${RegExp.escape(test)}$`],
);

/** One line for each excluded file or test. */
export const excludedFromCitus: string[] = exclusions.map(
  ({ file, test, why }) => `Not run on Citus: ${file}${test === undefined ? '' : `, “${test}”`}: ${why}`,
);
