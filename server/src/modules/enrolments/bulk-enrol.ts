import Type from 'typebox';
import type { TenantContext } from '../../platform/context.ts';
import { Fields } from '../../platform/http/schema.ts';
import { planEach } from '../../platform/retries/dry-run.ts';
import type { Submission } from '../../platform/retries/verb.ts';
import { bulk } from '../../platform/rows/bulk.ts';
import type { RowDone } from '../../platform/rows/work-rows.ts';
import { CourseID, DurationID } from '../catalogue/schemas.ts';
import { LoginID } from '../users/schemas.ts';
import { enrolling } from './enrol.ts';
import { Enrolment, EnrolRequest } from './schemas.ts';

export const EnrolRow = Fields(
  { LoginID, CourseID, DurationID: Type.Optional(DurationID), ...EnrolRequest.properties },
  { title: 'EnrolRow' },
);
export type EnrolRow = Type.Static<typeof EnrolRow>;

export async function enrollingRow(ctx: TenantContext, row: EnrolRow): Promise<Submission<RowDone>> {
  const { LoginID: loginId, CourseID: courseId, DurationID: durationId, ...request } = row;
  const input = { ...request, loginId, courseId };
  return enrolling(
    ctx,
    durationId === undefined ? input : { ...input, durationId },
    ({ enrolment, isNew }) => ({
      Status: isNew ? 201 : 200,
      LoginID: enrolment.LoginID,
      CourseID: enrolment.CourseID,
      DurationID: enrolment.DurationID,
      EnrollID: enrolment.EnrollID,
      LaunchURL: enrolment.LaunchURL,
    }),
  );
}

export const enrolInBulk = bulk<EnrolRow>({
  row: EnrolRow,
  record: Enrolment,
  names: ['LoginID', 'CourseID', 'DurationID'],
  ids: ['EnrollID', 'LaunchURL'],
  prepare: enrollingRow,
  plan: (ctx, rows) => planEach(ctx, rows, enrollingRow),
});
