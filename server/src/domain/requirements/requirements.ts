import { ownRows } from '../../db/own-rows.ts';
import { joinTransaction, run } from '../../db/transaction.ts';
import { type Order, type PageQuery, pageLimit, readCursor, toPage } from '../../http/pagination.ts';
import { recordOf } from '../../http/records.ts';
import { dryRun } from '../../infra/calls/dry-run.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { addPeriods, daysBetween, isDay, isMonthAndDay } from '../../lib/days.ts';
import { invalid, Problem } from '../../lib/errors.ts';
import { appendAudit } from '../audit/chain.ts';
import { optionsOf, selectCourses } from '../catalogue/courses.ts';
import { evaluateUsers } from './apply.ts';
import { appliesTo, type RuleRow, readRules } from './facts.ts';
import { beginToFollow, concernedUsers } from './follow.ts';
import { planOf } from './plan.ts';
import {
  maxPlanned,
  Requirement,
  type RequirementChange,
  type RequirementPlan,
  type Rule,
} from './schemas.ts';
import { hasTerm } from './terms.ts';

export const firstId = '00000000-0000-0000-0000-000000000000';

const defaults = {
  DueAfter: null,
  DueOn: null,
  ValidFor: null,
  Cycle: null,
  Window: null,
  CountsFrom: 'completion',
  CountsEarlier: true,
  DueSoonDays: 14,
  ExpiringDays: 30,
  DurationID: null,
  Reminders: null,
  RetainYears: null,
  Status: 'active',
} as const;

export function requirementNotFound(): Problem {
  return new Problem(
    'requirement_not_found',
    'The requirement does not exist. List the requirements with GET /requirement.',
    { param: 'RequirementID' },
  );
}

export const toRequirement = ({ requirement_id, rule, ...row }: RuleRow): Requirement =>
  recordOf(Requirement, row, {
    RequirementID: requirement_id,
    ...rule,
    Pending: row.pending_after !== null,
  });

export async function readRequirement(
  ctx: TenantContext,
  input: { requirementId: string },
): Promise<Requirement> {
  const [row] = await readRules(ctx, [input.requirementId]);
  if (!row) throw requirementNotFound();
  return toRequirement(row);
}

const listText = `
select held.* from requirement held
where held.tenant_id = $1 and ($2::text is null or held.requirement_id > $2)
  and ($3::text is null or held.rule ->> 'Status' = $3)
order by held.requirement_id limit $4`;

export async function listRequirements(ctx: TenantContext, input: PageQuery & Order & { Status?: string }) {
  const values = [ctx.tenantId, readCursor(input), input.Status ?? null, pageLimit(input) + 1];
  const rows = await run<RuleRow>(ctx, listText, values);
  return toPage(rows, pageLimit(input), (row) => row.requirement_id, toRequirement);
}

/** What is sent replaces its alternative: DueOn the stored DueAfter, and Cycle the stored ValidFor. */
function merged(stored: Rule | null, { Audience, ...sent }: RequirementChange): Rule {
  for (const [one, other] of [
    ['DueAfter', 'DueOn'],
    ['ValidFor', 'Cycle'],
  ] as const) {
    if (sent[one] != null && sent[other] != null)
      throw invalid(other, `Send ${one} or ${other}, but not both.`);
  }
  const replaced = {
    ...(sent.DueAfter != null && { DueOn: null }),
    ...(sent.DueOn != null && { DueAfter: null }),
    ...(sent.ValidFor != null && { Cycle: null }),
    ...(sent.Cycle != null && { ValidFor: null }),
  };
  const given = Audience && {
    ...Audience,
    ...(Audience.Attributes && {
      Attributes: Object.fromEntries(
        Object.entries(Audience.Attributes).map(([name, value]) => [name, [value].flat()]),
      ),
    }),
  };
  const all = { ...defaults, ...stored, ...replaced, ...sent, ...(given && { Audience: given }) };
  for (const name of ['Title', 'CourseIDs', 'Audience'] as const)
    if (all[name] === undefined) throw invalid(name, `${name} is missing. A new requirement needs it.`);
  // The cast is safe, because the members that have no default have just been checked.
  return all as Rule;
}

/** The fewest and the most days that a period can have. */
function lengthsOf(period: string): { min: number; max: number } {
  const starts = Array.from({ length: 48 }, (_, month) => addPeriods('2023-01-01', 'P1M', month + 1));
  const lengths = starts.map((start) => daysBetween(start, addPeriods(start, period)));
  return { min: Math.min(...lengths), max: Math.max(...lengths) };
}

