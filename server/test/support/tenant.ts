import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { path } from '../../src/http/routes.ts';
import type { Reply } from './send.ts';
import type { TestService } from './service.ts';

let tenants = 0;
let names = 0;

/** A name that is unique in this process. */
export function unique(prefix: string): string {
  return `${prefix}-${++names}`;
}

export type TestTenant = {
  TenantID: string;
  key: string;
  keyId: string;
  /** Calls the API with the tenant's own key. */
  api: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>;
  /** Creates a user and returns the LoginID. */
  user: (fields?: Record<string, unknown>) => Promise<string>;
  /** The tenant's events, oldest first. */
  events: (about?: { LoginID?: string; EnrollID?: string }) => Promise<TestEvent[]>;
};

export type TestEvent = { type: string; enroll_id: string | null; data: Record<string, unknown> };

/** A separate tenant, with a key. */
export async function newTenant(
  service: TestService,
  fields: Record<string, unknown> = {},
): Promise<TestTenant> {
  const TenantID = `tenant-${++tenants}`;
  expectStatus(await service.api('POST', '/tenant', { TenantID, ...fields }), 201);
  const made = await service.api('POST', `/tenant/${TenantID}/key`, { Name: 'test' });
  expectStatus(made, 201);
  const api: TestTenant['api'] = (method, path, body, headers) =>
    service.api(method, path, body, made.body.Secret, headers);
  const user: TestTenant['user'] = async (fields = {}) => {
    const LoginID = unique('user');
    expectStatus(await api('POST', '/user', { LoginID, ...fields }), 201);
    return LoginID;
  };
  const events: TestTenant['events'] = async ({ LoginID = null, EnrollID = null } = {}) => {
    const { rows } = await sql<TestEvent>`
      select told.type, told.enroll_id, told.data from event told
      left join "user" known on known.tenant_id = ${TenantID} and known.user_id = told.user_id
      where told.tenant_id = ${TenantID}
        and (${LoginID}::text is null or known.login_id = ${LoginID})
        and (${EnrollID}::text is null or told.enroll_id::text = ${EnrollID})
      order by told.occurred_at, told.event_id`.execute(service.ctx.db);
    return rows;
  };
  return { TenantID, key: made.body.Secret, keyId: made.body.KeyID, api, user, events };
}

/** Creates a course with the given options, `{ DurationID: fields }`. It has no content unless it has a URL. */
export async function newCourse(
  service: TestService,
  fields: Record<string, unknown> = {},
  options: Record<string, object> = { standard: {} },
): Promise<string> {
  const CourseID = unique('course');
  expectStatus(
    await service.api('PUT', `/course/${CourseID}`, {
      Title: CourseID,
      URL: 'https://web.example/',
      ...fields,
    }),
    201,
  );
  for (const [DurationID, option] of Object.entries(options))
    expectStatus(await service.api('PUT', path`/course/${CourseID}/option/${DurationID}`, option), 201);
  return CourseID;
}

export function expectStatus(reply: Reply, status: number): void {
  assert.equal(reply.status, status, JSON.stringify(reply.body));
}

/** Expects an RFC 9457 problem with this status, code and, if given, field. */
export function expectProblem(reply: Reply, status: number, code: string, param?: string): void {
  const { body, headers } = reply;
  assert.equal(reply.status, status, JSON.stringify(body));
  assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/);
  assert.equal(body.code, code);
  assert.equal(body.status, status);
  assert.equal(body.request_id, headers.get('x-request-id'));
  for (const member of ['type', 'title', 'detail']) assert.equal(typeof body[member], 'string', member);
  if (param !== undefined) assert.equal(body.param, param);
}

/** All items of a list, from all of its pages. */
export async function allPages(
  api: (path: string) => Promise<Reply>,
  address: string,
  limit = 2,
): Promise<{ items: Reply['body'][]; pages: number }> {
  const items: Reply['body'][] = [];
  let pages = 0;
  for (let cursor: string | null = ''; cursor !== null; pages++) {
    const separator = address.includes('?') ? '&' : '?';
    const more = cursor ? `&Cursor=${encodeURIComponent(cursor)}` : '';
    const reply = await api(`${address}${separator}Limit=${limit}${more}`);
    expectStatus(reply, 200);
    assert.ok(reply.body.Items.length <= limit);
    items.push(...reply.body.Items);
    cursor = reply.body.NextCursor;
  }
  return { items, pages };
}

/** A listed enrolment as a single record. Only lists name the learner. */
export function withoutNames({
  FirstName: _,
  LastName: __,
  Email: ___,
  GroupName: ____,
  ...rest
}: Reply['body']) {
  return rest;
}
