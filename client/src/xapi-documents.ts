import type { Client } from 'openapi-fetch';
import { LecternError } from './errors.ts';
import type { Actor, paths } from './generated.ts';

/** `content` is the parsed JSON, or the bytes for any other type. */
export type XapiDocument = { content: unknown; contentType: string; etag: string };

/** The version that a write may replace: its ETag, or null if no document may exist yet. */
export type Precondition = { etag?: string | null };

type Header = { 'X-Experience-API-Version': string };
type Address = Record<string, string>;

export type Documents = {
  /** The IDs of all documents, or of those changed after a time. */
  ids: (input?: { since?: string | Date }) => Promise<string[]>;
  /** Null if there is no document with the ID. */
  get: (id: string) => Promise<XapiDocument | null>;
  /** Bytes need a `contentType`; anything else is sent as JSON. */
  put: (id: string, content: unknown, options?: Precondition & { contentType?: string }) => Promise<void>;
  /** Replaces the given properties of a JSON object, and keeps the others. */
  merge: (id: string, properties: object, options?: Precondition) => Promise<void>;
  delete: (id: string, options?: Precondition) => Promise<void>;
};

type Path = '/xapi/activities/state' | '/xapi/activities/profile' | '/xapi/agents/profile';

const json = 'application/json';

function conditions({ etag }: Precondition): Record<string, string> {
  if (etag === undefined) return {};
  return etag === null ? { 'If-None-Match': '*' } : { 'If-Match': etag };
}

async function readDocument(response: Response, content: ArrayBuffer): Promise<XapiDocument> {
  const contentType = response.headers.get('content-type') ?? '';
  const bytes = new Uint8Array(content);
  return {
    content: contentType.startsWith(json) ? JSON.parse(new TextDecoder().decode(bytes)) : bytes,
    contentType,
    etag: response.headers.get('etag') ?? '',
  };
}

/** The documents that belong to an agent, an activity or both. */
function documentsAt(
  api: Client<paths>,
  path: Path,
  idName: string,
  address: Address,
  header: Header,
): Documents {
  // The cast is safe: the three resources differ only in the parameters that `address` and `idName` contain.
  const send = api.request as unknown as (
    method: string,
    path: Path,
    init: object,
  ) => Promise<{ data: unknown; response: Response }>;
  const paramsOf = (id: string) => ({ header, query: { ...address, [idName]: id } });
  const write = (method: string, id: string, content: unknown, headers: Record<string, string>) =>
    send(method, path, {
      params: paramsOf(id),
      body: content,
      bodySerializer: (body: unknown) => (body instanceof Uint8Array ? body : JSON.stringify(body)),
      headers,
    });

  return {
    ids: async ({ since } = {}) => {
      const time = since instanceof Date ? since.toISOString() : since;
      const query = { ...address, ...(time === undefined ? {} : { since: time }) };
      return (await send('get', path, { params: { header, query } })).data as string[];
    },
    get: async (id) => {
      try {
        const init = { params: paramsOf(id), parseAs: 'arrayBuffer' };
        const { data, response } = await send('get', path, init);
        return await readDocument(response, data as ArrayBuffer);
      } catch (error) {
        if (error instanceof LecternError && error.code === 'document_not_found') return null;
        throw error;
      }
    },
    put: async (id, content, { contentType = json, ...options } = {}) => {
      await write('put', id, content, { 'Content-Type': contentType, ...conditions(options) });
    },
    merge: async (id, properties, options = {}) => {
      await write('post', id, properties, { 'Content-Type': json, ...conditions(options) });
    },
    delete: async (id, options = {}) => {
      await send('delete', path, { params: paramsOf(id), headers: conditions(options) });
    },
  };
}

/** States, activity profiles and agent profiles. */
export function openDocuments(api: Client<paths>, header: Header) {
  return {
    /** Data that a course or an app stores about an agent in an activity, such as a bookmark. */
    state: (of: { activityId: string; agent: Actor; registration?: string }): Documents => {
      const address = { ...of, agent: JSON.stringify(of.agent) };
      return documentsAt(api, '/xapi/activities/state', 'stateId', address, header);
    },
    /** Data about an activity, shared by all learners. */
    activityProfile: (of: { activityId: string }): Documents =>
      documentsAt(api, '/xapi/activities/profile', 'profileId', of, header),
    /** Data about an agent, across all activities. */
    agentProfile: (of: { agent: Actor }): Documents =>
      documentsAt(api, '/xapi/agents/profile', 'profileId', { agent: JSON.stringify(of.agent) }, header),
  };
}
