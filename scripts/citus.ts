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
