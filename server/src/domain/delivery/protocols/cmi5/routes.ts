import Type from 'typebox';
import { ok, route } from '../../../../http/routes.ts';
import { Fields, Text } from '../../../../http/validation/schema.ts';
import { EnrollID, Enrolment } from '../../../enrolments/record/schemas.ts';
import { LoginID } from '../../../users/schemas.ts';
import { waiveAu } from './waive.ts';

const Waiver = Fields(
  {
    UnitID: Text(1_000, { minLength: 1, description: 'The AU, as in `Units` of the release.' }),
    Reason: Text(1_000, {
      minLength: 1,
      description:
        'Included in the statement about the waiver. cmi5 suggests "Tested Out", "Equivalent AU", "Equivalent Outside Activity" and "Administrative".',
    }),
  },
  { title: 'Waiver' },
);

export const cmi5Routes = [
  route('POST /enrolment/{LoginID}/{EnrollID}/waive', 'waiveUnit', {
    summary: 'Waive a unit of a cmi5 course',
    description:
      'The learner need not take the unit: it counts as satisfied, without a score. The learner must have opened the course at least once. Waiving a unit again changes nothing.',
    tag: 'Enrolments',
    access: 'tenant',
    scope: 'enrolments:write',
    params: Type.Object({ LoginID, EnrollID }),
    body: Waiver,
    responses: { 200: { description: 'The enrolment with its new result.', schema: Enrolment } },
    problems: ['enrolment_not_found', 'not_waivable'],
    events: ['enrolment.progressed', 'enrolment.completed', 'enrolment.passed', 'enrolment.failed'],
    audits: ['enrolment.unit_waived'],
    handle: async (ctx, { params, body }) =>
      ok(await waiveAu(ctx, { ...body, loginId: params.LoginID, enrollId: params.EnrollID })),
  }),
];
