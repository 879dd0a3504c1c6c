import type { Agent, Statement } from '../../../../standards/xapi/types.ts';
import type { Caller } from '../../http/routes.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';

/** An AU's access to a document. `documentId` is null if the AU lists documents or deletes all of them. */
export type DocumentUse = {
  action: 'read' | 'write' | 'delete';
  kind: 'state' | 'activity_profile' | 'agent_profile';
  agent: string | null;
  activityId: string | null;
  registration: string | null;
  documentId: string | null;
  /** The document that a write stores. */
  document?: { contentType: string; content: Buffer };
};

/** A statement of the LMS itself. */
export type OwnStatement = Statement & { id: string; authority: Agent };

export type StatementEffects = {
  /** The LMS's own statements, which are stored after those of the AU. */
  following: readonly OwnStatement[];
  /** Whether the statements can define the activity. Otherwise, the definition remains in the statement only. */
  defines: (activityId: string) => boolean;
  /** Whether the result of the unit has changed. Answers are not results. */
  isResult: boolean;
};

/**
 * A session of an assignable unit (cmi5), which calls the LRS with its own token. These rules do
 * not apply to the tenant's keys. Each function throws a Problem, such as a 403, to reject a call.
 */
export type AuSession = {
  /** The authority of statements that the AU sends. */
  authority: Agent;
  /** The AU can look up only this person. */
  learner: Agent;
  /** The AU can read only statements with this registration. */
  registration: string;
  /** The names in the query of the launch URL, which some clients repeat in every call. */
  launchParameters: () => Promise<ReadonlySet<string>>;
  /**
   * Called with the new statements, as sent, in the transaction that stores them, but before any of them is
   * stored and before the tenant's statements are locked. Its writes are committed together with the
   * statements.
   */
  processStatements: (ctx: TenantContext, sent: readonly Statement[]) => Promise<StatementEffects>;
  /** Called before a document is read, and inside the transaction that changes one. */
  checkDocument: (ctx: TenantContext, use: DocumentUse) => Promise<void>;
  /**
   * Called inside the transaction that changes a document, with the number of bytes that it adds. The number is
   * negative if a document becomes smaller. A new result may use reserved space.
   */
  countStorage: (ctx: TenantContext, bytes: number, isReserved?: boolean) => Promise<void>;
};

/** Records a refused call with an AU's token. Does nothing for other tokens. */
export type RecordRefusal = (
  ctx: Context,
  token: string,
  refusal: { code: string; detail: string; call: string; verbs: readonly string[] },
) => Promise<void>;

/** Who calls the LRS: a key or console session of the tenant, or an AU. */
export type LrsCaller = { kind: 'key'; keyId: string } | { kind: 'au'; session: AuSession };

/**
 * Finds the AU session for a token, which is the part of the Authorization header after `Basic` or `Bearer`.
 * Returns null for any other token, if possible without a query. Throws `unauthorized` if the session has
 * ended. The caller's scopes are `xapi:read` and `xapi:write`.
 */
export type FindAuSession = (
  ctx: Context,
  token: string,
) => Promise<{ caller: Caller; session: AuSession } | null>;
