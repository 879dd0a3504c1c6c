import type { Client } from 'openapi-fetch';
import type { Actor, paths, Statement } from './generated.ts';
import { openDocuments } from './xapi-documents.ts';

export type XapiVersion = '1.0.3' | '2.0.0';

type Query = NonNullable<paths['/xapi/statements']['get']['parameters']['query']>;

/** The filters of `GET /xapi/statements`, as typed values instead of strings. */
export type StatementFilter = Pick<Query, 'verb' | 'activity' | 'registration' | 'format'> & {
  agent?: Actor;
  related_agents?: boolean;
  related_activities?: boolean;
  /** Stored after this time. */
  since?: string | Date;
  /** Stored at or before this time. */
  until?: string | Date;
  /** Oldest first. */
  ascending?: boolean;
  /** Statements on a page, at most 200. */
  limit?: number;
};

export type StatementPage = {
  statements: Statement[];
  /** Everything stored up to this time is included. Send it as `since` to continue later. */
  consistentThrough: string;
};

const timeOf = (time: string | Date) => (time instanceof Date ? time.toISOString() : time);

function queryOf(filter: StatementFilter): Query {
  const { agent, since, until, limit, related_agents, related_activities, ascending, ...same } = filter;
  return {
    ...same,
    ...(agent === undefined ? {} : { agent: JSON.stringify(agent) }),
    ...(since === undefined ? {} : { since: timeOf(since) }),
    ...(until === undefined ? {} : { until: timeOf(until) }),
    ...(limit === undefined ? {} : { limit: String(limit) }),
    ...(related_agents === undefined ? {} : { related_agents: String(related_agents) }),
    ...(related_activities === undefined ? {} : { related_activities: String(related_activities) }),
    ...(ascending === undefined ? {} : { ascending: String(ascending) }),
  };
}

/** `more` is a link with the same query and the cursor of the next page. */
function cursorIn(more: string): string | null {
  return more === '' ? null : new URL(more, 'https://lrs.invalid').searchParams.get('cursor');
}

/** The learning record store. Failed calls throw a LecternError, like all other calls. */
export function openXapi(api: Client<paths>, version: XapiVersion) {
  const header = { 'X-Experience-API-Version': version };

  /** The cast is safe: only a request for a single statement has a different response. */
  const readPage = async (query: Query) => {
    const { data, response } = await api.GET('/xapi/statements', { params: { header, query } });
    const { statements, more } = data as { statements: Statement[]; more: string };
    const consistentThrough = response.headers.get('X-Experience-API-Consistent-Through') ?? '';
    return { statements, consistentThrough, cursor: cursorIn(more) };
  };

  async function* pages(filter: StatementFilter = {}): AsyncGenerator<StatementPage, void> {
    const query = queryOf(filter);
    let first: string | null = null;
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await readPage(cursor === '' ? query : { ...query, cursor });
      // Later pages may report a later time, but the time of the first page applies to the whole list.
      first ??= page.consistentThrough;
      yield { statements: page.statements, consistentThrough: first };
      cursor = page.cursor;
    }
  }

  return {
    /** Stores either all of the statements or none, and returns their IDs. Skips identical statements that exist already. */
    post: async (statements: Statement | Statement[]): Promise<string[]> => {
      const { data } = await api.POST('/xapi/statements', { params: { header }, body: statements });
      return data ?? [];
    },

    /** Stores a statement with an ID of your own. */
    put: async (statement: Statement & { id: string }): Promise<void> => {
      const query = { statementId: statement.id };
      await api.PUT('/xapi/statements', { params: { header, query }, body: statement });
    },

    /** Reads a statement by its ID. Set `voided` to read a voided statement. */
    get: async (id: string, { voided = false }: { voided?: boolean } = {}): Promise<Statement> => {
      const query = voided ? { voidedStatementId: id } : { statementId: id };
      const { data } = await api.GET('/xapi/statements', { params: { header, query } });
      return data as Statement;
    },

    /** Iterates page by page, newest first unless `ascending` is set. A page can be empty. */
    pages,

    /** Iterates statement by statement, and reads the next page when it is needed. */
    statements: async function* (filter: StatementFilter = {}): AsyncGenerator<Statement, void> {
      for await (const { statements } of pages(filter)) yield* statements;
    },

    ...openDocuments(api, header),
  };
}
