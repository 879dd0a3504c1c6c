import type { Selectable } from 'kysely';
import type { EnrolmentTable } from '../../../db/engine/generated.ts';
import { recordOf } from '../../../http/records.ts';
import { type Context, type TenantContext, tenantNow } from '../../../infra/context/context.ts';
import { hasScope } from '../../../infra/context/scopes.ts';
import { sign, splitOnce, verify } from '../../../infra/keys/key-ring.ts';
import { Problem } from '../../../lib/errors.ts';
import { rulesOf } from '../../catalogue/attempt-rules.ts';
import { timeFactorOf } from '../../users/users.ts';
import { toDetails } from './details.ts';
import { Enrolment, type ListedEnrolment } from './schemas.ts';
import { attemptsUsed, countingResult, outcomeOf, overrideOf, recordedResult, statusAt } from './states.ts';

export type EnrolmentHandle = { tenantId: string; enrollId: string };

function signedText(handle: EnrolmentHandle): string {
  return `${handle.tenantId}\0${handle.enrollId}`;
}

/**
 * The permanent link to an enrolment. It always has a query string, because clients append `&returnURL=`. It ends with
 * the UUID, because mail programs cut off a `-` or `_` at the end.
 */
export function launchUrl(ctx: Context, handle: EnrolmentHandle): string {
  const tenant = Buffer.from(handle.tenantId).toString('base64url');
  const key = `${tenant}.${sign(ctx.keys, 'launch', signedText(handle))}`;
  return `${ctx.config.baseUrl}/launch?key=${key}&enrolment=${handle.enrollId}`;
}

/** The key of the longest TenantID is shorter. */
const maxKey = 2_048;

/** What a mail program may have left of the end of a key. */
const lostEnds = ['', '-', '_'];

/**
 * The enrolment for a launch link; null if we did not sign the link. Punctuation and spaces that mail programs add are
 * ignored.
 */
export function readLaunchKey(ctx: Context, sentId: string, sentKey: string): EnrolmentHandle | null {
  const enrollId =
    /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?![\da-z])/i.exec(sentId)?.[0].toLowerCase() ?? '';
  const [tenant, signature] = splitOnce(
    sentKey
      .slice(0, maxKey)
      .replaceAll(/[^\w.-]/g, '')
      .replace(/\.+$/, ''),
  );
  if (!tenant || !signature || !enrollId) return null;
  const handle = { tenantId: Buffer.from(tenant, 'base64url').toString(), enrollId };
  // Several texts decode to the same name, because the last character has unused bits (RFC 4648 §3.5).
  if (Buffer.from(handle.tenantId).toString('base64url') !== tenant) return null;
  const text = signedText(handle);
  return lostEnds.some((end) => verify(ctx.keys, 'launch', text, signature + end)) ? handle : null;
}

/**
 * `user_id` is null only for erased users. Every statement that reads this row joins the user, so
 * it is never null here.
 */
export type EnrolmentRow = Selectable<EnrolmentTable> & { user_id: string };
export type EnrolmentWithNames = EnrolmentRow & {
  login_id: string;
  course_title: string;
  user_time_factor: number;
};
export type ListedRow = EnrolmentWithNames & {
  first_name: string | null;
  last_name: string | null;
  email: string | null;
};

export function toEnrolment(ctx: TenantContext, row: EnrolmentWithNames): Enrolment {
  const { enroll_id: enrollId } = row;
  const mayLaunch = hasScope(ctx, 'enrolments:launch');
  const LaunchURL = mayLaunch ? launchUrl(ctx, { tenantId: ctx.tenantId, enrollId }) : null;
  return { ...withoutLink(ctx, row), LaunchURL };
}

/** For exports. Anyone holding the link can start the course as that learner. */
export function withoutLink(ctx: TenantContext, row: EnrolmentWithNames): Enrolment {
  const override = overrideOf(row);
  const result = countingResult(row);
  const status = statusAt(row, tenantNow(ctx));
  const completedAt = row.completed_at?.toISOString() ?? override?.At ?? null;
  return recordOf(Enrolment, row, {
    Status: status,
    Outcome: outcomeOf(status, result),
    ...result,
    Override: override,
    Recorded: recordedResult(row),
    CompletedAt: result.Completion === 'completed' ? completedAt : null,
    Attempts: rulesOf(row.attempt_rules),
    Attempt: row.attempt_number,
    AttemptsUsed: attemptsUsed(row),
    TimeFactor: timeFactorOf(row.time_factor ?? row.user_time_factor),
    ...toDetails(row),
    LaunchURL: null,
  });
}

/** `Include` is what the caller asks for in addition. The caller must have checked its scope. */
export function toListed(
  ctx: TenantContext,
  row: ListedRow,
  { Include }: { Include?: 'LaunchURL' },
): ListedEnrolment {
  const isNamed = hasScope(ctx, 'users:read');
  return {
    ...(Include ? toEnrolment : withoutLink)(ctx, row),
    FirstName: isNamed ? row.first_name : null,
    LastName: isNamed ? row.last_name : null,
    Email: isNamed ? row.email : null,
    GroupName: isNamed ? row.group_name : null,
  };
}

/** The tenant's enrolments, with the names shown in the record. */
export function selectEnrolments(ctx: TenantContext) {
  return ctx.db
    .selectFrom('enrolment')
    .innerJoin('user', (join) =>
      join.on('user.tenant_id', '=', ctx.tenantId).onRef('user.user_id', '=', 'enrolment.user_id'),
    )
    .innerJoin('course', 'course.course_id', 'enrolment.course_id')
    .selectAll('enrolment')
    .select([
      'user.login_id as login_id',
      'course.title as course_title',
      'user.time_factor as user_time_factor',
    ])
    .where('enrolment.tenant_id', '=', ctx.tenantId)
    .$narrowType<{ user_id: string }>();
}

export function enrolmentNotFound(): Problem {
  return new Problem(
    'enrolment_not_found',
    "The user has no enrolment with this EnrollID. List the user's enrolments with GET /enrolment/{LoginID}.",
    { param: 'EnrollID' },
  );
}
