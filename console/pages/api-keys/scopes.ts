import type { components } from '../../../client/src/generated.ts';

type Scope = Exclude<
  components['schemas']['KeyWithSecret']['Scopes'][number],
  'catalogue:write' | 'tenants:write'
>;

const ofResources = {
  users: ['read', 'write', 'admin'],
  enrolments: ['read', 'write', 'launch'],
  catalogue: ['read'],
  events: ['read'],
  webhooks: ['write'],
  connections: ['write'],
  scim: ['write'],
  xapi: ['read', 'write'],
  audit: ['read'],
  certificates: ['read', 'write'],
  requirements: ['read', 'write'],
  holds: ['read', 'write'],
};

/** All scopes that a tenant's key may have. A test compares them with the service's list. */
export const scopesOfTenant = Object.entries(ofResources).flatMap(([resource, verbs]) =>
  verbs.map((verb) => `${resource}:${verb}` as Scope),
);
