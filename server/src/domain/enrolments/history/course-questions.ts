import { type Interaction, interactionsOf } from '../../../../../standards/interactions.ts';
import { findUnit } from '../../../../../standards/results.ts';
import type { RunTimeData } from '../../../../../standards/types.ts';
import { readRows } from '../../../db/page.ts';
import { run } from '../../../db/transaction.ts';
import {
  foreignCursor,
  type PageQuery,
  pageLimit,
  readCursor,
  toCursor,
  toPage,
} from '../../../http/pagination.ts';
import { type TenantContext, tenantNow } from '../../../infra/context/context.ts';
import { isId } from '../../../lib/ids.ts';
import { playableContent } from '../../catalogue/playable.ts';
import { conditionsOf } from '../record/list-filter.ts';
import type { CourseInteraction, CourseQuestion, CourseQuestions } from './activity-schemas.ts';

/**
 * The last interaction that was read. If `number` is null, the whole unit was read. If `attempt`
 * and `unitId` are also null, the whole enrolment was read.
 */
type Position = {
  enrollId: string;
  attempt: number | null;
  unitId: string | null;
  number: number | null;
};

/** A unit that a learner opened in the current or an earlier attempt. */
type AnsweredUnit = {
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

type Bounds = { enrolments: number; units: number; bytes: number };

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
async function readAnsweredUnits(
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
  return run<Sized>(ctx, sizesText, values);
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
  const found = await run<WithData>(ctx, dataText, values);
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

const writePosition = ({ enrollId, attempt, unitId, number }: Position) =>
  JSON.stringify([enrollId, attempt, unitId, number]);

function readPosition(cursor: string | null): Position | null {
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

type Row = { position: Position; item: CourseInteraction | null };

const interactionLimits = { enrolments: 25, units: 200, bytes: 1024 ** 2 };

/** Returns the interactions of all learners of a tenant on a course, ordered by enrolment, attempt and unit. */
export async function listCourseInteractions(ctx: TenantContext, input: PageQuery & { courseId: string }) {
  const { courseId } = input;
  const after = readPosition(readCursor(input));
  const { units, stop } = await readAnsweredUnits(ctx, { courseId, after, max: interactionLimits });
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

/** With more than 50 enrolments, the planner reads and sorts all of a course's enrolments. */
const questionLimits = { enrolments: 50, units: 400, bytes: 1024 ** 2 };

/** Maximum number of questions per response and per unit. Further questions of a unit are omitted. */
const maxQuestions = 1_000;

/** For a question with many different answers, such as a free-text question, only the most frequent are shown. */
const maxResponses = 10;

type Tally = {
  question: Omit<
    CourseQuestion,
    'Answers' | 'Correct' | 'Incorrect' | 'Timed' | 'LatencySeconds' | 'Responses'
  >;
  results: (string | null)[];
  latencies: number[];
  responses: Map<string, number>;
};

/**
 * Counts the answers to each question of a course in all attempts. A request covers a limited
 * number of enrolments and bytes, so clients add up the results of all pages.
 */
export async function readCourseQuestions(
  ctx: TenantContext,
  input: Pick<PageQuery, 'Cursor'> & { courseId: string },
): Promise<CourseQuestions> {
  const after = readPosition(readCursor(input));
  const { units, stop } = await readAnsweredUnits(ctx, {
    courseId: input.courseId,
    after,
    max: questionLimits,
  });
  const tallies = new Map<string, Tally>();
  let counted: Position | null = null;
  for (const unit of units) {
    const answers = lastAnswers(unit);
    if (counted && tallies.size + answers.length > maxQuestions) return toQuestions(tallies, counted);
    for (const answer of answers) count(tallies, unit, answer);
    counted = { enrollId: unit.enrollId, attempt: unit.attempt, unitId: unit.unitId, number: null };
  }
  return toQuestions(tallies, stop);
}

function toQuestions(tallies: ReadonlyMap<string, Tally>, stop: Position | null): CourseQuestions {
  const Questions = [...tallies.values()].map(toQuestion);
  return { Questions, NextCursor: stop && toCursor(writePosition(stop)) };
}

/** Content may record a question each time it is answered. Only the last answer in an attempt counts. */
function lastAnswers({ interactions }: AnsweredUnit): Interaction[] {
  const last = new Map(interactions.map((each) => [each.InteractionID, each]));
  return [...last.values()].slice(0, maxQuestions);
}

function count(tallies: Map<string, Tally>, { unitId, unitTitle }: AnsweredUnit, answer: Interaction): void {
  const { InteractionID, Type, Description, CorrectResponses, Result, LatencySeconds, Response } = answer;
  const key = JSON.stringify([unitId, InteractionID]);
  const question = {
    UnitID: unitId,
    UnitTitle: unitTitle,
    InteractionID,
    Type,
    Description,
    CorrectResponses,
  };
  const tally: Tally = tallies.get(key) ?? { question, results: [], latencies: [], responses: new Map() };
  tallies.set(key, { ...tally, question });
  tally.results.push(Result);
  if (LatencySeconds !== null) tally.latencies.push(LatencySeconds);
  if (Response !== null) tally.responses.set(Response, (tally.responses.get(Response) ?? 0) + 1);
}

function toQuestion({ question, results, latencies, responses }: Tally): CourseQuestion {
  const total = latencies.reduce((sum, seconds) => sum + seconds, 0);
  const frequent = [...responses].sort(([, one], [, other]) => other - one).slice(0, maxResponses);
  return {
    ...question,
    Answers: results.length,
    Correct: results.filter((result) => result === 'correct').length,
    Incorrect: results.filter((result) => result === 'incorrect').length,
    Timed: latencies.length,
    LatencySeconds: latencies.length === 0 ? null : Math.round((total / latencies.length) * 100) / 100,
    Responses: frequent.map(([Response, Answers]) => ({ Response, Answers })),
  };
}
