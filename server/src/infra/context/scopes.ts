import { Problem } from '../../lib/errors.ts';

export const scopes = [
  'users:read',
  'users:write',
  'users:admin',
  'enrolments:read',
  'enrolments:write',
  'enrolments:launch',
  'catalogue:read',
  'catalogue:write',
  'events:read',
  'webhooks:write',
  'connections:write',
  'scim:write',
  'xapi:read',
  'xapi:write',
  'audit:read',
  'certificates:read',
  'certificates:write',
  'tenants:write',
  'requirements:read',
  'requirements:write',
  'holds:read',
  'holds:write',
] as const;

export type Scope = (typeof scopes)[number];

const names: readonly string[] = scopes;
export const isScope = (name: string): name is Scope => names.includes(name);

/** Scopes that make sense only for the operator. */
const operatorScopes: readonly Scope[] = ['catalogue:write', 'tenants:write'];

export const tenantScopes: readonly Scope[] = scopes.filter((scope) => !operatorScopes.includes(scope));

/**
 * The permissions of learners' sessions. They may call only the routes marked `allowsLearners`, with their own LoginID,
 * so requirements:write lets managers remind their teams and nothing else.
 */
export const learnerScopes: readonly Scope[] = [
  'users:read',
  'enrolments:read',
  'enrolments:write',
  'enrolments:launch',
  'catalogue:read',
  'certificates:read',
  'requirements:read',
  'requirements:write',
];

/** The caller of a service function. Without `scopes`, the caller is the service itself: a job or the command line. */
type Caller = { readonly scopes?: readonly Scope[] | undefined };

export function hasScope(ctx: Caller, scope: Scope): boolean {
  return ctx.scopes === undefined || ctx.scopes.includes(scope);
}

/** Returns those of the `wanted` scopes that the caller has, because a caller cannot grant other scopes. */
export function grantedScopes(ctx: Caller, wanted: readonly Scope[]): Scope[] {
  return wanted.filter((scope) => hasScope(ctx, scope));
}

/** `purpose` begins a sentence that says why the scope is needed. */
export function requireScope(ctx: Caller, scope: Scope, purpose: string): void {
  if (!hasScope(ctx, scope))
    throw new Problem(
      'scope_missing',
      `${purpose} requires the scope ${scope}, which this key or session does not have. Use a key or session with this scope.`,
    );
}

/**
 * Removes the scope limits for work that a service function does on its own behalf, with values that the
 * caller did not choose.
 */
export function asService<C extends Caller>(ctx: C): C {
  return { ...ctx, scopes: undefined };
}
