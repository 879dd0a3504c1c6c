import Type from 'typebox';
import type { TenantContext } from '../../platform/context.ts';
import { Fields } from '../../platform/http/schema.ts';
import { dryRunEach } from '../../platform/retries/dry-run.ts';
import { bulk } from '../../platform/rows/bulk.ts';
import type { RowDone } from '../../platform/rows/work-rows.ts';
import { CourseID, DurationID } from '../catalogue/schemas.ts';
import { LoginID } from '../users/schemas.ts';
import { enrol } from './enrol.ts';
import { Enrolment, EnrolRequest } from './schemas.ts';

export const EnrolRow = Fields(
  { LoginID, CourseID, DurationID: Type.Optional(DurationID), ...EnrolRequest.properties },
  { title: 'EnrolRow' },
);
export type EnrolRow = Type.Static<typeof EnrolRow>;

export async function enrolRow(ctx: TenantContext, row: EnrolRow): Promise<RowDone> {
  const { LoginID: loginId, CourseID: courseId, DurationID: durationId, ...request } = row;
  const input = { ...request, loginId, courseId };
  const { enrolment, isNew } = await enrol(ctx, durationId === undefined ? input : { ...input, durationId });
  return {
    Status: isNew ? 201 : 200,
    LoginID: enrolment.LoginID,
    CourseID: enrolment.CourseID,
    DurationID: enrolment.DurationID,
    EnrollID: enrolment.EnrollID,
    LaunchURL: enrolment.LaunchURL,
  };
}

/** The rows of a chunk run concurrently, and `enrol` combines concurrent rows into one statement. */
export const enrolInBulk = bulk<EnrolRow>({
  row: EnrolRow,
  record: Enrolment,
  tables: ['user', 'enrolment', 'event'],
  names: ['LoginID', 'CourseID', 'DurationID'],
  ids: ['EnrollID', 'LaunchURL'],
  prepare: async (_, row) => (ctx) => enrolRow(ctx, row),
  plan: (ctx, rows) => dryRunEach(ctx, rows, enrolRow),
});
