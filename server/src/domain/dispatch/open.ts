import type { FastifyRequest } from 'fastify';
import { forTenant, run, transaction } from '../../db/transaction.ts';
import { type Context, type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { signToken, verifyToken } from '../../infra/keys/key-ring.ts';
import { Problem } from '../../lib/errors.ts';
import { sha256 } from '../../lib/ids.ts';
import { cleanText, isStorable } from '../../lib/unicode.ts';
import { contentOrigin } from '../delivery/player/content-origins.ts';
import { languageOf } from '../delivery/player/page-texts.ts';
import { refusalText } from '../delivery/player/refusals.ts';
import { isAllowedReturn, readReturnUrl } from '../delivery/player/return-url.ts';
import { writeTicket } from '../delivery/player/tokens.ts';
import { enrolInTransaction } from '../enrolments/enrol.ts';
import { selectEnrolments, toEnrolment } from '../enrolments/record/record.ts';
import type { Enrolment } from '../enrolments/record/schemas.ts';
import { pinRelease } from '../enrolments/run-time/pin-release.ts';
import { explain } from '../enrolments/run-time/start.ts';
import type { Language } from '../tenants/schemas.ts';
import { knownTenant } from '../tenants/tenants.ts';
import { createUser } from '../users/create-user.ts';
import { findUserId } from '../users/users.ts';
import { type DispatchRow, findDispatch, findRelease } from './dispatches.ts';
import type { OpenedDispatch } from './schemas.ts';
import { type Refusal, refusalTexts } from './texts.ts';

export const openPath = '/dispatch/open';

/** In the package. Anyone holding it can open the course as any learner of the receiving LMS. */
export const writeKey = (ctx: TenantContext, dispatchId: string): string =>
  signToken(ctx.keys, 'dispatch', [ctx.tenantId, dispatchId]);

/** The cast is safe, because only we can sign a key. */
const readKey = (ctx: Context, key: string) =>
  verifyToken(ctx.keys, 'dispatch', key) as [tenantId: string, dispatchId: string] | null;

/** Learners of a dispatch are never those of another one, or users that the tenant has created. */
export function loginIdOf(dispatchId: string, learner: string): string {
  const name = `dispatch:${dispatchId}:${learner}`;
  return name.length <= 255 && isStorable(name) && cleanText(name) === name
    ? name
    : `dispatch:${dispatchId}:${sha256(learner)}`;
}

class Refused extends Error {
  readonly reason: Refusal;
  constructor(reason: Refusal) {
    super(reason);
    this.reason = reason;
  }
}

function checkDispatch(ctx: TenantContext, row: DispatchRow | undefined): asserts row is DispatchRow {
  if (!row) throw new Refused('unknown');
  if (!row.enabled) throw new Refused('stopped');
  if (row.ends_at !== null && row.ends_at <= tenantNow(ctx)) throw new Refused('ended');
}

const takeSeat = `
update dispatch set seats_taken = seats_taken + 1
where tenant_id = $1 and dispatch_id = $2 and (seats is null or seats_taken < seats) returning seats_taken`;

/** `xmax` is 0 only in rows that this statement inserted. */
const keepLearner = `
insert into dispatch_learner (tenant_id, dispatch_id, user_id, enroll_id, first_opened_at, last_opened_at)
values ($1, $2, $3, $4, $5, $5)
on conflict (tenant_id, dispatch_id, user_id) do update
set enroll_id = excluded.enroll_id, last_opened_at = excluded.last_opened_at
returning xmax = 0 as is_new`;

const named = (value: string): string | undefined => {
  const text = isStorable(value) ? cleanText(value).slice(0, 255).toWellFormed() : '';
  return text === '' ? undefined : text;
};

type Learner = { learner: string; first: string; last: string };

/** The latest enrolment. One that has ended stays, with its result; only the tenant enrols a learner again. */
async function findEnrolment(
  ctx: TenantContext,
  userId: string,
  courseId: string,
): Promise<Enrolment | null> {
  const row = await selectEnrolments(ctx)
    .where('enrolment.user_id', '=', userId)
    .where('enrolment.course_id', '=', courseId)
    .orderBy('enrolment.enroll_id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ? toEnrolment(ctx, row) : null;
}

/** Makes or finds the user, their seat and their enrolment; all of it or nothing. */
function enrolLearner(ctx: TenantContext, dispatch: DispatchRow, input: Learner): Promise<Enrolment> {
  const { dispatch_id: dispatchId, course_id: courseId, duration_id: durationId } = dispatch;
  const loginId = loginIdOf(dispatchId, input.learner);
  const [FirstName, LastName] = [named(input.first), named(input.last)];
  return transaction(ctx, async (ctx) => {
    const names = { ...(FirstName && { FirstName }), ...(LastName && { LastName }) };
    await createUser(ctx, { LoginID: loginId, ...names, IfExists: 'update' });
    const userId = (await findUserId(ctx, loginId)) ?? '';
    const option = { loginId, courseId, durationId, IfEnrolled: 'return' } as const;
    const enrolment =
      (await findEnrolment(ctx, userId, courseId)) ?? (await enrolInTransaction(ctx, [option]))[0]?.enrolment;
    if (!enrolment) throw new Refused('not_offered');
    if (dispatch.release !== null) {
      const releaseId = await findRelease(ctx, { courseId, release: dispatch.release });
      await pinRelease(ctx, { enrollId: enrolment.EnrollID, releaseId });
    }
    const values = [ctx.tenantId, dispatchId, userId, enrolment.EnrollID, ctx.now()];
    const [kept] = await run<{ is_new: boolean }>(ctx, keepLearner, values);
    if (kept?.is_new) {
      const taken = await run(ctx, takeSeat, [ctx.tenantId, dispatchId]);
      if (taken.length === 0) throw new Refused('full');
    }
    return enrolment;
  });
}

const noResult = { PlayerURL: null, Result: null };

function refusal(language: Language, reason: Refusal): OpenedDispatch {
  const [Title, Text] = refusalTexts[language][reason];
  return { ...noResult, Title, Text };
}

export type OpenInput = Learner & { key: string; back: string };

/** Opens the course for a learner of another LMS. If it cannot be opened, the response says why. */
export async function openDispatch(
  ctx: Context,
  request: FastifyRequest,
  input: OpenInput,
): Promise<OpenedDispatch> {
  const language = languageOf(request);
  const [tenantId, dispatchId] = readKey(ctx, input.key) ?? [];
  if (tenantId === undefined || dispatchId === undefined) return refusal(language, 'unknown');
  if (input.learner === '' || input.learner.length > 2_048) return refusal(language, 'nobody');
  const own = forTenant(ctx, tenantId);
  const tenant = await knownTenant.get(ctx, tenantId);
  if (!tenant || tenant.Status === 'suspended') return refusal(language, 'stopped');
  try {
    const dispatch = await findDispatch(own, { dispatchId });
    checkDispatch(own, dispatch);
    const enrolment = await enrolLearner(own, dispatch, input);
    const { EnrollID: enrollId, Completion, Success, Score, Progress } = enrolment;
    const decision = await explain(own, { enrollId });
    // The package says who the learner is, but it cannot prove it.
    if (decision.requiresSignIn || decision.isPath) throw new Refused('not_offered');
    if (!decision.MayLaunch) {
      const { title: Title, reason: Text } = refusalText(language, decision);
      return { ...noResult, Title, Text };
    }
    const courseId = dispatch.course_id;
    const back = readReturnUrl(`?returnURL=${encodeURIComponent(input.back)}`);
    const returnUrl = back !== null && isAllowedReturn(back, tenant.ReturnOrigins) ? back : null;
    const ticket = writeTicket(own, { tenantId, enrollId, returnUrl, courseId });
    const origin = contentOrigin(own, { use: 'launch', tenantId, courseId });
    const Result = { Completion, Success, Score, Progress };
    return { PlayerURL: `${origin}/play/${ticket}`, Title: '', Text: '', Result };
  } catch (error) {
    if (error instanceof Refused) return refusal(language, error.reason);
    if (error instanceof Problem && error.status < 500) {
      ctx.log.warn({ tenant: tenantId, dispatch: dispatchId, code: error.code }, 'a dispatch was not opened');
      return refusal(language, error.code === 'no_seats_left' ? 'full' : 'not_offered');
    }
    throw error;
  }
}
