import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { type Route, type RouteResponse, route } from '../../http/routes.ts';
import { type Guards, registerRoutes } from '../../http/serve/dispatch.ts';
import { checkShape, type Form, parseNothing, recordShape } from '../../http/validation/validation.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import { admitTool, giveToken } from './access.ts';
import { chooseContent } from './content.ts';
import { lineItemOf, listResults, readScore, storeScore } from './grades.ts';
import { listMembers } from './members.ts';
import { authenticateAtTool, serviceScopes, startTool } from './messages.ts';
import { platformUrls, recordProblem, type ToolRow } from './tools.ts';

const query = Type.Object({}, { additionalProperties: true });
const params = Type.Object({ TenantID: Type.String({ maxLength: 255 }) });
const ofCourse = Type.Object({
  TenantID: Type.String({ maxLength: 255 }),
  CourseID: Type.String({ maxLength: 255 }),
});
const common = { tag: 'Tools', access: 'anyone', scope: null, query, ownErrors: true } as const;
const page = { ...common, page: true } as const;
const raw = { types: ['*/*'], description: 'A message of LTI 1.3.' };
const responses = { 200: { description: 'As LTI 1.3 specifies.' } };

const textOf = ({ body }: FastifyRequest): string => {
  if (!Buffer.isBuffer(body)) return '';
  if (isUtf8(body)) return body.toString();
  throw new Problem('malformed_request', 'The body is not UTF-8. Encode it as UTF-8.');
};
const formOf = (request: FastifyRequest): Form => Object.fromEntries(new URLSearchParams(textOf(request)));

function jsonOf(request: FastifyRequest): unknown {
  const text = textOf(request);
  checkShape(text, recordShape);
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem('malformed_request', 'The body is not valid JSON. Correct it.');
  }
}

const media = (name: string) => ({ 'Content-Type': `application/vnd.ims.${name}+json` });

type Call = { ctx: TenantContext; tool: ToolRow; request: FastifyRequest; query: Form };
type Service = {
  method: 'GET' | 'POST';
  path: string;
  name: string;
  scopes: readonly string[];
  work: (call: Call) => Promise<RouteResponse>;
};

const maxMembers = 200;

/** The page that a call asks for, and the link to the next one (RFC 8288). */
function pageOf(query: Form): { after: string | null; limit: number } {
  const limit = Number(query.limit);
  const after = String(query.after ?? '');
  return {
    after: isId(after) ? after : null,
    limit: Number.isInteger(limit) && limit > 0 ? Math.min(limit, maxMembers) : maxMembers,
  };
}

function link(url: string, rel: string, parameters: Record<string, string | null>): string {
  const set = Object.entries(parameters).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
  return `<${url}?${new URLSearchParams(set)}>; rel="${rel}"`;
}

const textIn = (query: Form, name: string) => (typeof query[name] === 'string' ? query[name] : null);

