import { createPublicKey } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { LtiToolTable } from '../../db/engine/generated.ts';
import { deleteOwn, ownRows, updateOwn } from '../../db/own-rows.ts';
import { run, transaction } from '../../db/transaction.ts';
import { type PageQuery, pageLimit, readCursor, toPage } from '../../http/pagination.ts';
import { recordOf } from '../../http/records.ts';
import { path } from '../../http/routes.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { invalid } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { differences } from '../../lib/tables.ts';
import { storable } from '../../lib/unicode.ts';
import { appendAudit } from '../audit/chain.ts';
import { deleteOwnCourse } from '../catalogue/paths.ts';
import { courseNotFound } from '../catalogue/problems.ts';
import { putToolCourse } from '../catalogue/tool-course.ts';
import { checkUrl } from '../events/webhooks/addresses.ts';
import { signingKey } from '../identity/tenant-keys.ts';
import { Tool, type ToolChange, type ToolRequest } from './schemas.ts';

export type ToolRow = Omit<Selectable<LtiToolTable>, 'custom'> & {
  custom: Record<string, string>;
  title: string;
  language: string | null;
  status: Tool['Status'];
};
type CourseKey = { courseId: string };

/** A tool is deployed once for the whole tenant. */
export const deploymentId = '1';

/** The tenant is in each URL, so it is known before anything is verified, and no ClientID is used twice. */
export function platformUrls(ctx: TenantContext, courseId = '') {
  const { baseUrl } = ctx.config;
  const issuer = baseUrl + path`/issuer/${ctx.tenantId}`;
  const own = baseUrl + path`/lti/${ctx.tenantId}`;
  const course = own + path`/course/${courseId}`;
  return {
    ...{ issuer, jwks: `${issuer}/jwks.json`, auth: `${own}/auth`, token: `${own}/token` },
    ...{ chosen: `${own}/content`, lineItems: `${course}/lineitems`, members: `${course}/members` },
    lineItem: `${course}/lineitems/result`,
  };
}

function toTool(ctx: TenantContext, row: ToolRow): Tool {
  const { issuer, auth, token, jwks } = platformUrls(ctx);
  return recordOf(Tool, row, {
    JWKSURL: row.jwks_url,
    Shares: row.shares as Tool['Shares'],
    Registration: {
      ...{ Issuer: issuer, ClientID: row.client_id, DeploymentID: deploymentId },
      ...{ AuthURL: auth, TokenURL: token, JWKSURL: jwks },
    },
    LastProblem:
      row.problem === null || row.problem_at === null
        ? null
        : {
            At: row.problem_at.toISOString(),
            // The constraint of the table allows no other value.
            Request: row.problem_request as ToolRequest,
            Detail: row.problem,
          },
  });
}

const readText = `
select tool.*, course.title, course.language, course.status from lti_tool tool
join course on course.course_id = tool.course_id and course.owner_tenant_id = $1
where tool.tenant_id = $1 and tool.course_id = $2`;

/** Null if the course is not a tool of the tenant. */
export async function findTool(ctx: TenantContext, { courseId }: CourseKey): Promise<ToolRow | null> {
  const [row] = await run<ToolRow>(ctx, readText, [ctx.tenantId, courseId]);
  return row ?? null;
}

export async function readTool(ctx: TenantContext, input: CourseKey): Promise<Tool> {
  const row = await findTool(ctx, input);
  if (!row) throw courseNotFound();
  return toTool(ctx, row);
}

const listText = `
select tool.*, course.title, course.language, course.status from lti_tool tool
join course on course.course_id = tool.course_id and course.owner_tenant_id = $1
where tool.tenant_id = $1 and ($2::text is null or tool.course_id > $2) order by tool.course_id limit $3`;

export async function listTools(ctx: TenantContext, input: PageQuery) {
  const limit = pageLimit(input);
  const rows = await run<ToolRow>(ctx, listText, [ctx.tenantId, readCursor(input), limit + 1]);
  return toPage(
    rows,
    limit,
    (row) => row.course_id,
    (row) => toTool(ctx, row),
  );
}

