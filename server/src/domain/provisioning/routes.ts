import { PageOf, pageQuery } from '../../http/pagination.ts';
import { ok, route } from '../../http/routes.ts';
import { Fields } from '../../http/validation/schema.ts';
import { testDirectory } from './connection-test.ts';
import { DirectoryTest, Provisioning, ProvisioningChange, ProvisioningEntry } from './schemas.ts';
import { changeProvisioning, confirmDisabling, listProvisioningLog, readProvisioning } from './settings.ts';

const common = {
  tag: 'Provisioning',
  access: 'tenant',
  scope: 'connections:write',
  additionalScopes: ['users:admin'],
} as const;

export const provisioningRoutes = [
  route('GET /provisioning', 'readProvisioning', {
    ...common,
    summary: 'Read how a directory provisions users',
    description: 'Its address and keys, the dry run, and whether the guard has stopped a sync.',
    responses: { 200: { description: 'The settings.', schema: Provisioning } },
    handle: async (ctx) => ok(await readProvisioning(ctx)),
  }),
  route('PUT /provisioning', 'changeProvisioning', {
    ...common,
    summary: 'Change provisioning',
    description: 'Fields that you leave out keep their values.',
    example: ['GuardPercent'],
    body: ProvisioningChange,
    responses: { 200: { description: 'The changed settings.', schema: Provisioning } },
    events: [],
    audits: ['provisioning.changed'],
    handle: async (ctx, { body }) => ok(await changeProvisioning(ctx, body)),
  }),
  route('POST /provisioning/confirm', 'confirmDisabling', {
    ...common,
    summary: 'Confirm that a sync may disable many users',
    description: 'For 24 hours, the guard does not stop. The provider repeats what was refused.',
    responses: { 200: { description: 'The settings.', schema: Provisioning } },
    events: [],
    audits: ['provisioning.confirmed'],
    handle: async (ctx) => ok(await confirmDisabling(ctx)),
  }),
  route('GET /provisioning/test', 'testDirectory', {
    ...common,
    summary: 'Test the connection to the directory',
    description:
      'Checks what a sync needs, and names the first step that fails and what to do about it. Only the directory can open the connection, so start its own test first.',
    responses: { 200: { description: 'The result, even if a step failed.', schema: DirectoryTest } },
    handle: async (ctx) => ok(await testDirectory(ctx)),
  }),
  route('GET /provisioning/log', 'listProvisioningLog', {
    ...common,
    summary: "List the provider's requests",
    description:
      'Newest first: writes and rejected requests, with the answers and without passwords. Kept for 30 days.',
    query: Fields(pageQuery),
    responses: { 200: { description: 'A page of requests.', schema: PageOf(ProvisioningEntry) } },
    handle: async (ctx, { query }) => ok(await listProvisioningLog(ctx, query)),
  }),
];
