import formBody from '@fastify/formbody';
import type { FastifyInstance } from 'fastify';
import { consoleRoutes } from './console.ts';
import { guideRoutes } from './guide.ts';
import { aiccRoutes } from './modules/aicc/routes.ts';
import { serveHacp } from './modules/aicc/serve-hacp.ts';
import { auditRoutes } from './modules/audit/routes.ts';
import { authorize, keyCaller, tenantResolver } from './modules/auth/authenticate.ts';
import { ownKeyRoutes } from './modules/auth/own-key-routes.ts';
import { authRoutes } from './modules/auth/routes.ts';
import { catalogueRoutes } from './modules/catalogue/routes.ts';
import { findAuSession } from './modules/cmi5/find-au-session.ts';
import { recordRefusal } from './modules/cmi5/record-refusal.ts';
import { cmi5Routes } from './modules/cmi5/routes.ts';
import { enrolmentKeyRoutes } from './modules/enrolment-keys/routes.ts';
import { activityRoutes } from './modules/enrolments/activity-routes.ts';
import { attemptRoutes } from './modules/enrolments/attempts/routes.ts';
import { bulkEnrolRoutes } from './modules/enrolments/bulk-routes.ts';
import { releaseRoutes } from './modules/enrolments/release-routes.ts';
import { enrolmentRoutes } from './modules/enrolments/routes.ts';
import { eventRoutes } from './modules/events/routes.ts';
import { lifecycleRoutes } from './modules/lifecycle/routes.ts';
import { peopleRoutes } from './modules/people/routes.ts';
import { sessionCaller } from './modules/people/session-caller.ts';
import { auRoutes } from './modules/player/au-routes.ts';
import { contentRoutes } from './modules/player/content-routes.ts';
import { contentHeaders, prepareContent } from './modules/player/content-server.ts';
import { launchRoute, rewriteLaunch } from './modules/player/launch-route.ts';
import { playerLogoRoute } from './modules/player/logo-route.ts';
import { previewRoutes } from './modules/player/preview-routes.ts';
import { problemPage } from './modules/player/rejection-page.ts';
import { enterSession } from './modules/player/session-entry.ts';
import { databaseMetrics } from './modules/reports/metric-groups.ts';
import { reportRoutes } from './modules/reports/routes.ts';
import { scheduleRoutes } from './modules/reports/schedules/routes.ts';
import { sandboxRoutes } from './modules/sandbox/routes.ts';
import { brandingRoutes } from './modules/tenants/branding/routes.ts';
import { tenantRoutes } from './modules/tenants/routes.ts';
import { settingsRoutes } from './modules/tenants/settings-routes.ts';
import { knownTenant } from './modules/tenants/tenants.ts';
import { bounceRoutes } from './modules/users/bounces/routes.ts';
import { invitationRoutes } from './modules/users/invitations/routes.ts';
import { mailRoutes } from './modules/users/mail-routes.ts';
import { userRoutes } from './modules/users/routes.ts';
import { webhookRoutes } from './modules/webhooks/routes.ts';
import { rewriteLrsUrl } from './modules/xapi/alternate-request.ts';
import { serveLrs } from './modules/xapi/lrs.ts';
import { xapiRoutes } from './modules/xapi/routes.ts';
import { openapiInfo } from './openapi-info.ts';
import type { Config } from './platform/config.ts';
import type { Context } from './platform/context.ts';
import { parseRecords } from './platform/http/bodies.ts';
import { describe } from './platform/http/describe/describe.ts';
import { serveDescription } from './platform/http/describe/openapi.ts';
import { registerRoutes } from './platform/http/dispatch.ts';
import type { Authenticate, Guards } from './platform/http/guards.ts';
import type { Route } from './platform/http/routes.ts';
import { openServer } from './platform/http/serve.ts';
import { healthRoutes } from './platform/operations/health.ts';
import { openMetrics } from './platform/operations/metrics.ts';
import { webhookSources } from './webhook-sources.ts';

