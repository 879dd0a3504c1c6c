import { interactionsOf } from '../../../../standards/activity.ts';
import { findUnit } from '../../../../standards/results.ts';
import type { RunTimeData } from '../../../../standards/types.ts';
import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import { visitRows } from '../../platform/db/visits.ts';
import {
  foreignCursor,
  type PageQuery,
  pageLimit,
  readCursor,
  toPage,
} from '../../platform/http/pagination.ts';
import { isId } from '../../platform/ids.ts';
import { playedBy } from '../catalogue/playable.ts';
import type { CourseInteraction } from './activity-schemas.ts';
import { accessPathsOf, filterSql } from './list-filter.ts';

/**
 * How far the list has been read: the unit and the number of its last interaction. Null: the whole unit, or the whole
 * enrolment.
 */
type Position = { enrollId: string; unitId: string | null; number: number | null };
type Row = { position: Position; item: CourseInteraction | null };
type Owner = { enroll_id: string; login_id: string; release_id: string | null };
type Sized = { enroll_id: string; unit_id: string; bytes: number };
type WithData = { enroll_id: string; unit_id: string; data: RunTimeData };

/** Maximum enrolments and units that one page visits, and bytes of run-time data that it reads. */
const max = { enrolments: 25, units: 200, bytes: 1024 ** 2 };

/**
 * The units of the given enrolments after a position. Their sizes are read first, so that a page reads about 1 MiB of
 * data, however much there is.
 */
const sizesText = `
select begun.enroll_id, begun.unit_id, begun.bytes
from unnest($2::uuid[]) with ordinality as wanted (enroll_id, n)
cross join lateral (
  select unit.enroll_id, unit.unit_id, unit.bytes from attempt_unit unit
  where unit.tenant_id = $1 and unit.enroll_id = wanted.enroll_id
    and ($3::text is null or wanted.n > 1 or unit.unit_id > $3 or (unit.unit_id = $3 and $4)) order by unit.unit_id limit ${max.units}
) begun order by wanted.n, begun.unit_id limit ${max.units}`;

const dataText = `
select unit.enroll_id, unit.unit_id, unit.data
from unnest($2::uuid[], $3::text[]) as wanted (enroll_id, unit_id)
cross join lateral (
  select own.* from attempt_unit own
  where own.tenant_id = $1 and own.enroll_id = wanted.enroll_id and own.unit_id = wanted.unit_id limit 1
) unit`;

/** The interactions of all of a tenant's learners of a course, in the order of their enrolments and units. */
export async function listCourseInteractions(ctx: TenantContext, input: PageQuery & { courseId: string }) {
  const limit = pageLimit(input);
  const after = readPosition(readCursor(input));
  const { owners, end } = await readOwners(ctx, input.courseId, after);
  const ids = owners.map(({ enroll_id }) => enroll_id);
  const begun = after !== null && ids[0] === after.enrollId ? after : null;
  const sizes = await run<Sized>(ctx, {
    name: 'size_interactions',
    text: sizesText,
    values: [ctx.tenantId, ids, begun?.unitId ?? null, begun !== null && begun.number !== null],
  });
  const chosen = withinBytes(sizes);
  const rows = await interactionRows(ctx, owners, chosen, after);
  const lastUnit = chosen.at(-1);
  const isCut = lastUnit && (chosen.length < sizes.length || sizes.length === max.units);
  const stop = isCut ? { enrollId: lastUnit.enroll_id, unitId: lastUnit.unit_id, number: null } : end;
  const key = ({ position: { enrollId, unitId, number } }: Row) => JSON.stringify([enrollId, unitId, number]);
  return toPage(
    rows,
    limit,
    key,
    ({ item }) => item as CourseInteraction,
    stop && { position: stop, item: null },
  );
}

/**
 * The enrolments to visit, starting with the one in which the last page ended, and where the visit ends if there are
 * more.
 */
async function readOwners(ctx: TenantContext, courseId: string, after: Position | null) {
  const filter = { CourseID: courseId };
  const from = after && (after.unitId === null ? after.enrollId : previousId(after.enrollId));
  const { rows, end } = await visitRows<Owner>(ctx, {
    rows: 'enrolment held where held.tenant_id = $1',
    values: [ctx.tenantId],
    key: ['enroll_id'],
    after: from === null ? null : [from],
    accessPaths: accessPathsOf(filter, { now: ctx.now(), overdue: null }),
    filter: (parameters) => filterSql(filter, ctx.now(), parameters),
    show: (page) => `
select held.*, known.login_id from (${page}) held
left join "user" known on known.tenant_id = $1 and known.user_id = held.user_id`,
    wanted: max.enrolments,
  });
  const owners = rows.slice(0, max.enrolments);
  const last = rows.length > owners.length ? owners.at(-1) : end;
  return { owners, end: last ? { enrollId: last.enroll_id, unitId: null, number: null } : null };
}

/** The ID before this one, so that a list after it begins with this one. */
function previousId(id: string): string {
  const before = (BigInt(`0x${id.replaceAll('-', '')}`) - 1n).toString(16).padStart(32, '0');
  return before.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The first units that together have about as much data as a page may read, but at least one. */
function withinBytes(sizes: readonly Sized[]): Sized[] {
  let total = 0;
  return sizes.filter(({ bytes }, index) => {
    total += bytes;
    return index === 0 || total <= max.bytes;
  });
}

async function interactionRows(
  ctx: TenantContext,
  owners: readonly Owner[],
  units: readonly Sized[],
  after: Position | null,
): Promise<Row[]> {
  const found = await run<WithData>(ctx, {
    name: 'read_interactions',
    text: dataText,
    values: [ctx.tenantId, units.map(({ enroll_id }) => enroll_id), units.map(({ unit_id }) => unit_id)],
  });
  const data = new Map(found.map((row) => [`${row.enroll_id} ${row.unit_id}`, row.data]));
  const known = new Map(owners.map((owner) => [owner.enroll_id, owner]));
  const rows: Row[] = [];
  for (const { enroll_id, unit_id } of units) {
    const owner = known.get(enroll_id);
    if (!owner) continue;
    const { standard, tree } = await playedBy(ctx, owner.release_id);
    const UnitTitle = findUnit(tree.Units, unit_id)?.Title ?? null;
    for (const interaction of interactionsOf(standard, data.get(`${enroll_id} ${unit_id}`) ?? {})) {
      const position = { enrollId: enroll_id, unitId: unit_id, number: interaction.Number };
      if (isRead(position, after)) continue;
      const whose = { EnrollID: enroll_id, LoginID: owner.login_id, UnitID: unit_id, UnitTitle };
      rows.push({ position, item: { ...whose, ...interaction } });
    }
  }
  return rows;
}

function isRead(one: Position & { number: number }, after: Position | null): boolean {
  return (
    one.enrollId === after?.enrollId &&
    one.unitId === after.unitId &&
    one.number <= (after.number ?? one.number)
  );
}

function readPosition(cursor: string | null): Position | null {
  if (cursor === null) return null;
  try {
    const [enrollId, unitId, number] = JSON.parse(cursor);
    const isUnit = unitId === null || (typeof unitId === 'string' && unitId.length <= 4096);
    const isNumber = number === null || (Number.isInteger(number) && Math.abs(number) < 1e9);
    if (isId(enrollId) && isUnit && isNumber) return { enrollId, unitId, number };
  } catch {}
  throw foreignCursor();
}
