import { ok, route } from '../../http/routes.ts';
import { platformParams } from '../lti/schemas.ts';
import { PlatformTest, testPlatform } from './test-platform.ts';

export const scoreRoutes = [
  route('POST /platform/{PlatformID}/test', 'testPlatform', {
    tag: 'Platforms',
    access: 'tenant',
    scope: 'connections:write',
    summary: 'Test the connection to a learning platform',
    description:
      'Reads the keys of the platform, compares the clocks, asks for an access token for scores, and looks at the last launch. Names the first step that fails and what to do about it.',
    params: platformParams,
    responses: { 200: { description: 'The result, even if a step failed.', schema: PlatformTest } },
    problems: ['platform_not_found'],
    events: [],
    prepare: (ctx, { params }) => testPlatform(ctx, { platformId: params.PlatformID }),
    handle: async (_, { prepared }) => ok(prepared),
  }),
];
