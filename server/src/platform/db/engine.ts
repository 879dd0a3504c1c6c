export type Statement = {
  /** Kept prepared under this name; the same name always has the same text. */
  name?: string;
  text: string;
  values: readonly unknown[];
};

export type Rows<R> = { rows: R[]; affected: number };

/** `tenantId`: for whom it works, if the statement does not name a tenant; none: for the service. */
export type Connection = { query<R>(statement: Statement, tenantId?: string): Promise<Rows<R>> };

/** Who works on the database now, who waits for that, and how many had to wait since it was opened. */
export type EngineLoad = { inUse: number; waiting: number; waits: number };

/** What the in-process database and a PostgreSQL server have in common. */
export interface Engine extends Connection {
  readonly kind: 'pglite' | 'postgres';
  /** Runs `work` on one connection of its own; rolled back when it throws. */
  transaction<T>(work: (connection: Connection) => Promise<T>, tenantId?: string): Promise<T>;
  /** Runs several statements without parameters, for migrations. */
  script(sql: string): Promise<void>;
  load(): EngineLoad;
  close(): Promise<void>;
}

/** What the database layer needs of the service's log. */
export type DatabaseLog = {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
};

export const silentLog: DatabaseLog = { info() {}, warn() {}, error() {} };
