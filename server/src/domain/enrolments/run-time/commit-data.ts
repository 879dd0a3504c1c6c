import { interval, timestamp } from '../../../../../scorm/data-model/values.ts';
import type { Course } from '../../../../../scorm/sequencing/course.ts';
import type { Shared } from '../../../../../scorm/sequencing/session.ts';
import { isSco } from '../../../../../standards/assets.ts';
import {
  type Claim,
  type NextResults,
  type Played,
  type Results,
  resultsWith,
} from '../../../../../standards/results.ts';
import { fitsUnit, storageLimits } from '../../../../../standards/storage-limits.ts';
import { traits } from '../../../../../standards/traits.ts';
import { sharedIn, sharedPart } from '../../../../../standards/tree-state.ts';
import type { RunTimeData, Standard, Unit } from '../../../../../standards/types.ts';
import { run } from '../../../db/transaction.ts';
import type { TenantContext } from '../../../infra/context/context.ts';
import { sha256 } from '../../../lib/ids.ts';

/** What the content does differently from its standard or manifest, although it counts. */
export function acceptedDeviations(standard: Standard, unit: Unit, data: RunTimeData): string[] {
  const isAsset = unit.Kind === 'asset' && traits[standard].reports === 'api' && isSco(unit, data);
  const time = traits[standard].model === 'scorm2004' ? impreciseTime(data) : null;
  return [
    ...(isAsset
      ? ['The manifest declares this page as an asset, but it uses the run-time API. It is treated as a SCO.']
      : []),
    ...(time ? [`${time[0]} is "${time[1]}", which is more precise than SCORM 2004 allows. It counts.`] : []),
  ];
}

/** The first one is enough, because content writes all its times in the same way. */
function impreciseTime(data: RunTimeData): [name: string, value: string] | null {
  for (const name in data) {
    const check = /\.timestamp$/.test(name)
      ? timestamp
      : /(?:latency|session_time)$/.test(name)
        ? interval
        : null;
    const value = data[name] ?? '';
    if (check && typeof check(value) === 'object') return [name, value];
  }
  return null;
}

/** Maximum number of other courses to read. The most recently used ones are read first. */
const maxCourses = 20;

type Row = { shared: string };

/**
 * Conditions must not read the contents of `shared`, because the database would decompress them for all of
 * the learner's enrolments. A comparison with an empty string does not read them.
 */
const text = `
select attempt.shared
from enrolment join attempt on attempt.tenant_id = $1 and attempt.enroll_id = enrolment.enroll_id
where enrolment.tenant_id = $1 and enrolment.user_id = $2 and enrolment.course_id <> $3
  and attempt.shared <> ''
order by enrolment.last_accessed_at desc nulls last limit ${maxCourses}`;

/** Returns the data that a commit shares with the learner's other courses. Returns null if there is no tree state. */
export function sharedBy(course: Course | null, treeState: string | null): string | null {
  if (treeState === null) return null;
  return course ? sharedPart(course, treeState) : '';
}

/**
 * Reads the data that the learner's other courses share with this one (SCORM 2004
 * `objectivesGlobalToSystem`). Ignores other enrolments on the same course, because a renewed
 * enrolment starts from the beginning.
 */
export async function readShared(
  ctx: TenantContext,
  { userId, courseId, course }: { userId: string; courseId: string; course: Course | null },
): Promise<Required<Shared>> {
  if (!course || !readsSharedData(course)) return { globals: [], buckets: [] };
  const rows = await run<Row>(ctx, text, [ctx.tenantId, userId, courseId]);
  return sharedIn(
    course,
    rows.reverse().map(({ shared }) => shared),
  );
}

const readsSharedData = ({ shared: { read } }: Course) => read.objectives.size + read.buckets.size > 0;

export const unsupportedWarning =
  'The page claimed a better result for the course than its data supports. Only the result that the data supports counts.';

/**
 * Returns the results after a commit. If a result has no other explanation, reads the values that the
 * learner's other courses share and evaluates the result again.
 */
export async function checkedResults(
  ctx: TenantContext,
  owner: { user_id: string; course_id: string },
  { played, reached, claim }: { played: Played; reached: Results; claim: Claim },
): Promise<NextResults> {
  const results = resultsWith(played, reached, claim);
  if (results.unsupported === null || !played.course) return results;
  const of = { userId: owner.user_id, courseId: owner.course_id, course: played.course };
  const { globals } = await readShared(ctx, of);
  if (globals.length === 0) return results;
  return resultsWith(played, reached, { ...claim, shared: globals });
}

const { unitElements, valueCharacters, unitBytes, enrolmentBytes } = storageLimits;

export const notStoredReason = `a unit can store at most ${unitElements} elements with ${valueCharacters} characters each and ${unitBytes / 1e6} MB in total, and all units of an enrolment ${enrolmentBytes / 1024 ** 2} MiB`;
export const notStoredWarning = `The run-time data was not stored: ${notStoredReason}. The result counts.`;

type Content = {
  unitId: string;
  data: RunTimeData;
  treeState: string | null;
  root: unknown;
  exit: boolean;
};

/**
 * The hash that identifies a repeated commit, and its data as JSON, with its size. 132 bits are enough to distinguish a
 * launch's commits.
 */
export function measure({ unitId, data, treeState, root, exit }: Content): {
  bodyHash: string;
  bytes: number;
  json: string;
} {
  const json = JSON.stringify(data);
  const rest = JSON.stringify([treeState, root, exit]);
  const bodyHash = sha256(`[${JSON.stringify(unitId)},${json},${rest.slice(1)}`).slice(0, 22);
  return { bodyHash, bytes: Buffer.byteLength(json), json };
}

/** Whether a unit's data fits into the limits, given the sizes of the other units' data. */
export function fits(
  { data, bytes }: { data: RunTimeData; bytes: number },
  others: Readonly<Record<string, number>>,
): boolean {
  const total = Object.values(others).reduce((sum, size) => sum + size, bytes);
  return total <= enrolmentBytes && fitsUnit(data, bytes);
}

export function reportNotStored(
  ctx: TenantContext,
  { enrollId, unitId }: { enrollId: string; unitId: string },
): void {
  ctx.counters.commitsWithoutData.inc();
  const unit = { tenant: ctx.tenantId, enrolment: enrollId, unit: unitId };
  ctx.log.warn(unit, 'not all data of a unit was stored, but its result was');
}
