import formBody from '@fastify/formbody';
import type { FastifyInstance } from 'fastify';
import { auditRoutes } from '../domain/audit/routes.ts';
import { catalogueRoutes } from '../domain/catalogue/routes.ts';
import { issuerRoutes } from '../domain/certificates/credential/issuer-routes.ts';
import { certificateRoutes } from '../domain/certificates/routes.ts';
import { completionRoutes } from '../domain/completions/routes.ts';
import { auRoutes } from '../domain/delivery/player/au-routes.ts';
import { playerCertificateRoute } from '../domain/delivery/player/certificate-route.ts';
import { contentRoutes } from '../domain/delivery/player/content-routes.ts';
import { contentHeaders, prepareContent } from '../domain/delivery/player/content-server.ts';
import { launchRoute, rewriteLaunch } from '../domain/delivery/player/launch-route.ts';
import { playerLogoRoute } from '../domain/delivery/player/logo-route.ts';
import { previewRoutes } from '../domain/delivery/player/preview-routes.ts';
import { problemPage } from '../domain/delivery/player/rejection-page.ts';
import { enterSession } from '../domain/delivery/player/session-entry.ts';
import { aiccRoutes } from '../domain/delivery/protocols/aicc/routes.ts';
import { serveHacp } from '../domain/delivery/protocols/aicc/serve-hacp.ts';
import { findAuSession } from '../domain/delivery/protocols/cmi5/find-au-session.ts';
import { recordRefusal } from '../domain/delivery/protocols/cmi5/record-refusal.ts';
import { cmi5Routes } from '../domain/delivery/protocols/cmi5/routes.ts';
import { dispatchRoutes } from '../domain/dispatch/routes.ts';
import { enrolmentKeyRoutes } from '../domain/enrolment-keys/routes.ts';
import { enrolmentRoutes, releaseRoutes } from '../domain/enrolments/routes.ts';
import { eventRoutes } from '../domain/events/routes.ts';
import { webhookRoutes } from '../domain/events/webhooks/routes.ts';
import { evidenceRoutes } from '../domain/evidence/routes.ts';
import { authorize, keyCaller, tenantResolver } from '../domain/identity/authenticate.ts';
import { ownKeyRoutes } from '../domain/identity/own-key-routes.ts';
import { authRoutes } from '../domain/identity/routes.ts';
import { importRoutes } from '../domain/imports/routes.ts';
import { rewriteLrsUrl } from '../domain/lrs/alternate-request.ts';
import { serveLrs } from '../domain/lrs/lrs.ts';
import { xapiRoutes } from '../domain/lrs/routes.ts';
import { rosterRoutes } from '../domain/lti/roster/routes.ts';
import { ltiRoutes } from '../domain/lti/routes.ts';
import { explainParts } from '../domain/paths/explain-parts.ts';
import { followPath } from '../domain/paths/follow.ts';
import { pathRoutes } from '../domain/paths/routes.ts';
import { removeUntouched } from '../domain/privacy/erase.ts';
import { holdRoutes } from '../domain/privacy/hold-routes.ts';
import { lifecycleRoutes } from '../domain/privacy/tenant-routes.ts';
import { personalDataRoutes } from '../domain/privacy/user-routes.ts';
import { provisioningRoutes } from '../domain/provisioning/routes.ts';
import { serveScim } from '../domain/provisioning/serve.ts';
import { reminderRoutes } from '../domain/reminders/routes.ts';
import { databaseMetrics } from '../domain/reports/metric-groups.ts';
import { reportRoutes } from '../domain/reports/routes.ts';
import { scheduleRoutes } from '../domain/reports/schedules/routes.ts';
import { requirementRoutes } from '../domain/requirements/routes.ts';
import { sandboxRoutes } from '../domain/sandbox/routes.ts';
import { scoreRoutes } from '../domain/scores/routes.ts';
import { passkeyRoutes } from '../domain/sign-in/passkeys/routes.ts';
import { passwordRoutes } from '../domain/sign-in/password-routes.ts';
import { providerRoutes } from '../domain/sign-in/providers/routes.ts';
import { sessionRoutes } from '../domain/sign-in/session-routes.ts';
import { sessionCaller } from '../domain/sign-in/sessions.ts';
import { brandingRoutes } from '../domain/tenants/branding-routes.ts';
import { tenantRoutes } from '../domain/tenants/routes.ts';
import { settingsRoutes } from '../domain/tenants/settings-routes.ts';
import { knownTenant } from '../domain/tenants/tenants.ts';
import { toolRoutes } from '../domain/tools/routes.ts';
import { serveTools } from '../domain/tools/serve.ts';
import { bounceRoutes } from '../domain/users/bounces/routes.ts';
import { invitationRoutes } from '../domain/users/invitations/routes.ts';
import { mailRoutes } from '../domain/users/mail-routes.ts';
import { userRoutes } from '../domain/users/routes.ts';
import { verifyRoutes } from '../domain/verification/verify-routes.ts';
import { walletRoutes } from '../domain/wallets/routes.ts';
import { serveWallets } from '../domain/wallets/serve.ts';
import { describe, serveDescription } from '../http/describe/describe.ts';
import type { Route } from '../http/routes.ts';
import { type Authenticate, type Guards, registerRoutes } from '../http/serve/dispatch.ts';
import { openServer } from '../http/serve/serve.ts';
import { parseRecords } from '../http/validation/validation.ts';
import type { Config } from '../infra/context/config.ts';
import type { Context } from '../infra/context/context.ts';
import { healthRoutes } from '../infra/operations/health.ts';
import { openMetrics, serviceMetrics } from '../infra/operations/metrics.ts';
import { consoleRoutes } from './console.ts';
import { guideRoutes } from './guide.ts';
import { openapiInfo } from './openapi-info.ts';
import { webhookSources } from './webhook-sources.ts';

