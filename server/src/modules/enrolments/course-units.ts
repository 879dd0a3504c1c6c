import { type Interaction, interactionsOf } from '../../../../standards/interactions.ts';
import { findUnit } from '../../../../standards/results.ts';
import type { RunTimeData } from '../../../../standards/types.ts';
import { tenantNow } from '../../platform/clocks.ts';
import type { TenantContext } from '../../platform/context.ts';
import { readRows } from '../../platform/db/page.ts';
import { run } from '../../platform/db/transaction.ts';
import { foreignCursor } from '../../platform/http/pagination.ts';
import { isId } from '../../platform/ids.ts';
import { playableContent } from '../catalogue/playable.ts';
import { conditionsOf } from './list-filter.ts';

/**
 * The last interaction that was read. If `number` is null, the whole unit was read. If `attempt`
 * and `unitId` are also null, the whole enrolment was read.
 */
export type Position = {
  enrollId: string;
  attempt: number | null;
  unitId: string | null;
  number: number | null;
};

/** A unit that a learner opened in the current or an earlier attempt. */
export type AnsweredUnit = {
  enrollId: string;
  loginId: string;
  attempt: number;
  unitId: string;
  unitTitle: string | null;
  interactions: Interaction[];
};

type Owner = { enroll_id: string; login_id: string; release_id: string | null; attempt_number: number };
type Sized = { enroll_id: string; number: number; unit_id: string; bytes: number };
type WithData = Omit<Sized, 'bytes'> & { data: RunTimeData; release_id: string | null };

export type Bounds = { enrolments: number; units: number; bytes: number };

/**
 * Reads the sizes of the units first, so that a page can stop at a limit in bytes. The units start
 * at the position `from_number`, `from_unit`. `skip` excludes the unit at that position.
 */
const sizesText = `
select begun.enroll_id, begun.number, begun.unit_id, begun.bytes
from unnest($2::uuid[], $3::integer[], $4::integer[], $5::text[], $6::text[], $7::boolean[])
  with ordinality as wanted (enroll_id, current_number, from_number, from_unit, from_current, skip, n)
cross join lateral (
  (select own.enroll_id, own.number, own.unit_id, own.bytes from earlier_unit own
  where own.tenant_id = $1 and own.enroll_id = wanted.enroll_id
    and (own.number, own.unit_id) >= (wanted.from_number, wanted.from_unit)
    and not (wanted.skip and own.number = wanted.from_number and own.unit_id = wanted.from_unit)
  order by own.number, own.unit_id limit $8)
  union all
  (select own.enroll_id, wanted.current_number as number, own.unit_id, own.bytes from attempt_unit own
  where own.tenant_id = $1 and own.enroll_id = wanted.enroll_id
    and own.unit_id >= wanted.from_current
    and not (wanted.skip and own.unit_id = wanted.from_current)
  order by own.unit_id limit $8)
) begun order by wanted.n, begun.number, begun.unit_id limit $8`;

const dataText = `
select unit.enroll_id, unit.number, unit.unit_id, unit.data, unit.release_id
from unnest($2::uuid[], $3::integer[], $4::text[], $5::boolean[]) as wanted (enroll_id, number, unit_id, is_current)
cross join lateral (
  (select own.enroll_id, wanted.number as number, own.unit_id, own.data, null::uuid as release_id from attempt_unit own
  where own.tenant_id = $1 and own.enroll_id = wanted.enroll_id and own.unit_id = wanted.unit_id and wanted.is_current
  limit 1)
  union all
  (select own.enroll_id, own.number, own.unit_id, own.data, attempt.release_id from earlier_unit own
  join earlier_attempt attempt
    on attempt.tenant_id = $1 and attempt.enroll_id = own.enroll_id and attempt.number = own.number
  where own.tenant_id = $1 and own.enroll_id = wanted.enroll_id and own.number = wanted.number
    and own.unit_id = wanted.unit_id and not wanted.is_current
  limit 1)
) unit`;

/** Reads the next units with their interactions, ordered by enrolment, attempt and unit. */
export async function readAnsweredUnits(
  ctx: TenantContext,
  { courseId, after, max }: { courseId: string; after: Position | null; max: Bounds },
): Promise<{ units: AnsweredUnit[]; stop: Position | null }> {
  const { owners, end } = await readOwners(ctx, courseId, after, max.enrolments);
  const sizes = await readSizes(ctx, owners, after, max.units);
  const chosen = withinBytes(sizes, max.bytes);
  const last = chosen.at(-1);
  const isCut = last && (chosen.length < sizes.length || sizes.length === max.units);
  const stop = isCut
    ? { enrollId: last.enroll_id, attempt: last.number, unitId: last.unit_id, number: null }
    : end;
  return { units: await readUnits(ctx, owners, chosen), stop };
}

