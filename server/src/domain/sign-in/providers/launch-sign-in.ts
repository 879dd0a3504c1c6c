import { run } from '../../../db/transaction.ts';
import type { Context, TenantContext } from '../../../infra/context/context.ts';
import { signToken, verifyToken } from '../../../infra/keys/key-ring.ts';
import { type EnrolmentHandle, readLaunchKey } from '../../enrolments/record/record.ts';
import type { Provider } from './providers.ts';

/** The proof is in a redirect, so it is used immediately. */
const proofSeconds = 60;

/** Whether the requested page is a LaunchURL rather than a page of the console. */
export const isLaunch = (target: string) => target.startsWith('/launch?');

const parametersOf = (target: string) => new URLSearchParams(target.slice(target.indexOf('?') + 1));

function handleOf(ctx: TenantContext, target: string): EnrolmentHandle | null {
  const parameters = parametersOf(target);
  const handle = readLaunchKey(ctx, parameters.get('enrolment') ?? '', parameters.get('key') ?? '');
  return handle?.tenantId === ctx.tenantId ? handle : null;
}

const findLearner = `
select known.user_id, known.email, array(
  select own.provider_id from user_identity own where own.tenant_id = $1 and own.user_id = known.user_id
) as providers
from enrolment join "user" known on known.tenant_id = $1 and known.user_id = enrolment.user_id
where enrolment.tenant_id = $1 and enrolment.enroll_id = $2`;

type Learner = { user_id: string; email: string | null; providers: string[] };

async function learnerOf(ctx: TenantContext, target: string): Promise<Learner | null> {
  const handle = handleOf(ctx, target);
  if (!handle) return null;
  const [learner] = await run<Learner>(ctx, findLearner, [ctx.tenantId, handle.enrollId]);
  return learner ?? null;
}

/** The provider of the learner: the one they used before, else that of their email domain, else all. */
export async function launchProviders(
  ctx: TenantContext,
  target: string,
  providers: Provider[],
  ofEmail: (providers: readonly Provider[], email: string) => Provider | null,
): Promise<Provider[]> {
  const learner = await learnerOf(ctx, target);
  const used = providers.find(({ provider_id }) => learner?.providers.includes(provider_id));
  const home = used ?? (learner?.email ? ofEmail(providers, learner.email) : null);
  return home ? [home] : providers;
}

/** Whether the user is the learner of the launch link. */
export async function isOfLaunch(ctx: TenantContext, target: string, userId: string): Promise<boolean> {
  return (await learnerOf(ctx, target))?.user_id === userId;
}

/** Proves that the learner of the enrolment has just signed in. */
export const writeProof = (ctx: Context, { tenantId, enrollId }: EnrolmentHandle): string =>
  signToken(ctx.keys, 'signed-in', [tenantId, enrollId, ctx.now().getTime()]);

/** The launch link with a proof that its learner has just signed in. A return URL stays the last parameter. */
export function withProof(ctx: TenantContext, target: string): string {
  const parameters = parametersOf(target);
  const back = parameters.get('returnURL');
  parameters.delete('returnURL');
  const { enrollId } = handleOf(ctx, target) ?? { enrollId: '' };
  parameters.set('signedIn', writeProof(ctx, { tenantId: ctx.tenantId, enrollId }));
  if (back !== null) parameters.set('returnURL', back);
  return `/launch?${parameters}`;
}

/** Whether the learner of the link has just signed in. */
export function isProven(
  ctx: Context,
  { tenantId, enrollId }: EnrolmentHandle,
  proof: string | null,
): boolean {
  const value = verifyToken(ctx.keys, 'signed-in', proof ?? '') as [string, string, number] | null;
  if (!value || value[0] !== tenantId || value[1] !== enrollId) return false;
  return ctx.now().getTime() - value[2] < proofSeconds * 1000;
}
