import type { components } from '../../../client/src/generated.ts';

type Scope = components['schemas']['KeyWithSecret']['Scopes'][number];

/** All scopes that a tenant's key may have. A test compares them with the service's list. */
export const scopesOfTenant = [
  'users:read',
  'users:write',
  'users:admin',
  'enrolments:read',
  'enrolments:write',
  'enrolments:launch',
  'catalogue:read',
  'events:read',
  'webhooks:write',
  'connections:write',
  'scim:write',
  'xapi:read',
  'xapi:write',
  'audit:read',
  'certificates:read',
  'certificates:write',
  'requirements:read',
  'requirements:write',
] as const satisfies readonly Scope[];