function checkDates(rule: Rule): void {
  const { DueAfter, DueOn, ValidFor, Cycle, Window, CountsFrom, CountsEarlier } = rule;
  if (DueAfter === null && DueOn === null)
    throw invalid('DueAfter', 'Send DueAfter, such as P14D, or DueOn, such as 2026-12-31.');
  for (const [name, day] of Object.entries({ DueOn, CountsEarlier }))
    if (typeof day === 'string' && !isDay(day))
      throw invalid(
        name,
        `${name} is ${day}, which is not a day of the calendar. Send one such as 2026-12-31.`,
      );
  if (Cycle !== null && !isMonthAndDay(Cycle.On))
    throw invalid('Cycle', `On is ${Cycle.On}, which is not a month and a day. Send one such as 12-31.`);
  // The end of the certificate decides.
  if (!hasTerm(rule)) return;
  if (CountsFrom === 'expiry' && Cycle !== null)
    throw invalid(
      'CountsFrom',
      'A Cycle always counts from its fixed day. Leave CountsFrom out, or send ValidFor.',
    );
  const term = ValidFor === null ? (Cycle?.Years ?? 1) * 365 : lengthsOf(ValidFor).min;
  if (Window !== null && lengthsOf(Window).max >= term)
    throw invalid(
      'Window',
      `Window is ${Window}, but must be shorter than the term. Send a shorter one, such as P30D.`,
    );
  if (typeof CountsEarlier === 'string' && DueOn !== null && CountsEarlier > DueOn)
    throw invalid('CountsEarlier', 'Completions would count only after DueOn. Send an earlier day.');
}

async function checkCourses(ctx: TenantContext, { CourseIDs, DurationID }: Rule): Promise<void> {
  const courses = await selectCourses(ctx)
    .where((where) => where('course.course_id', '=', where.fn.any(where.val(CourseIDs))))
    .execute();
  for (const id of CourseIDs) {
    const course = courses.find(({ course_id }) => course_id === id);
    if (!course || course.status === 'draft' || (course.tenants && !course.tenants.includes(ctx.tenantId)))
      throw invalid('CourseIDs', `The course ${id} does not exist. Send courses of GET /catalogue/course.`);
  }
  const [first = ''] = CourseIDs;
  const options = (await optionsOf(ctx, [first])).filter(({ status }) => status === 'published');
  const known = options.map(({ duration_id }) => duration_id).join(', ');
  if (DurationID !== null && !options.some(({ duration_id }) => duration_id === DurationID))
    throw invalid(
      'DurationID',
      `The course ${first} has no enrolment option ${DurationID}. It has: ${known || 'none'}.`,
    );
  if (DurationID === null && options.length > 1)
    throw invalid('DurationID', `The course ${first} has several enrolment options. Send one of ${known}.`);
}

const endingText = `
select from course left join certificate_template own on own.tenant_id = $1 and own.course_id = course.course_id
cross join lateral (select coalesce(own.rule, course.certificate) as rule) valid
where course.course_id = any($2::text[]) and valid.rule ->> 'On' is not null
  and coalesce(valid.rule ->> 'ValidFor', valid.rule ->> 'ValidTo') is not null limit 1`;

/** Without a term of its own, the ends of certificates decide. */
async function checkWindow(ctx: TenantContext, rule: Rule): Promise<void> {
  if (rule.Window === null || hasTerm(rule)) return;
  const ending = await run(ctx, endingText, [ctx.tenantId, rule.CourseIDs]);
  if (ending.length === 0)
    throw invalid(
      'Window',
      'Window needs a term. Send ValidFor or Cycle, choose a course whose certificates end, or leave Window out.',
    );
}

const unknownText = `
select wanted.login_id from unnest($2::text[]) wanted (login_id) where not exists (
  select from "user" own where own.tenant_id = $1 and own.login_id = wanted.login_id
) limit 1`;

async function checkPeople(ctx: TenantContext, { Audience }: Rule): Promise<void> {
  const values = [ctx.tenantId, [...(Audience.LoginIDs ?? []), ...(Audience.Managers ?? [])]];
  const [unknown] = await run<{ login_id: string }>(ctx, unknownText, values);
  if (unknown)
    throw invalid(
      'Audience',
      `The user ${unknown.login_id} does not exist. Create them first, or leave them out.`,
    );
}

const opensText = `
select count(*)::integer as opens from requirement rule
join "user" own on own.tenant_id = $1
where rule.tenant_id = $1 and rule.requirement_id = $2 and ${appliesTo('own', 'rule')} and not exists (
  select from obligation held where held.tenant_id = $1 and held.user_id = own.user_id
    and held.requirement_id = rule.requirement_id and held.closed_at is null
)`;

async function countOpens(ctx: TenantContext, requirementId: string): Promise<number> {
  const [row] = await run<{ opens: number }>(ctx, opensText, [ctx.tenantId, requirementId]);
  return row?.opens ?? 0;
}