/** Every operation on both origins. */
export const routes: readonly Route[] = [
  ...authRoutes,
  ...ownKeyRoutes,
  ...userRoutes,
  ...invitationRoutes,
  ...mailRoutes,
  ...bounceRoutes,
  ...enrolmentRoutes,
  ...activityRoutes,
  ...attemptRoutes,
  ...bulkEnrolRoutes,
  ...enrolmentKeyRoutes,
  ...peopleRoutes,
  ...catalogueRoutes,
  ...releaseRoutes,
  ...tenantRoutes,
  ...brandingRoutes,
  ...settingsRoutes,
  ...lifecycleRoutes,
  ...eventRoutes,
  ...reportRoutes,
  ...scheduleRoutes,
  ...webhookRoutes(webhookSources),
  ...auditRoutes,
  ...xapiRoutes,
  ...cmi5Routes,
  launchRoute,
  ...previewRoutes,
  ...sandboxRoutes,
  ...contentRoutes,
  playerLogoRoute,
  ...auRoutes,
  ...aiccRoutes,
];

/** The OpenAPI document. */
export function describeApi(config: Config): object {
  return describe(routes, openapiInfo(config));
}

export type App = { api: FastifyInstance; content: FastifyInstance; operations: FastifyInstance | null };

/** Default headers of the API origin. Pages served there set their own Content-Security-Policy. */
const apiHeaders = {
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/** The key in the Authorization header or, if there is no such header, the session cookie. */
const authenticate: Authenticate = async (ctx, request) => {
  const session = request.headers.authorization === undefined ? await sessionCaller(ctx, request) : null;
  return session ?? (await keyCaller(ctx, request));
};

const resolveTenant = tenantResolver(
  async (ctx, tenantId) => (await knownTenant.get(ctx, tenantId)) !== null,
);
const guards: Guards = { authenticate, authorize, resolveTenant, enterSession };
const isContent = ({ origin }: Route) => origin === 'content';

/** Builds the server for the API origin. */
function buildApiServer(ctx: Context): FastifyInstance {
  const api = openServer(ctx, 'api', apiHeaders, {
    rewriteUrl: (request) => rewriteLaunch(rewriteLrsUrl(request)),
    problemPage,
  });
  const own = routes.filter((route) => !isContent(route) && !xapiRoutes.includes(route));
  serveDescription(api, () => describeApi(ctx.config));
  parseRecords(api, own);
  api.register(formBody);
  registerRoutes(api, ctx, own, guards);
  serveLrs(api, ctx, xapiRoutes, { guards, findAuSession, recordRefusal });
  return api;
}

/**
 * Builds the servers for both origins and, if configured, for the operations port. The servers do
 * not listen yet.
 */
export async function buildApp(
  ctx: Context,
  {
    processMetrics = false,
    observe,
  }: { processMetrics?: boolean; observe?: (app: FastifyInstance) => void } = {},
): Promise<App> {
  const metrics = openMetrics(ctx, { processMetrics, groups: databaseMetrics });
  const api = buildApiServer(ctx);
  const content = openServer(ctx, 'content', contentHeaders, { problemPage });
  const operations = ctx.config.operationsPort === null ? null : openServer(ctx, 'api', apiHeaders);
  metrics.observe(api, 'api');
  metrics.observe(content, 'content');
  observe?.(api);
  observe?.(content);
  consoleRoutes(api);
  guideRoutes(api);
  healthRoutes(operations ?? api, ctx, metrics);
  await prepareContent(content, ctx);
  const ofPlayer = routes.filter((route) => isContent(route) && !aiccRoutes.includes(route));
  registerRoutes(content, ctx, ofPlayer, guards);
  serveHacp(content, ctx, guards);
  await Promise.all([api.ready(), content.ready(), operations?.ready()]);
  return { api, content, operations };
}
