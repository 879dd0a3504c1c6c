/** What a key may be allowed to do. */
export const scopes = [
  'users:read',
  'users:write',
  'enrolments:read',
  'enrolments:write',
  'catalogue:read',
  'catalogue:write',
  'events:read',
  'webhooks:write',
  'audit:read',
  'tenants:write',
] as const;

export type Scope = (typeof scopes)[number];

/** The scopes that only make sense for the operator. */
const operatorScopes: readonly Scope[] = ['catalogue:write', 'tenants:write'];

export const tenantScopes: readonly Scope[] = scopes.filter((scope) => !operatorScopes.includes(scope));