/** Above this number, the caller has to confirm. */
const maxUnconfirmed = 100;

/** Refuses a change that opens many obligations, unless the caller has sent their number. */
export function confirmed(count: number, confirm: number | undefined): void {
  if (count <= maxUnconfirmed || count === confirm) return;
  throw new Problem(
    'confirmation_required',
    `This opens ${count} obligations. Look at them with ?Plan=true, then send the request with ?Confirm=${count}.`,
    { param: 'Confirm', Count: count },
  );
}

const saveText = `
insert into requirement as held (tenant_id, requirement_id, rule, voided, pending_after, created_at, updated_at)
values ($1, $2, $3::jsonb, '[]', '${firstId}', $4, $4)
on conflict (tenant_id, requirement_id) do update
set rule = excluded.rule, pending_after = excluded.pending_after, updated_at = excluded.updated_at
returning held.*`;

async function save(ctx: TenantContext, requirementId: string, rule: Rule): Promise<RuleRow> {
  await beginToFollow(ctx);
  const values = [ctx.tenantId, requirementId, JSON.stringify(rule), tenantNow(ctx)];
  const [row] = await run<RuleRow>(ctx, saveText, values);
  if (!row) throw requirementNotFound();
  return row;
}

/** The requirement as stored, locked. The cast is safe: its columns are written only in this room. */
export const withLock = async (ctx: TenantContext, requirementId: string) =>
  (await ownRows(ctx, 'requirement', { requirement_id: requirementId })
    .selectAll()
    .forUpdate()
    .executeTakeFirst()) as RuleRow | undefined;

type Put = RequirementChange & { requirementId: string; Confirm?: number };

/** Validates and stores a requirement in the caller's transaction. */
async function change(ctx: TenantContext, { requirementId, Confirm: _, ...sent }: Put) {
  const stored = await withLock(ctx, requirementId);
  const before = stored?.rule ?? null;
  const rule = merged(before, sent);
  checkDates(rule);
  await checkWindow(ctx, rule);
  if (sent.CourseIDs !== undefined || sent.DurationID !== undefined || !before) await checkCourses(ctx, rule);
  if (sent.Audience !== undefined) await checkPeople(ctx, rule);
  const names = Object.keys(rule) as (keyof Rule)[];
  const changed = names.filter((name) => JSON.stringify(before?.[name]) !== JSON.stringify(rule[name]));
  if (stored && changed.length === 0) return { row: stored, changed, isNew: false };
  return { row: await save(ctx, requirementId, rule), changed, isNew: !stored };
}

/**
 * Creates or changes a requirement. Its users are evaluated right afterwards in batches, so a change for many people
 * survives a crash: each batch moves `pending_after` on.
 */
export function putRequirement(
  ctx: TenantContext,
  input: Put,
): Promise<{ requirement: Requirement; isNew: boolean }> {
  return joinTransaction(ctx, async (ctx) => {
    const { row, changed, isNew } = await change(ctx, input);
    if (changed.length > 0) {
      confirmed(await countOpens(ctx, input.requirementId), input.Confirm);
      await appendAudit(ctx, ctx.tenantId, {
        ...(isNew
          ? { action: 'requirement.created', data: {} }
          : { action: 'requirement.changed', data: { Changed: changed } }),
        targetId: input.requirementId,
      });
    }
    return { requirement: toRequirement(row), isNew };
  });
}

/** What a change of a requirement would cause. */
export function planRequirement(ctx: TenantContext, input: Put): Promise<RequirementPlan> {
  return dryRun(ctx, async (ctx) => {
    await change(ctx, input);
    return plannedChanges(ctx, input.requirementId, await countOpens(ctx, input.requirementId));
  });
}

const usersPerStep = 200;

/** The changes for the first users, in the caller's dry run. */
export async function plannedChanges(
  ctx: TenantContext,
  requirementId: string,
  Opens: number,
): Promise<RequirementPlan> {
  const Changes: RequirementPlan['Changes'] = [];
  for (let last = firstId; ; ) {
    const users = await concernedUsers(ctx, { requirementId, after: last, max: usersPerStep });
    const { evaluated } = await evaluateUsers(ctx, users, [requirementId]);
    Changes.push(...evaluated.flatMap(planOf(tenantNow(ctx))));
    if (users.length < usersPerStep)
      return { Opens, Changes: Changes.slice(0, maxPlanned), More: Changes.length > maxPlanned };
    if (Changes.length >= maxPlanned) return { Opens, Changes: Changes.slice(0, maxPlanned), More: true };
    last = users.at(-1) ?? last;
  }
}
