import { run, transaction } from '../../db/transaction.ts';
import { countWithin } from '../../infra/calls/limits.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { invalid, Problem } from '../../lib/errors.ts';
import { newId, sha256 } from '../../lib/ids.ts';
import { withinYears } from '../../lib/instants.ts';
import { audit } from '../audit/chain.ts';
import { optionsOf, selectCourses } from '../catalogue/courses.ts';
import { courseNotFound } from '../catalogue/problems.ts';
import { findUserId, userNotFound } from '../users/users.ts';
import { newKey, showKey } from './key-text.ts';
import { type KeyRow, toKey } from './record.ts';
import type { IssuedKeys, NewEnrolmentKeys } from './schemas.ts';

/** Enough characters to recognise a key. Its other 75 random bits stay secret. */
const shownCharacters = 4;

const insert = `
insert into enrolment_key (tenant_id, key_id, key_hash, key_start, course_ids, duration_ids, user_id, group_name,
  purchase_order, valid_from, valid_until, created_at)
select $1, made.key_id, made.key_hash, made.key_start, $3::text[], $4::text[], $5::uuid, $6::text, $7::text,
  $8::timestamptz, $9::timestamptz, $10::timestamptz
from jsonb_to_recordset($2::jsonb) as made (key_id uuid, key_hash text, key_start text)
returning *`;

/** Creates keys for the same courses. Only their hashes are stored. */
export async function issueKeys(ctx: TenantContext, input: NewEnrolmentKeys): Promise<IssuedKeys> {
  const now = tenantNow(ctx);
  const { from, until } = validity(input, now);
  const courses = input.CourseIDs;
  const durations = input.DurationIDs;
  await checkOffers(ctx, courses, durations, input.Group ?? null);
  const userId = input.LoginID == null ? null : await findUserId(ctx, input.LoginID);
  if (input.LoginID != null && userId === null) throw userNotFound();
  const quantity = input.Quantity ?? 1;
  // Counts the keys, not only the requests: each key takes about 1 kB until it is redeemed or erased.
  countWithin(ctx, 'enrolment_keys', ctx.tenantId, quantity);
  const made = Array.from({ length: quantity }, () => {
    const key = newKey();
    return { key, key_id: newId(now), key_hash: sha256(key), key_start: key.slice(0, shownCharacters) };
  });
  const values = [
    ctx.tenantId,
    JSON.stringify(made.map(({ key: _, ...row }) => row)),
    courses,
    durations,
    userId,
    input.Group ?? null,
    input.PurchaseOrder ?? null,
    from,
    until,
    now,
  ];
  const rows = await transaction(ctx, async (ctx) => {
    const issued = await run<KeyRow>(ctx, insert, values);
    const data = { KeyIDs: made.map(({ key_id }) => key_id), CourseIDs: courses };
    await audit(ctx, 'enrolment_key.issued', null, data);
    return issued;
  });
  const keys = new Map(made.map(({ key, key_id }) => [key_id, key]));
  return {
    Items: rows
      .sort((a, b) => (a.key_id < b.key_id ? -1 : 1))
      .map((row) => ({
        ...toKey(ctx, { ...row, login_id: input.LoginID ?? null, redeemer: null }),
        Key: showKey(keys.get(row.key_id) ?? ''),
      })),
  };
}

function validity(input: NewEnrolmentKeys, now: Date): { from: Date; until: Date } {
  const from = input.ValidFrom ? new Date(input.ValidFrom) : now;
  const aYearLater = new Date(from);
  aYearLater.setUTCFullYear(from.getUTCFullYear() + 1);
  const until = input.ValidUntil ? new Date(input.ValidUntil) : withinYears(aYearLater);
  if (until <= from || until <= now)
    throw invalid('ValidUntil', 'ValidUntil must be in the future and later than ValidFrom.');
  return { from, until };
}

/** Rejects keys that could never be redeemed, so that they are not sold. A redemption checks for later changes. */
async function checkOffers(
  ctx: TenantContext,
  courseIds: string[],
  durationIds: string[],
  group: string | null,
): Promise<void> {
  if (courseIds.length !== durationIds.length)
    throw invalid(
      'DurationIDs',
      `DurationIDs must contain one option for each of the ${courseIds.length} CourseIDs, in the same order.`,
    );
  const courses = await selectCourses(ctx)
    .where((where) => where('course.course_id', '=', where.fn.any(where.val(courseIds))))
    .execute();
  const options = await optionsOf(ctx, courseIds);
  for (const [at, courseId] of courseIds.entries()) {
    const course = courses.find((row) => row.course_id === courseId);
    if (!course || course.status === 'draft' || (course.tenants && !course.tenants.includes(ctx.tenantId)))
      throw courseNotFound();
    if (course.status === 'retired')
      throw new Problem('course_retired', `The course ${courseId} is retired. Choose another course.`, {
        param: 'CourseIDs',
      });
    const option = options.find(
      (row) =>
        row.course_id === courseId && row.duration_id === durationIds[at] && row.status === 'published',
    );
    if (!option || (group !== null && option.groups && !option.groups.includes(group)))
      throw new Problem(
        'option_not_found',
        `The course ${courseId} does not offer the enrolment option ${durationIds[at]}${option ? ' to this group' : ''}. See GET /catalogue/course.`,
        { param: 'DurationIDs' },
      );
  }
}
