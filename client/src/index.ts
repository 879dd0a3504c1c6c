import createClient, { type Client } from 'openapi-fetch';
import { type Credentials, withAuthorization } from './authorize.ts';
import { openBulk } from './bulk.ts';
import { openEnrol } from './enrol.ts';
import { errorOf } from './errors.ts';
import type { paths } from './generated.ts';
import { openLists } from './lists.ts';
import { openResources } from './resources.ts';
import { type Fetch, type RetryOptions, withRetries } from './retry.ts';
import type { Call, Method } from './types.ts';
import { openXapi, type XapiVersion } from './xapi.ts';

export type { ClientCredentials, Credentials } from './authorize.ts';
export type { BulkPath, BulkResult } from './bulk.ts';
export type { EnrolInput } from './enrol.ts';
export { type ErrorCode, LecternError } from './errors.ts';
export type { LecternEvent } from './events.ts';
export type * from './generated.ts';
export { launchUrl, withReturn } from './launch-url.ts';
export type { Fetch, RetryOptions } from './retry.ts';
export type { Answer, Init, Item, ListPath, Page, PathWith } from './types.ts';
export { verifyWebhook, WebhookError, type WebhookEvent } from './webhook.ts';
export type { StatementFilter, StatementPage, XapiVersion } from './xapi.ts';
export type { Documents, Precondition, XapiDocument } from './xapi-documents.ts';

export type LecternOptions = Credentials &
  RetryOptions & {
    /** The origin of the service, such as `https://learn.example.com`. */
    baseUrl: string;
    /** The tenant to act on, for operator keys. */
    tenant?: string;
    /** The version of xAPI that `xapi` uses. Default: 2.0.0. */
    xapiVersion?: XapiVersion;
    /** Replaces the global `fetch`. */
    fetch?: Fetch;
  };

export type Lectern = {
  get: Call<'get'>;
  put: Call<'put'>;
  post: Call<'post'>;
  delete: Call<'delete'>;
  enrol: ReturnType<typeof openEnrol>;
  bulk: ReturnType<typeof openBulk>;
  /** The learning record store: statements and documents. */
  xapi: ReturnType<typeof openXapi>;
  /**
   * The underlying openapi-fetch client, for headers and for responses that are not JSON. It throws the same errors.
   */
  api: Client<paths>;
} & ReturnType<typeof openLists> &
  ReturnType<typeof openResources>;

/** A client for one service. Calls return the record or throw a LecternError. */
export function createLectern(options: LecternOptions): Lectern {
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const headers: Record<string, string> =
    options.tenant === undefined ? {} : { Tenant: encodeURIComponent(options.tenant) };
  const authorized = withAuthorization(options.fetch ?? ((request) => fetch(request)), baseUrl, options);
  const api = createClient<paths>({ baseUrl, headers, fetch: withRetries(authorized, options) });
  api.use({
    onRequest: ({ request }) => {
      if (request.method === 'POST' && !request.headers.has('Idempotency-Key'))
        request.headers.set('Idempotency-Key', crypto.randomUUID());
    },
    onResponse: async ({ response }) => {
      if (response.status >= 400) throw await errorOf(response);
    },
  });

  /** The casts are needed because TypeScript cannot infer the types of `request` for a generic method. */
  const call = <M extends Method>(method: M): Call<M> => {
    const send = api.request as unknown as (...all: unknown[]) => Promise<{ data: unknown }>;
    return (async (...given: unknown[]) => (await send(method, ...given)).data) as Call<M>;
  };
  const calls = { get: call('get'), post: call('post'), put: call('put'), delete: call('delete') };
  const lists = openLists(calls.get);
  const enrol = openEnrol(calls.post);
  return {
    ...calls,
    ...lists,
    ...openResources({ ...calls, ...lists, enrol }),
    enrol,
    bulk: openBulk(withRetries(authorized, options, /[/+]json\b|x-ndjson/), baseUrl, headers),
    xapi: openXapi(api, options.xapiVersion ?? '2.0.0'),
    api,
  };
}
