import { dryRun } from '../../infra/calls/dry-run.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { optionsOf } from '../catalogue/courses.ts';
import type { Enrolment } from '../enrolments/record/schemas.ts';
import type { KeyRow } from './record.ts';
import { enrolWithKey, type RedeemInput, redeemedEnrolments, withUsableKey } from './redeem.ts';
import type { CheckedKey } from './schemas.ts';

type Result = { enrolment: Enrolment; isNew: boolean };

/**
 * Returns what redeeming the key would do, by redeeming it in a transaction that is rolled back. Throws the
 * same errors as a redemption, and counts an unknown key as a guess.
 */
export function checkKey(ctx: TenantContext, input: RedeemInput): Promise<CheckedKey> {
  return withUsableKey(ctx, input, async (ctx, row, user) => {
    const isRedeemed = row.redeemed_by === user.user_id;
    const results = isRedeemed
      ? (await redeemedEnrolments(ctx, row)).map((enrolment) => ({ enrolment, isNew: false }))
      : await dryRun(ctx, (ctx) => enrolWithKey(ctx, row, user, input));
    return {
      KeyID: row.key_id,
      RedeemedAt: row.redeemed_at?.toISOString() ?? null,
      Courses: await coursesOf(ctx, row, results),
    };
  });
}

/** An option may have been deleted after the key was redeemed. */
async function coursesOf(ctx: TenantContext, row: KeyRow, results: Result[]): Promise<CheckedKey['Courses']> {
  const options = await optionsOf(ctx, row.course_ids);
  return results.map(({ enrolment, isNew }) => {
    const { EnrollID, CourseID, CourseTitle, ExpiresAt } = enrolment;
    const DurationID = row.duration_ids[row.course_ids.indexOf(CourseID)] ?? enrolment.DurationID;
    const option = options.find((one) => one.course_id === CourseID && one.duration_id === DurationID);
    return {
      CourseID,
      CourseTitle,
      DurationID,
      Duration: option?.duration ?? null,
      StartsOn: option?.starts_on ?? 'enrolment',
      EnrollID: isNew ? null : EnrollID,
      ExpiresAt,
    };
  });
}