/** Every operation on both origins. */
export const routes: readonly Route[] = [
  ...authRoutes,
  ...ownKeyRoutes,
  ...userRoutes,
  ...invitationRoutes,
  ...mailRoutes,
  ...bounceRoutes,
  ...enrolmentRoutes({ follow: followPath, explainParts }),
  ...enrolmentKeyRoutes,
  ...certificateRoutes,
  ...verifyRoutes,
  ...walletRoutes,
  ...issuerRoutes,
  ...evidenceRoutes,
  ...completionRoutes,
  ...requirementRoutes,
  ...reminderRoutes,
  ...importRoutes(removeUntouched),
  ...personalDataRoutes,
  ...holdRoutes,
  ...sessionRoutes,
  ...passwordRoutes,
  ...passkeyRoutes,
  ...providerRoutes,
  ...provisioningRoutes,
  ...catalogueRoutes,
  ...pathRoutes,
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
  ...ltiRoutes,
  ...rosterRoutes,
  ...toolRoutes,
  ...scoreRoutes,
  ...dispatchRoutes,
  ...previewRoutes,
  ...sandboxRoutes,
  ...contentRoutes,
  playerLogoRoute,
  playerCertificateRoute,
  ...auRoutes,
  ...aiccRoutes,
];

/** No client with a key can use these operations, so its generator does not need them. */
const isOfConsole = ({ tag, access, sessionsOnly }: Route) =>
  sessionsOnly === true || (tag === 'Sessions' && access === 'anyone');

export function describeApi(config: Config): object {
  return describe(
    routes.filter((route) => !isOfConsole(route)),
    openapiInfo(config),
  );
}

/** The OpenAPI document of the console's own sessions. */
export function describeConsole(config: Config): object {
  const title = "Sessions of Lectern's console";
  const { info, ...parts } = openapiInfo(config);
  return describe(routes.filter(isOfConsole), { ...parts, info: { ...info, title }, webhooks: {} });
}

/** Everything in one document. */
export const describeAll = (config: Config): object => describe(routes, openapiInfo(config));

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

function buildApiServer(ctx: Context): FastifyInstance {
  const api = openServer(ctx, 'api', apiHeaders, {
    rewriteUrl: ({ method, url = '' }) => {
      if (url.startsWith('/xapi/')) return rewriteLrsUrl(method, url);
      return /^\/launch\b/i.test(url) ? rewriteLaunch(url) : url;
    },
    problemPage,
  });
  const own = routes.filter((route) => !isContent(route) && !xapiRoutes.includes(route));
  serveDescription(api, '/openapi.json', () => describeApi(ctx.config));
  serveDescription(api, '/openapi-console.json', () => describeConsole(ctx.config));
  parseRecords(
    api,
    own.flatMap(({ streams }) => streams?.types ?? []),
  );
  api.register(formBody);
  registerRoutes(api, ctx, own, guards);
  serveScim(api, ctx, guards);
  serveTools(api, ctx, guards);
  serveWallets(api, ctx, guards);
  serveLrs(api, ctx, xapiRoutes, { guards, findAuSession, recordRefusal });
  return api;
}

/** Builds the servers for both origins and, if configured, for the operations port. The servers do not listen yet. */
export async function buildApp(
  ctx: Context,
  {
    processMetrics = false,
    observe,
  }: { processMetrics?: boolean; observe?: (app: FastifyInstance) => void } = {},
): Promise<App> {
  const metrics = openMetrics(ctx, { processMetrics, groups: [...serviceMetrics, ...databaseMetrics] });
  const api = buildApiServer(ctx);
  const content = openServer(ctx, 'content', contentHeaders, { problemPage });
  const operations = ctx.config.operationsPort === null ? null : openServer(ctx, 'api', apiHeaders);
  metrics.observe(api, 'api');
  metrics.observe(content, 'content');
  observe?.(api);
  observe?.(content);
  consoleRoutes(api, ctx);
  guideRoutes(api);
  healthRoutes(operations ?? api, ctx, metrics);
  await prepareContent(content, ctx);
  const ofPlayer = routes.filter((route) => isContent(route) && !aiccRoutes.includes(route));
  registerRoutes(content, ctx, ofPlayer, guards);
  serveHacp(content, ctx, guards);
  await Promise.all([api.ready(), content.ready(), operations?.ready()]);
  return { api, content, operations };
}
