import { ok, route } from '../../platform/http/routes.ts';
import { readAttention } from './attention.ts';
import { countDays } from './days.ts';
import { Overview, overviewQuery } from './schemas.ts';

export const reportRoutes = [
  route({
    method: 'GET',
    path: '/overview',
    name: 'readOverview',
    summary: 'Get daily figures and what needs attention',
    description: "Returns the figures on the console's start page.",
    tag: 'Reports',
    access: 'tenant',
    scope: 'enrolments:read',
    expensive: true,
    query: overviewQuery,
    responses: { 200: { description: 'The counts are exact at the time of the request.', schema: Overview } },
    handle: async (ctx, { query, request }) => {
      const withWebhooks = request.caller?.scopes.includes('webhooks:write') ?? false;
      const Days = await countDays(ctx, { days: query.Days ?? 30 });
      if (Days === null) return { status: 200, isPartial: true };
      const Attention = await readAttention(ctx, { withWebhooks });
      return ok({ Days, Attention });
    },
  }),
];
