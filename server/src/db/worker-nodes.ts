import type { Connection } from './engine/engine.ts';

/** Which worker node of a Citus cluster has each tenant's rows, as far as this process knows. */
export type WorkerNodes = {
  /** Null until it is known. A new database becomes distributed when it is migrated. */
  isDistributed: boolean | null;
  readonly known: Map<string, { node: string; until: number }>;
};

export const openWorkerNodes = (): WorkerNodes => ({ isDistributed: null, known: new Map() });

/** After a move to another node, a tenant's statements wait in the former node's queue for this long. */
const knownMilliseconds = 60_000;
const maxKnown = 10_000;

/** SQL: the address of the node that has the tenant's rows. */
export const nodeOf = (tenant: string) => `(
  select node.nodename || ':' || node.nodeport from pg_dist_placement placement join pg_dist_node node using (groupid)
  where placement.shardid = get_shard_id_for_distribution_column('"user"', ${tenant}))`;

const isDistributedText = `/* across tenants: definition */
select to_regclass('pg_dist_partition') is not null as "isCitus", to_regclass('"user"') is not null as "isMigrated"`;

export async function findWhetherDistributed(nodes: WorkerNodes, connection: Connection): Promise<void> {
  const { rows } = await connection.query<{ isCitus: boolean; isMigrated: boolean }>({
    text: isDistributedText,
    values: [],
  });
  const [found] = rows;
  if (found && (found.isMigrated || !found.isCitus)) nodes.isDistributed = found.isCitus;
}

/** Undefined if the node has to be looked up. */
export function knownNode({ known }: WorkerNodes, tenantId: string): string | undefined {
  const found = known.get(tenantId);
  return found && found.until > performance.now() ? found.node : undefined;
}

export async function findNode(
  { known }: WorkerNodes,
  connection: Connection,
  tenantId: string,
): Promise<string | undefined> {
  const { rows } = await connection.query<{ node: string | null }>({
    text: `/* across tenants: definition */ select ${nodeOf('$1::text')} as node`,
    values: [tenantId],
  });
  const node = rows[0]?.node ?? undefined;
  if (known.size >= maxKnown) known.clear();
  if (node !== undefined) known.set(tenantId, { node, until: performance.now() + knownMilliseconds });
  return node;
}
