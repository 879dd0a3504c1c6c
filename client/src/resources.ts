import type { openEnrol } from './enrol.ts';
import type { openLists } from './lists.ts';
import type { Call, Init, Method, PathWith } from './types.ts';

/** The body that this operation accepts. */
type Body<M extends Method, P extends PathWith<M>> =
  NonNullable<Init<M, P>> extends { body?: infer B } ? B : never;

/** The query parameters of this operation. */
type Query<M extends Method, P extends PathWith<M>> =
  NonNullable<Init<M, P>> extends { params?: infer Params }
    ? NonNullable<Params> extends { query?: infer Q }
      ? NonNullable<Q>
      : never
    : never;

type Calls = {
  get: Call<'get'>;
  post: Call<'post'>;
  put: Call<'put'>;
  delete: Call<'delete'>;
  items: ReturnType<typeof openLists>['items'];
  enrol: ReturnType<typeof openEnrol>;
};

/**
 * The most common operations by record. `list` iterates over the records of all pages. Types are those of the paths, so
 * only the names are repeated here.
 */
export function openResources({ get, post, put, delete: remove, items, enrol }: Calls) {
  return {
    users: {
      get: (LoginID: string) => get('/user/{LoginID}', { params: { path: { LoginID } } }),
      list: (query: Query<'get', '/user'> = {}) => items('/user', { params: { query } }),
      create: (body: Body<'post', '/user'>) => post('/user', { body }),
      update: (LoginID: string, body: Body<'put', '/user/{LoginID}'>) =>
        put('/user/{LoginID}', { params: { path: { LoginID } }, body }),
      /** Erases the user. With `Plan`, only says what would be erased. */
      delete: (LoginID: string, query: Query<'delete', '/user/{LoginID}'> = {}) =>
        remove('/user/{LoginID}', { params: { path: { LoginID }, query } }),
    },

    /** An enrolment is never deleted. To end it, call `update` with `Withdrawn: true`. */
    enrolments: {
      get: (LoginID: string, EnrollID: string) =>
        get('/enrolment/{LoginID}/{EnrollID}', { params: { path: { LoginID, EnrollID } } }),
      list: (query: Query<'get', '/enrolment'> = {}) => items('/enrolment', { params: { query } }),
      create: enrol,
      update: (LoginID: string, EnrollID: string, body: Body<'put', '/enrolment/{LoginID}/{EnrollID}'>) =>
        put('/enrolment/{LoginID}/{EnrollID}', { params: { path: { LoginID, EnrollID } }, body }),
    },

    /** The operator's courses. `offered` lists those that the tenant can use. */
    courses: {
      get: (CourseID: string) => get('/course/{CourseID}', { params: { path: { CourseID } } }),
      list: (query: Query<'get', '/course'> = {}) => items('/course', { params: { query } }),
      offered: (query: Query<'get', '/catalogue/course'> = {}) =>
        items('/catalogue/course', { params: { query } }),
      /** Creates the course, or changes it if it exists. */
      create: (CourseID: string, body: Body<'put', '/course/{CourseID}'>) =>
        put('/course/{CourseID}', { params: { path: { CourseID } }, body }),
      update: (CourseID: string, body: Body<'put', '/course/{CourseID}'>) =>
        put('/course/{CourseID}', { params: { path: { CourseID } }, body }),
      delete: (CourseID: string) => remove('/course/{CourseID}', { params: { path: { CourseID } } }),
    },

    /** Enrolment keys. `Key` is the key or its KeyID. */
    keys: {
      get: (Key: string) => get('/enrolment/key/{Key}', { params: { path: { Key } } }),
      list: (query: Query<'get', '/enrolment/key'> = {}) => items('/enrolment/key', { params: { query } }),
      create: (body: Body<'post', '/enrolment/key'>) => post('/enrolment/key', { body }),
      /** Revokes the key. */
      delete: (Key: string) => remove('/enrolment/key/{Key}', { params: { path: { Key } } }),
    },

    webhooks: {
      get: (WebhookID: string) => get('/webhook/{WebhookID}', { params: { path: { WebhookID } } }),
      list: (query: Query<'get', '/webhook'> = {}) => items('/webhook', { params: { query } }),
      create: (body: Body<'post', '/webhook'>) => post('/webhook', { body }),
      update: (WebhookID: string, body: Body<'put', '/webhook/{WebhookID}'>) =>
        put('/webhook/{WebhookID}', { params: { path: { WebhookID } }, body }),
      delete: (WebhookID: string) => remove('/webhook/{WebhookID}', { params: { path: { WebhookID } } }),
    },

    /** A user has one current invitation, so its calls take the LoginID. */
    invitations: {
      get: (LoginID: string) => get('/invitation/{LoginID}', { params: { path: { LoginID } } }),
      list: (query: Query<'get', '/invitation'> = {}) => items('/invitation', { params: { query } }),
      create: (body: Body<'post', '/invitation'>) => post('/invitation', { body }),
      /** Revokes the invitation. */
      delete: (LoginID: string) => remove('/invitation/{LoginID}', { params: { path: { LoginID } } }),
    },
  };
}