/** The registration of a client: all of its courses have the same. */
export async function findClient(
  ctx: TenantContext,
  { clientId }: { clientId: string },
): Promise<Pick<ToolRow, 'client_id' | 'login_url' | 'redirect_uris' | 'jwks_url' | 'public_key'> | null> {
  const row = await ownRows(ctx, 'lti_tool', { client_id: clientId })
    .select(['client_id', 'login_url', 'redirect_uris', 'jwks_url', 'public_key'])
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/** Checks the URL of the keys, which may be slow, and the key. */
export async function checkKeys(ctx: TenantContext, { JWKSURL, PublicKey }: ToolChange): Promise<void> {
  if (JWKSURL) await checkUrl(ctx.config, JWKSURL, 'JWKSURL', { mayBeUnknown: true });
  if (JWKSURL && PublicKey) throw invalid('PublicKey', 'Send either JWKSURL or PublicKey, not both.');
  if (PublicKey) readKey(PublicKey);
}

/** The key in the form that `verifyByKey` reads, whatever is around it. */
function readKey(pem: string): string {
  try {
    const key = createPublicKey(pem);
    if (key.asymmetricKeyType === 'rsa') return String(key.export({ type: 'spki', format: 'pem' })).trim();
  } catch {}
  throw invalid(
    'PublicKey',
    'This is not a public RSA key in PEM. Copy it with its lines “BEGIN PUBLIC KEY” and “END PUBLIC KEY”.',
  );
}

const upsert = `
insert into lti_tool (tenant_id, course_id, client_id, login_url, target_link_uri, redirect_uris, jwks_url, public_key,
  custom, shares, own_window, passing_score, created_at, updated_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)
on conflict (tenant_id, course_id) do update
set client_id = excluded.client_id, login_url = excluded.login_url, target_link_uri = excluded.target_link_uri,
  redirect_uris = excluded.redirect_uris, jwks_url = excluded.jwks_url, public_key = excluded.public_key,
  custom = excluded.custom, shares = excluded.shares, own_window = excluded.own_window,
  passing_score = excluded.passing_score, updated_at = excluded.updated_at`;

/** Makes a course of the tool, or changes the given fields. */
export async function putTool(
  ctx: TenantContext,
  input: ToolChange & CourseKey,
): Promise<{ tool: Tool; isNew: boolean }> {
  const { courseId } = input;
  return transaction(ctx, async (ctx) => {
    const before = await findTool(ctx, { courseId });
    const clientId = input.ClientID ?? before?.client_id ?? newId(tenantNow(ctx));
    const client = input.ClientID === undefined ? before : await findClient(ctx, { clientId });
    if (input.ClientID !== undefined && !client)
      throw invalid('ClientID', 'None of your courses has this ClientID. Leave it out to get a new one.');
    const LoginURL = input.LoginURL ?? client?.login_url;
    const TargetLinkURI = input.TargetLinkURI ?? before?.target_link_uri;
    if (LoginURL === undefined) throw invalid('LoginURL', 'LoginURL is required to add a tool.');
    if (TargetLinkURI === undefined)
      throw invalid('TargetLinkURI', 'TargetLinkURI is required to add a tool.');
    const keys = keysOf(input, client);
    await putToolCourse(ctx, { courseId, Title: input.Title, Status: input.Status });
    const redirects = input.RedirectURIs ?? client?.redirect_uris ?? [TargetLinkURI];
    const values = [
      ...[ctx.tenantId, courseId, clientId, LoginURL, TargetLinkURI, redirects, keys.jwks, keys.key],
      JSON.stringify(input.Custom ?? before?.custom ?? {}),
      ...[input.Shares ?? before?.shares ?? [], input.OwnWindow ?? before?.own_window ?? false],
      input.PassingScore === undefined ? (before?.passing_score ?? null) : input.PassingScore,
      tenantNow(ctx),
    ];
    await run(ctx, upsert, values);
    await updateOwn(ctx, 'lti_tool', { client_id: clientId })
      .set({ login_url: LoginURL, redirect_uris: redirects, jwks_url: keys.jwks, public_key: keys.key })
      .execute();
    const tool = await readTool(ctx, { courseId });
    if (!before) {
      // A tool reads the keyset when it is registered, before the first launch.
      await signingKey(ctx, 'RS256', ctx.now());
      await appendAudit(ctx, ctx.tenantId, audit('created', courseId));
    } else {
      const Changed = differences(tool, toTool(ctx, before)).filter((name) => name in input);
      if (Changed.length > 0)
        await appendAudit(ctx, ctx.tenantId, {
          action: 'tool.changed',
          targetId: courseId,
          data: { Changed },
        });
    }
    return { tool, isNew: !before };
  });
}

function keysOf(
  { JWKSURL, PublicKey }: ToolChange,
  client: Pick<ToolRow, 'jwks_url' | 'public_key'> | null,
): { jwks: string | null; key: string | null } {
  if (JWKSURL) return { jwks: JWKSURL, key: null };
  if (PublicKey) return { jwks: null, key: readKey(PublicKey) };
  if (client && JWKSURL === undefined && PublicKey === undefined)
    return { jwks: client.jwks_url, key: client.public_key };
  throw invalid('JWKSURL', 'Send the JWKSURL of the tool or, if it has none, its PublicKey.');
}

const audit = (what: 'created' | 'deleted', targetId: string) =>
  ({ action: `tool.${what}`, targetId, data: {} }) as const;

/** Deletes a tool, with its course, on which nobody was ever enrolled. */
export async function deleteTool(ctx: TenantContext, { courseId }: CourseKey): Promise<void> {
  await transaction(ctx, async (ctx) => {
    await readTool(ctx, { courseId });
    await deleteOwn(ctx, 'lti_tool', { course_id: courseId }).execute();
    await appendAudit(ctx, ctx.tenantId, audit('deleted', courseId));
    await deleteOwnCourse(ctx, { courseId });
  });
}

/** Keeps the reason for which a request of the tool was rejected, for the administrator. */
export async function recordProblem(
  ctx: TenantContext,
  [column, id]: ['course_id' | 'client_id', string],
  request: ToolRequest,
  detail: string,
): Promise<void> {
  ctx.log.warn({ tenant: ctx.tenantId, [column]: id, detail }, 'a request of an LTI tool was rejected');
  await updateOwn(ctx, 'lti_tool')
    .set({ problem: storable(detail.slice(0, 500)), problem_request: request, problem_at: ctx.now() })
    .where(column, '=', id)
    .execute();
}
