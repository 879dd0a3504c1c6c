import Type from 'typebox';
import { logoTypes } from '../../../../../standards/logo.ts';
import { route } from '../../../http/routes.ts';
import { Problem } from '../../../lib/errors.ts';
import { namesOf } from '../../../lib/tables.ts';
import { sessionEnds } from '../../enrolments/run-time/progress-cache.ts';
import { knownBranding, logoHeaders, readLogoFile } from '../../tenants/branding.ts';
import { findOpenSession } from './open-sessions.ts';

/** The logo in the player's bar. The player's policy allows only images from its own origin. */
export const playerLogoRoute = route('GET /play/{token}/logo', 'readPlayerLogo', {
  origin: 'content',
  tag: 'Player',
  access: 'session',
  scope: null,
  summary: "Read the tenant's logo",
  description: 'For the player page.',
  runTime: { token: 'session', use: 'file' },
  logs: 'failures',
  params: Type.Object({
    token: Type.String({ description: '`Session` from the response that opened the session.' }),
  }),
  responses: { 200: { description: 'The image.', type: logoTypes } },
  problems: [...namesOf(sessionEnds), 'not_found', 'tenant_not_found', 'wrong_host'],
  handle: async (ctx, { params }) => {
    const { tenantId } = findOpenSession(ctx, params.token).player;
    const { logoName } = tenantId === null ? { logoName: null } : await knownBranding.get(ctx, tenantId);
    const file = tenantId && logoName ? await readLogoFile(ctx, tenantId, logoName) : null;
    if (!file) throw new Problem('not_found', 'The tenant has no logo.');
    const headers = { ...logoHeaders, 'Content-Type': file.type, 'Cache-Control': 'private, max-age=3600' };
    return { status: 200, body: file.content, headers };
  },
});
