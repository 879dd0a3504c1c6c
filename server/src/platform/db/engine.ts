export type Statement = {
  /** The name of the prepared statement. Statements with the same name have the same text. */
  name?: string;
  text: string;
  values: readonly unknown[];
};

export type Rows<R> = { rows: R[]; affected: number };

/** For `owner`, see `owners.ts`. The default is the tenant that the statement names. */
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
