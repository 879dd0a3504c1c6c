import { ok, route } from '../../../http/routes.ts';
import { platformParams } from '../schemas.ts';
import { Roster, readRoster, syncNow } from './roster.ts';

const common = { tag: 'Platforms', access: 'tenant', scope: 'connections:write' } as const;

export const rosterRoutes = [
  route('GET /platform/{PlatformID}/roster', 'readPlatformRoster', {
    ...common,
    summary: 'Read what is known about the members of a learning platform',
    description:
      'Members are read every night with Names and Role Provisioning Services (NRPS 2.0), for each course of the platform from which this service was opened. New learners become users and are enrolled, their names and email addresses are updated, and those who have left all courses are disabled. What changes is an import, which is applied automatically and can be undone for 30 days. One that would disable more than a tenth of the members waits for an administrator.',
    params: platformParams,
    responses: { 200: { description: 'The roster.', schema: Roster } },
    problems: ['platform_not_found'],
    handle: async (ctx, { params }) => ok(await readRoster(ctx, { platformId: params.PlatformID })),
  }),
  route('POST /platform/{PlatformID}/roster', 'syncPlatformRoster', {
    ...common,
    summary: 'Read the members of a learning platform now',
    description:
      'The same as every night. Changes are applied in the background: read the import. Does nothing while the import before is in progress.',
    params: platformParams,
    responses: { 200: { description: 'The roster.', schema: Roster } },
    problems: ['platform_not_found'],
    events: [],
    audits: ['import.applied'],
    prepare: (ctx, { params }) => syncNow(ctx, { platformId: params.PlatformID }),
    handle: async (ctx, { params }) => ok(await readRoster(ctx, { platformId: params.PlatformID })),
  }),
];
