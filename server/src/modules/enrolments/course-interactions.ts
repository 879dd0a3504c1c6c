import type { TenantContext } from '../../platform/context.ts';
import { type PageQuery, pageLimit, readCursor, toPage } from '../../platform/http/pagination.ts';
import type { CourseInteraction } from './activity-schemas.ts';
import {
  type AnsweredUnit,
  type Position,
  readAnsweredUnits,
  readPosition,
  writePosition,
} from './course-units.ts';

type Row = { position: Position; item: CourseInteraction | null };

const max = { enrolments: 25, units: 200, bytes: 1024 ** 2 };

/**
 * Returns the interactions of all learners of a tenant on a course, ordered by enrolment, attempt
 * and unit.
 */
export async function listCourseInteractions(ctx: TenantContext, input: PageQuery & { courseId: string }) {
  const { courseId } = input;
  const after = readPosition(readCursor(input));
  const { units, stop } = await readAnsweredUnits(ctx, { courseId, after, max });
  const rows = units.flatMap((unit) => rowsOf(unit, after));
  return toPage(
    rows,
    pageLimit(input),
    ({ position }) => writePosition(position),
    ({ item }) => item as CourseInteraction,
    stop && { position: stop, item: null },
  );
}

function rowsOf(unit: AnsweredUnit, after: Position | null): Row[] {
  const { enrollId, loginId, attempt, unitId, unitTitle } = unit;
  const isBegun = enrollId === after?.enrollId && attempt === after.attempt && unitId === after.unitId;
  const read = isBegun ? (after.number ?? -1) : -1;
  const whose = {
    EnrollID: enrollId,
    LoginID: loginId,
    Attempt: attempt,
    UnitID: unitId,
    UnitTitle: unitTitle,
  };
  return unit.interactions
    .filter((interaction) => interaction.Number > read)
    .map((interaction) => ({
      position: { enrollId, attempt, unitId, number: interaction.Number },
      item: { ...whose, ...interaction },
    }));
}
