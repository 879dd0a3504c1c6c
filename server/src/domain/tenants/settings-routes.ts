import { ok, route } from '../../http/routes.ts';
import { Settings, SettingsChange } from './schemas.ts';
import { changeSettings, readSettings } from './settings.ts';

const common = { tag: 'Tenants', access: 'tenant' } as const;

export const settingsRoutes = [
  route('GET /settings', 'readSettings', {
    ...common,
    summary: 'Read the settings of your tenant',
    description:
      'The language, the time zone, when people are reminded, whether LaunchURLs require a sign-in, and what is shown of the certificates of people who were erased. An operator names the tenant in the Tenant header.',
    scope: 'users:read',
    responses: { 200: { description: 'The settings.', schema: Settings } },
    handle: async (ctx) => ok(await readSettings(ctx)),
  }),
  route('PUT /settings', 'changeSettings', {
    ...common,
    summary: 'Change the settings of your tenant',
    description:
      'Fields that you leave out keep their values. The operator can change the same fields with `PUT /tenant/{TenantID}`.',
    example: ['Reminders'],
    // The settings apply to emails to all users, as branding does.
    scope: 'users:write',
    additionalScopes: ['users:admin'],
    body: SettingsChange,
    responses: { 200: { description: 'The changed settings.', schema: Settings } },
    problems: ['sign_in_unavailable'],
    events: [],
    audits: ['tenant.changed'],
    handle: async (ctx, { body }) => ok(await changeSettings(ctx, body)),
  }),
];