const services: Service[] = [
  {
    ...{ method: 'GET', path: '/lineitems', name: 'ltiLineItems', scopes: [serviceScopes.lineItem] },
    work: async ({ ctx, tool, query }) => {
      const isAsked = [textIn(query, 'resource_link_id'), textIn(query, 'resource_id'), textIn(query, 'tag')];
      const [linkId, ...others] = isAsked;
      const isFound = (linkId === null || linkId === tool.course_id) && others.every((one) => one === null);
      const items = isFound ? [lineItemOf(ctx, tool)] : [];
      return { status: 200, body: JSON.stringify(items), headers: media('lis.v2.lineitemcontainer') };
    },
  },
  {
    ...{ method: 'GET', path: '/lineitems/result', name: 'ltiLineItem', scopes: [serviceScopes.lineItem] },
    work: async ({ ctx, tool }) => ({
      status: 200,
      body: JSON.stringify(lineItemOf(ctx, tool)),
      headers: media('lis.v2.lineitem'),
    }),
  },
  {
    ...{ method: 'GET', path: '/lineitems/result/results', name: 'ltiResults' },
    scopes: [serviceScopes.result],
    work: async ({ ctx, tool, query }) => {
      const asked = textIn(query, 'user_id');
      const { after, limit } = pageOf(query);
      const isNobody = asked !== null && !isId(asked);
      const { results, next } = isNobody
        ? { results: [], next: null }
        : await listResults(ctx, tool, { after, limit, userId: asked });
      const url = `${platformUrls(ctx, tool.course_id).lineItem}/results`;
      const links = next === null ? {} : { Link: link(url, 'next', { after: next, limit: String(limit) }) };
      const headers = { ...media('lis.v2.resultcontainer'), ...links };
      return { status: 200, body: JSON.stringify(results), headers };
    },
  },
  {
    ...{ method: 'POST', path: '/lineitems/result/scores', name: 'ltiScore', scopes: [serviceScopes.score] },
    work: async ({ ctx, tool, request }) => {
      await storeScore(ctx, tool, readScore(jsonOf(request)));
      return { status: 204 };
    },
  },
  {
    ...{ method: 'GET', path: '/members', name: 'ltiMembers', scopes: [serviceScopes.members] },
    work: async ({ ctx, tool, query }) => {
      const { after, limit } = pageOf(query);
      const since = textIn(query, 'since');
      const from = since !== null && Date.parse(since) ? new Date(since) : null;
      // Everybody on the course is a learner.
      const role = textIn(query, 'role');
      const now = ctx.now().toISOString();
      const { container, next } = await listMembers(ctx, tool, { after, limit, since: from });
      const shown = role === null || /(^|#)Learner$/.test(role) ? container : { ...container, members: [] };
      const url = platformUrls(ctx, tool.course_id).members;
      const links = [
        ...(next === null ? [] : [link(url, 'next', { after: next, limit: String(limit), since, role })]),
        ...(next === null ? [link(url, 'differences', { since: now, limit: String(limit), role })] : []),
      ];
      const headers = { ...media('lti-nrps.v2.membershipcontainer'), Link: links.join(', ') };
      return { status: 200, body: JSON.stringify(shown), headers };
    },
  },
];

/** A service of a course for its tool. What is rejected is shown to the administrator. */
const service = ({ method, path, name, scopes, work }: Service): Route =>
  route(`${method} /lti/{TenantID}/course/{CourseID}${path}`, name, {
    ...{ ...common, summary: name, responses },
    ...(method === 'POST' ? { raw, events: [] } : {}),
    params: ofCourse,
    handle: async (ctx, { request, params, query }) => {
      const [scope = ''] = scopes;
      const place = { tenantId: params.TenantID, courseId: params.CourseID, scope };
      const admitted = await admitTool(ctx, request, place);
      return work({ ...admitted, request, query: query as Form }).catch(async (error: unknown) => {
        if (error instanceof Problem && error.status < 500)
          await recordProblem(
            admitted.ctx,
            ['course_id', admitted.tool.course_id],
            'service',
            `${name}: ${error.message}`,
          );
        throw error;
      });
    },
  });

/** The specifications of LTI describe these operations, so they are not in openapi.json. */
const ltiServices: Route[] = [
  route('GET /lti/tool', 'ltiTool', {
    ...{ ...page, summary: 'ltiTool', responses },
    handle: (ctx, { request, query }) => startTool(ctx, request, query as Form),
  }),
  route('GET /lti/{TenantID}/auth', 'ltiAuth', {
    ...{ ...page, summary: 'ltiAuth', params, responses },
    handle: (ctx, { request, params, query }) =>
      authenticateAtTool(ctx, request, { tenantId: params.TenantID, form: query as Form }),
  }),
  route('POST /lti/{TenantID}/auth', 'ltiPostAuth', {
    ...{ ...page, summary: 'ltiPostAuth', params, raw, responses, events: [] },
    handle: (ctx, { request, params }) =>
      authenticateAtTool(ctx, request, { tenantId: params.TenantID, form: formOf(request) }),
  }),
  route('POST /lti/{TenantID}/token', 'ltiToken', {
    ...{ ...common, summary: 'ltiToken', params, raw, responses, events: [] },
    handle: (ctx, { request, params }) =>
      giveToken(ctx, { tenantId: params.TenantID, form: formOf(request) }),
  }),
  route('POST /lti/{TenantID}/content', 'ltiContent', {
    ...{ ...page, summary: 'ltiContent', params, raw, responses, events: [] },
    handle: (ctx, { request, params }) =>
      chooseContent(ctx, request, { tenantId: params.TenantID, form: formOf(request) }),
  }),
  ...services.map(service),
];

/** Serves the messages and services for tools. Bodies have media types of their own. */
export function serveTools(api: FastifyInstance, ctx: Context, guards: Guards): void {
  api.register(async (tools) => {
    parseNothing(tools);
    registerRoutes(tools, ctx, ltiServices, guards);
  });
}
