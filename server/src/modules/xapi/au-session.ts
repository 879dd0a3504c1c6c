import type { Agent, Statement } from '../../../../standards/xapi/types.ts';
import type { Context, TenantContext } from '../../platform/context.ts';
import type { Caller } from '../../platform/http/routes.ts';

/** An AU's access to a document. `documentId` is null when documents are listed, or all of them deleted. */
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

export type Taken = {
  /** The LMS's own statements, which are stored after those of the AU. */
  following: readonly OwnStatement[];
  /** Whether the statements can define the activity. Otherwise, the definition remains in the statement only. */
  defines: (activityId: string) => boolean;
};

/**
 * A session of an assignable unit (cmi5), which calls the LRS with a token of its own. The rules apply only to these
 * tokens, not to the tenant's keys. Each function rejects by throwing a Problem, such as a 403.
 */
export type AuSession = {
  /** Recorded as the authority of its statements. */
  authority: Agent;
  /** The only person whom it can look up. */
  learner: Agent;
  /** It reads only statements with this registration. */
  registration: string;
  /**
   * Called in the transaction that stores the statements, with the new ones, as they were sent. Its writes commit
   * together with them. Nothing that they contain is stored earlier. The tenant's statements are locked only
   * afterwards.
   */
  takeStatements: (ctx: TenantContext, sent: readonly Statement[]) => Promise<Taken>;
  /** Called before a document is read, and in the transaction of a change. */
  checkDocument: (ctx: TenantContext, use: DocumentUse) => Promise<void>;
  /** Called in the transaction of a change, with the bytes that it adds. Negative if a document becomes smaller. */
  countStorage: (ctx: TenantContext, bytes: number) => Promise<void>;
};

/** Who calls the LRS: a key or console session of the tenant, or an AU. */
export type LrsCaller = { kind: 'key'; keyId: string } | { kind: 'au'; session: AuSession };

/**
 * Finds the AU session for a token, which is the part of the Authorization header after `Basic` or `Bearer`. Returns
 * null if it is not an AU's token, without a look-up where possible. Throws `unauthorized` if the session has ended.
 * The caller's scopes are `xapi:read` and `xapi:write`.
 */
export type FindAuSession = (
  ctx: Context,
  token: string,
) => Promise<{ caller: Caller; session: AuSession } | null>;
