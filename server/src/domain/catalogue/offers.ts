import { run } from '../../db/transaction.ts';
import { pageLimit, toPage, withCount } from '../../http/pagination.ts';
import { recordOf } from '../../http/records.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { isInGroups } from '../users/groups.ts';
import {
  type CourseRow,
  countCourses,
  filterCourses,
  optionsOf,
  selectCourses,
  standardOf,
} from './courses.ts';
import { type OptionRow, toOption } from './options.ts';
import { Course, type OfferQuery } from './schemas.ts';

/** SQL condition: the course is offered to the tenant. Only the operator sees drafts. */
export function isOffered(course: string, tenant: string): string {
  return `(${course}.status <> 'draft' and (${course}.tenants is null or ${tenant} = any(${course}.tenants)))`;
}

/** SQL condition: the user, an alias of its table, can choose the option of an offered course. */
export function isSelectable(option: string, user: string): string {
  return `(${option}.status = 'published' and (${option}.groups is null or ${isInGroups(user, `${option}.groups`)}))`;
}

export function toCourse(row: CourseRow, options: Omit<OptionRow, 'created_at' | 'updated_at'>[]): Course {
  return recordOf(Course, row, {
    Standard: standardOf(row),
    Release: row.release_number,
    AvailableEnrolOptions: options.map(toOption),
  });
}

type Groups = { groups: string[] | null };

/** Keeps only the given groups. The other groups may be customers that the tenant must not know about. */
export function withGroups<Option extends Groups>(options: Option[], known: ReadonlySet<string>): Option[] {
  return options.map((option) => ({
    ...option,
    groups: option.groups?.filter((group) => known.has(group)) ?? null,
  }));
}

const ownGroups = `
select named.name from unnest($2::text[]) as named (name)
where exists (select from "user" known where known.tenant_id = $1 and known.group_name = named.name)
  or exists (select from user_group known where known.tenant_id = $1 and known.group_name = named.name)`;

/** The options' groups that have users of this tenant. */
async function readOwnGroups(ctx: TenantContext, options: Groups[]): Promise<Set<string>> {
  const named = [...new Set(options.flatMap(({ groups }) => groups ?? []))];
  if (named.length === 0) return new Set();
  const rows = await run<{ name: string }>(ctx, ownGroups, [ctx.tenantId, named]);
  return new Set(rows.map(({ name }) => name));
}

/** The courses that the tenant sees, if asked for with its own drafts. */
export function selectOffered(ctx: TenantContext, { Drafts = false }: Pick<OfferQuery, 'Drafts'> = {}) {
  return selectCourses(ctx)
    .where((where) =>
      where.or([
        where('course.status', '<>', 'draft'),
        ...(Drafts ? [where('course.owner_tenant_id', '=', ctx.tenantId)] : []),
      ]),
    )
    .where((where) =>
      where.or([
        where('course.tenants', 'is', null),
        where(where.val(ctx.tenantId), '=', where.fn.any('course.tenants')),
      ]),
    );
}

export async function listOfferedCourses(ctx: TenantContext, input: OfferQuery) {
  const limit = pageLimit(input);
  const offered = selectOffered(ctx, input);
  const rows = await filterCourses(offered, input).execute();
  const all = await optionsOf(
    ctx,
    rows.map((row) => row.course_id),
  );
  const published = all.filter((option) => option.status === 'published');
  const options = withGroups(published, await readOwnGroups(ctx, published));
  const page = toPage(
    rows,
    limit,
    (row) => row.course_id,
    (row) =>
      toCourse(
        row,
        options.filter((option) => option.course_id === row.course_id),
      ),
  );
  return withCount(input, page, () => countCourses(ctx, offered, input));
}
