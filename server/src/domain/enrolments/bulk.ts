import Type from 'typebox';
import { bulk } from '../../http/rows/bulk.ts';
import type { BulkOperation, RowDone } from '../../http/rows/work-rows.ts';
import { Fields } from '../../http/validation/schema.ts';
import { planEach } from '../../infra/calls/dry-run.ts';
import type { Submission } from '../../infra/calls/once.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { requireScope } from '../../infra/context/scopes.ts';
import { invalid, type Problem } from '../../lib/errors.ts';
import { CourseID, DurationID } from '../catalogue/schemas.ts';
import { creatingRow, planBulkUsers } from '../users/bulk.ts';
import { LoginID, NewUser, User } from '../users/schemas.ts';
import { enrolling } from './enrol.ts';
import { detailNames } from './record/details.ts';
import { Enrolment, EnrolRequest } from './record/schemas.ts';

const EnrolRow = Fields(
  { LoginID, CourseID, DurationID: Type.Optional(DurationID), ...EnrolRequest.properties },
  { title: 'EnrolRow' },
);
type EnrolRow = Type.Static<typeof EnrolRow>;

async function enrollingRow(ctx: TenantContext, row: EnrolRow): Promise<Submission<RowDone>> {
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

export const enrolmentRows: BulkOperation<EnrolRow> = {
  row: EnrolRow,
  record: Enrolment,
  names: ['LoginID', 'CourseID', 'DurationID'],
  ids: ['EnrollID', 'LaunchURL'],
  prepare: enrollingRow,
  plan: (ctx, rows) => planEach(ctx, rows, enrollingRow),
};

export const enrolInBulk = bulk(enrolmentRows);

const { LoginID: _, CourseID: __, ...enrolment } = EnrolRow.properties;

const PersonRow = Fields(
  { ...NewUser.properties, CourseID: Type.Optional(CourseID), ...enrolment },
  { title: 'PersonRow' },
);
type PersonRow = Type.Static<typeof PersonRow>;

/** Fields that have no effect without a course. `IfEnrolled` is left out, because the console adds it to all rows. */
const needCourse = ['DurationID', 'ExpiresAt', ...detailNames] as const;

const ofEnrolment = ['IfEnrolled', ...needCourse] as const;

function userOf(row: PersonRow): NewUser {
  const { CourseID: _, ...user } = row;
  for (const name of ofEnrolment) delete user[name];
  return user;
}

function enrolmentOf({ LoginID, CourseID, ...row }: PersonRow): EnrolRow | null {
  if (CourseID === undefined) return null;
  const sent = ofEnrolment.filter((name) => row[name] !== undefined);
  return { LoginID, CourseID, ...Object.fromEntries(sent.map((name) => [name, row[name]])) };
}

function courseProblem(row: PersonRow): Problem | null {
  if (row.CourseID !== undefined) return null;
  const field = needCourse.find((name) => row[name] !== undefined);
  if (!field) return null;
  return invalid('CourseID', `CourseID is missing. Send it, or leave out ${field}.`);
}

const scope = 'enrolments:write';

/**
 * Creates or updates users and enrols them. The enrolment is a separate step: it is attempted only if the user is
 * accepted, and the user is kept if it fails.
 */
export const personRows: BulkOperation<PersonRow> = {
  row: PersonRow,
  record: User,
  names: ['LoginID'],
  ids: [],
  prepare: async (ctx, row) => {
    const problem = courseProblem(row);
    if (problem) throw problem;
    return creatingRow(ctx, userOf(row));
  },
  next: {
    name: 'Enrolment',
    field: 'CourseID',
    names: ['CourseID', 'DurationID'],
    ids: ['EnrollID', 'LaunchURL'],
    isWanted: (row) => row.CourseID !== undefined,
    prepare: async (ctx, row) => {
      requireScope(ctx, scope, 'Enrolling');
      return enrollingRow(ctx, enrolmentOf(row) as EnrolRow);
    },
  },
  plan: async (ctx, rows) => {
    const problems = rows.map(courseProblem);
    const accepted = rows.filter((_, at) => !problems[at]);
    const plans = await planBulkUsers(ctx, accepted.map(userOf), (ctx, at) => {
      const wanted = enrolmentOf(accepted[at] as PersonRow);
      return wanted && planEnrolment(ctx, wanted);
    });
    const planned = plans.values();
    return problems.flatMap((reason) =>
      reason ? { status: 'rejected' as const, reason } : (planned.next().value ?? []),
    );
  },
};

export const createUsersInBulk = bulk(personRows);

const planEnrolment: typeof enrollingRow = async (ctx, wanted) => {
  requireScope(ctx, scope, 'Enrolling');
  return enrollingRow(ctx, wanted);
};
