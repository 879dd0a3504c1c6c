export type Statement = {
  /** The name of the prepared statement. Statements with the same name have the same text. */
  name?: string;
  text: string;
  values: readonly unknown[];
};

export type Rows<R> = { rows: R[]; affected: number };

/** `owner` is one of those below. The default is the tenant that the statement names. */
export type Connection = { query<R>(statement: Statement, owner?: string): Promise<Rows<R>> };

/**
 * The number of callers that are using the database, that are waiting for it, and that have had to wait since
 * it was opened.
 */
export type EngineLoad = { inUse: number; waiting: number; waits: number };

/** The interface of both the embedded database and a PostgreSQL server. */
export interface Engine extends Connection {
  readonly kind: 'pglite' | 'postgres';
  /** Whether each tenant's rows are on one of several nodes (Citus). Also true as long as it is not known. */
  isDistributed(): boolean;
  /** Runs `work` in a transaction on its own connection, and rolls back if it throws. */
  transaction<T>(work: (connection: Connection) => Promise<T>, owner?: string): Promise<T>;
  /** Runs several statements without parameters, for migrations. */
  script(sql: string): Promise<void>;
  load(): EngineLoad;
  close(): Promise<void>;
}

/** The part of the service's log that the database layer needs. */
export type DatabaseLog = {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
};

export const silentLog: DatabaseLog = { info() {}, warn() {}, error() {} };

// The owner of a statement or transaction decides which connections it uses and which tenant it may name: a tenant, a
// worker node of a Citus cluster, or nobody. No TenantID is empty or contains a control character.

export const nobody = '';
/** For statements that name no tenant and use only tables that all tenants share. */
export const sharedTables = '\nshared';
const ofNode = '\nnode ';

export const ownerOfNode = (node: string): string => `${ofNode}${node}`;

export const nodeOfOwner = (owner: string): string | undefined =>
  owner.startsWith(ofNode) ? owner.slice(ofNode.length) : undefined;

export const isTenant = (owner: string): boolean => owner !== nobody && !owner.startsWith('\n');