function readSizes(
  ctx: TenantContext,
  owners: readonly Owner[],
  after: Position | null,
  maxUnits: number,
): Promise<Sized[]> {
  const from = owners.map(({ enroll_id }) => (enroll_id === after?.enrollId ? after : null));
  const values = [
    ctx.tenantId,
    owners.map(({ enroll_id }) => enroll_id),
    owners.map(({ attempt_number }) => attempt_number),
    from.map((position) => position?.attempt ?? 0),
    from.map((position) => position?.unitId ?? ''),
    owners.map(({ attempt_number }, n) =>
      from[n]?.attempt === attempt_number ? (from[n]?.unitId ?? '') : '',
    ),
    from.map((position) => position !== null && position.number === null),
    maxUnits,
  ];
  return run<Sized>(ctx, { name: 'size_answered_units', text: sizesText, values });
}

async function readUnits(
  ctx: TenantContext,
  owners: readonly Owner[],
  chosen: readonly Sized[],
): Promise<AnsweredUnit[]> {
  const known = new Map(owners.map((owner) => [owner.enroll_id, owner]));
  const values = [
    ctx.tenantId,
    chosen.map(({ enroll_id }) => enroll_id),
    chosen.map(({ number }) => number),
    chosen.map(({ unit_id }) => unit_id),
    chosen.map(({ enroll_id, number }) => known.get(enroll_id)?.attempt_number === number),
  ];
  const found = await run<WithData>(ctx, { name: 'read_answered_units', text: dataText, values });
  const rows = new Map(found.map((row) => [keyOf(row), row]));
  const units: AnsweredUnit[] = [];
  for (const { enroll_id, number, unit_id } of chosen) {
    const owner = known.get(enroll_id);
    // A new attempt or an erasure may have moved the row in the meantime.
    const row = rows.get(keyOf({ enroll_id, number, unit_id }));
    if (!owner || !row) continue;
    const isCurrent = owner.attempt_number === number;
    const { standard, tree } = await playableContent(ctx, isCurrent ? owner.release_id : row.release_id);
    units.push({
      ...{ enrollId: enroll_id, loginId: owner.login_id, attempt: number, unitId: unit_id },
      unitTitle: findUnit(tree.Units, unit_id)?.Title ?? null,
      interactions: interactionsOf(standard, row.data),
    });
  }
  return units;
}

const keyOf = ({ enroll_id, number, unit_id }: Omit<Sized, 'bytes'>) => `${enroll_id} ${number} ${unit_id}`;

/**
 * Returns the enrolments to read, starting with the one in which the last page ended. `end` is the
 * position after them, or null if no more follow.
 */
async function readOwners(
  ctx: TenantContext,
  courseId: string,
  after: Position | null,
  wanted: number,
): Promise<{ owners: Owner[]; end: Position | null }> {
  const from = after && (after.unitId === null ? after.enrollId : previousId(after.enrollId));
  const list = {
    rows: 'enrolment held where held.tenant_id = $1',
    values: [ctx.tenantId],
    where: conditionsOf({ CourseID: courseId }, tenantNow(ctx)),
    key: ['enroll_id'],
    after: from === null ? null : [from],
    show: (page: string) => `
select held.*, known.login_id from (${page}) held
left join "user" known on known.tenant_id = $1 and known.user_id = held.user_id`,
  };
  const rows = await readRows<Owner>(ctx, list, wanted + 1);
  const owners = rows.slice(0, wanted);
  const last = rows.length > wanted ? owners.at(-1) : undefined;
  return {
    owners,
    end: last ? { enrollId: last.enroll_id, attempt: null, unitId: null, number: null } : null,
  };
}

/** Returns the ID immediately before `id`: a cursor after which a list starts with `id`. */
function previousId(id: string): string {
  const before = (BigInt(`0x${id.replaceAll('-', '')}`) - 1n).toString(16).padStart(32, '0');
  return before.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Returns the first units whose data fits on a page, and always at least one. */
function withinBytes(sizes: readonly Sized[], maxBytes: number): Sized[] {
  let total = 0;
  const end = sizes.findIndex(({ bytes }, index) => {
    total += bytes;
    return index > 0 && total > maxBytes;
  });
  return end < 0 ? [...sizes] : sizes.slice(0, end);
}

export const writePosition = ({ enrollId, attempt, unitId, number }: Position) =>
  JSON.stringify([enrollId, attempt, unitId, number]);

export function readPosition(cursor: string | null): Position | null {
  if (cursor === null) return null;
  try {
    const [enrollId, attempt, unitId, number] = JSON.parse(cursor);
    const isUnit =
      unitId === null
        ? attempt === null
        : typeof unitId === 'string' && unitId.length <= 4096 && isCount(attempt);
    if (isId(enrollId) && isUnit && (number === null || isCount(number)))
      return { enrollId, attempt, unitId, number };
  } catch {}
  throw foreignCursor();
}

const isCount = (value: unknown) => Number.isInteger(value) && Math.abs(Number(value)) < 1e9;
