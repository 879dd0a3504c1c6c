import Type from 'typebox';
import { run } from '../../db/transaction.ts';
import { Fields, Nullable } from '../../http/validation/schema.ts';
import type { Context } from '../../infra/context/context.ts';
import { readRelease } from '../catalogue/releases.ts';
import { Release } from '../catalogue/schemas.ts';

/** The maximum for a plan, because visiting a million enrolments takes seconds. */
const maxVisited = 100_000;

const Count = (description: string) => Type.Integer({ minimum: 0, description });

/** A release that was set as current, or its plan. */
export const ReleaseEffect = Fields(
  {
    ...Release.properties,
    Affected: Nullable(
      Fields(
        {
          NotStarted: Count(
            'Learners who get this release on their next launch, because they have not started or because that launch starts another attempt.',
          ),
          InProgress: Count(
            'Learners who have started but not completed the course. They stay on the release that they started.',
          ),
          Completed: Count(
            'Learners who have completed the course. They keep their release and their results.',
          ),
          More: Type.Boolean({
            description: `true if the course has more enrolments than the ${maxVisited} that were read, so the actual numbers may be higher.`,
          }),
        },
        {
          description:
            'In a plan, the learners of all tenants whose enrolments have not ended; null after the change.',
        },
      ),
    ),
  },
  { title: 'ReleaseEffect' },
);
export type ReleaseEffect = Type.Static<typeof ReleaseEffect>;

type Key = [durationId: string, tenantId: string, enrollId: string];
type Batch = { not_started: number; in_progress: number; completed: number; visited: number; key: Key };

export const beforeAll: Key = ['', '', '00000000-0000-0000-0000-000000000000'];

const key = 'held.duration_id, held.tenant_id, held.enroll_id';
const isCurrent = 'held.ended_at is null';

/**
 * Counts the next enrolments of the course $1 in the order of their index. An enrolment gets its release when it is
 * launched.
 */
const countText = `/* across tenants: a release affects the learners of all tenants */
select held.visited, array[held.duration_id, held.tenant_id, held.enroll_id::text] as key,
  (count(*) filter (where ${isCurrent} and held.release_id is null) over ())::integer as not_started,
  (count(*) filter (where ${isCurrent} and held.release_id is not null and held.status <> 'completed') over ())::integer
    as in_progress,
  (count(*) filter (where ${isCurrent} and held.release_id is not null and held.status = 'completed') over ())::integer
    as completed
from (
  select ${key}, held.release_id, held.status, held.ended_at,
    row_number() over (order by ${key}) as visited
  from (
    select ${key}, held.release_id, held.status, held.ended_at from enrolment held
    where held.course_id = $1 and (${key}) > ($2, $3, $4::uuid)
    order by ${key} limit $5
  ) held
) held order by held.visited desc limit 1`;

/** The rows of one statement. Other tenants have their turns in between. */
const batchRows = 1_000;

/** Counts at most `rows` enrolments after this one. */
export const countStatement = (courseId: string, after: Key, rows: number) => ({
  text: countText,
  values: [courseId, ...after, rows],
});

/** Counts the enrolments that a new current release affects, in all tenants. */
export async function countAffected(
  ctx: Context,
  courseId: string,
  rows = batchRows,
): Promise<NonNullable<ReleaseEffect['Affected']>> {
  const total = { NotStarted: 0, InProgress: 0, Completed: 0 };
  let after = beforeAll;
  for (let visited = 0; visited < maxVisited; visited += rows) {
    const { text, values } = countStatement(courseId, after, rows);
    const [batch] = await run<Batch>(ctx, text, values);
    total.NotStarted += batch?.not_started ?? 0;
    total.InProgress += batch?.in_progress ?? 0;
    total.Completed += batch?.completed ?? 0;
    if (!batch || Number(batch.visited) < rows) return { ...total, More: false };
    after = batch.key;
  }
  return { ...total, More: true };
}

/** Returns the release as if it were current, and how many learners that would affect. Changes nothing. */
export async function planRelease(
  ctx: Context,
  input: { courseId: string; release: number },
): Promise<ReleaseEffect> {
  const release = await readRelease(ctx, input);
  return { ...release, Current: true, Affected: await countAffected(ctx, input.courseId) };
}
