import { createHash } from 'node:crypto';
import { ownRows, updateOwn } from '../../../db/own-rows.ts';
import { run, transaction } from '../../../db/transaction.ts';
import type { TenantContext } from '../../../infra/context/context.ts';
import { columnsOf } from '../../imports/headings.ts';
import { discardPlan } from '../../imports/imports.ts';
import { storeImport } from '../../imports/start.ts';
import type { PlatformRow } from '../platforms.ts';
import { fetchMembers, type Member } from './fetch-members.ts';

/** A plan that would disable more waits for an administrator. */
const maxShare = 0.1;

type Course = { course_id: string; duration_id: string };
type ContextRow = { context_id: string; members_url: string };
type Read = ContextRow & { courses: Course[] } & (
    | { members: Member[]; problem: null }
    | { members: null; problem: string }
  );

/** The courses that were opened from a context, each with the option of the last launch. */
const findCourses = `
select distinct on (link.context_id, own.course_id) link.context_id, own.course_id, own.duration_id
from lti_link link
join enrolment own on own.tenant_id = $1 and own.enroll_id = link.enroll_id
where link.tenant_id = $1 and link.platform_id = $2 and link.context_id is not null
order by link.context_id, own.course_id, link.launched_at desc`;

async function readContexts(ctx: TenantContext, platform: PlatformRow): Promise<Read[]> {
  const values = [ctx.tenantId, platform.platform_id];
  const contexts = await ownRows(ctx, 'lti_context', { platform_id: platform.platform_id })
    .select(['context_id', 'members_url'])
    .orderBy('context_id')
    .execute();
  const courses =
    platform.members === 'enrolments'
      ? await run<Course & { context_id: string }>(ctx, findCourses, values)
      : [];
  const read: Read[] = [];
  for (const context of contexts) {
    const { platform_id: platformId, issuer } = platform;
    const own = { ...context, courses: courses.filter((one) => one.context_id === context.context_id) };
    read.push(
      await fetchMembers(ctx, { platformId, issuer, membersUrl: context.members_url }).then(
        (members) => ({ ...own, members, problem: null }),
        ({ message }: Error) => ({ ...own, members: null, problem: message.slice(0, 500) }),
      ),
    );
  }
  return read;
}

type Held = {
  context_id: string;
  login_id: string;
  details: string;
  is_present: boolean;
  is_disabled: boolean;
  import_id: string | null;
};

const keepMembers = `
insert into lti_member (tenant_id, platform_id, context_id, login_id, details, is_present, is_disabled, import_id)
select $1, $2, sent.context_id, sent.login_id, sent.details, sent.is_present, sent.is_disabled, sent.import_id
from jsonb_to_recordset($3::jsonb) as sent
  (context_id text, login_id text, details text, is_present boolean, is_disabled boolean, import_id uuid)
on conflict (tenant_id, platform_id, context_id, login_id) do update set details = excluded.details,
  is_present = excluded.is_present, is_disabled = excluded.is_disabled, import_id = excluded.import_id`;

/** Who has left all contexts of all platforms, and can still sign in. */
const findGone = `
select known.login_id from "user" known
where known.tenant_id = $1 and known.login_id = any($2::text[]) and known.enabled
  and not exists (select from lti_member own
    where own.tenant_id = $1 and own.login_id = known.login_id and own.is_present)`;

/** Enrolments that exist, also ended ones: whoever was withdrawn or has finished is not enrolled again. */
const findEnrolled = `
select known.login_id, own.course_id from "user" known
join enrolment own on own.tenant_id = $1 and own.user_id = known.user_id
where known.tenant_id = $1 and known.login_id = any($2::text[]) and own.course_id = any($3::text[])`;

const reportContexts = `
update lti_context held set read_at = $3, problem = sent.problem, members = coalesce(sent.members, held.members)
from jsonb_to_recordset($4::jsonb) as sent (context_id text, problem text, members integer)
where held.tenant_id = $1 and held.platform_id = $2 and held.context_id = sent.context_id`;

const hashOf = (member: Member, courses: readonly Course[]) =>
  createHash('sha256')
    .update(JSON.stringify([member, courses.map(({ course_id }) => course_id)]))
    .digest('base64url');

const keyOf = (contextId: string, loginId: string) => JSON.stringify([contextId, loginId]);

/** What has changed since the members were read the last time. */
function compare(read: readonly Read[], held: readonly Held[]) {
  const known = new Map(held.map((row) => [keyOf(row.context_id, row.login_id), row]));
  const disabled = new Set(held.flatMap((row) => (row.is_disabled ? [row.login_id] : [])));
  const kept: Held[] = [];
  const arrived: { member: Member; courses: Course[]; isBack: boolean }[] = [];
  for (const { context_id, courses, members } of read) {
    if (members === null) continue;
    for (const member of members) {
      const login_id = member.LoginID;
      const key = keyOf(context_id, login_id);
      const before = known.get(key);
      known.delete(key);
      const details = hashOf(member, courses);
      const isBack = disabled.has(login_id);
      if (before?.is_present && before.details === details && !isBack) continue;
      kept.push({ context_id, login_id, details, is_present: true, is_disabled: false, import_id: null });
      arrived.push({ member, courses, isBack });
    }
  }
  const back = new Set(arrived.flatMap(({ member, isBack }) => (isBack ? [member.LoginID] : [])));
  const isRead = new Set(read.flatMap(({ context_id, members }) => (members === null ? [] : [context_id])));
  const left = [...known.values()]
    .filter((row) => isRead.has(row.context_id) && (!row.is_disabled || back.has(row.login_id)))
    .map((row) => ({ ...row, is_present: false, is_disabled: false }));
  return { kept, arrived, left };
}

async function coursesToAdd(ctx: TenantContext, arrived: ReturnType<typeof compare>['arrived']) {
  const logins = [...new Set(arrived.map(({ member }) => member.LoginID))];
  const courses = [...new Set(arrived.flatMap(({ courses }) => courses.map(({ course_id }) => course_id)))];
  const rows = await run<{ login_id: string; course_id: string }>(ctx, findEnrolled, [
    ctx.tenantId,
    logins,
    courses,
  ]);
  const enrolled = new Set(rows.map((row) => keyOf(row.course_id, row.login_id)));
  return (loginId: string, { course_id }: Course) => {
    const key = keyOf(course_id, loginId);
    const isNew = !enrolled.has(key);
    enrolled.add(key);
    return isNew;
  };
}

/** The rows of an import: a row for each new course of a person, or one without a course. */
async function rowsOf(
  ctx: TenantContext,
  { arrived, gone }: { arrived: ReturnType<typeof compare>['arrived']; gone: readonly string[] },
): Promise<Record<string, string>[]> {
  const isToAdd = await coursesToAdd(ctx, arrived);
  const byLogin = Map.groupBy(arrived, ({ member }) => member.LoginID);
  const people = [...byLogin].flatMap(([loginId, own]) => {
    const person = { ...own[0]?.member, ...(own.some(({ isBack }) => isBack) && { Enabled: 'true' }) };
    const courses = own.flatMap(({ courses }) => courses).filter((course) => isToAdd(loginId, course));
    if (courses.length === 0) return [person];
    return courses.map((one) => ({ ...person, CourseID: one.course_id, DurationID: one.duration_id }));
  });
  return [...people, ...gone.map((LoginID) => ({ LoginID, Enabled: 'false' }))] as Record<string, string>[];
}

const columns = ['LoginID', 'FirstName', 'LastName', 'Email', 'Enabled', 'CourseID', 'DurationID'];

const findPlatform = (ctx: TenantContext, platformId: string) =>
  ownRows(ctx, 'lti_platform', { platform_id: platformId }).selectAll();

/**
 * Reads the members of all contexts of a platform and stores what has changed as an import, which applies it. False if
 * the last import is still being worked on. A context that cannot be read changes nobody.
 */
export async function syncPlatform(ctx: TenantContext, platformId: string): Promise<boolean> {
  const platform = await findPlatform(ctx, platformId).executeTakeFirst();
  if (!platform || platform.members === 'off') return true;
  if (await isBusy(ctx, platform.import_id)) return false;
  const read = await readContexts(ctx, platform);
  await transaction(ctx, async (ctx) => {
    const own = await findPlatform(ctx, platformId).forUpdate().executeTakeFirst();
    if (own?.import_id !== platform.import_id) return;
    await report(ctx, platformId, read);
    const held = await readHeld(ctx, platform);
    const changes = compare(read, held);
    await keep(ctx, platformId, [...changes.kept, ...changes.left]);
    const import_id = await storeChanges(ctx, platform, held, changes);
    await updateOwn(ctx, 'lti_platform', { platform_id: platformId })
      .set({ synced_at: ctx.now(), ...(import_id !== null && { import_id }) })
      .execute();
  });
  return true;
}

/** Stores for each context how many members were read, or why they could not be. */
async function report(ctx: TenantContext, platformId: string, read: readonly Read[]): Promise<void> {
  const reports = read.map(({ context_id, members, problem }) => ({
    ...{ context_id, problem, members: members?.length ?? null },
  }));
  await run(ctx, reportContexts, [ctx.tenantId, platformId, ctx.now(), JSON.stringify(reports)]);
}

/** What was read before. If nobody applied the last plan, it is discarded, and the new one includes all of it. */
async function readHeld(ctx: TenantContext, platform: PlatformRow): Promise<Held[]> {
  const held: Held[] = await ownRows(ctx, 'lti_member', { platform_id: platform.platform_id })
    .select(['context_id', 'login_id', 'details', 'is_present', 'is_disabled', 'import_id'])
    .execute();
  const waiting = platform.import_id;
  if (waiting === null || !(await discardPlan(ctx, waiting))) return held;
  return held.map((row) => (row.import_id === waiting ? { ...row, is_disabled: false, details: '' } : row));
}

async function keep(ctx: TenantContext, platformId: string, rows: readonly Held[]): Promise<void> {
  if (rows.length === 0) return;
  await run(ctx, keepMembers, [ctx.tenantId, platformId, JSON.stringify(rows)]);
}

/** Stores an import, and which members it is about. Null if nothing has changed for users and enrolments. */
async function storeChanges(
  ctx: TenantContext,
  platform: PlatformRow,
  held: readonly Held[],
  { kept, arrived, left }: ReturnType<typeof compare>,
): Promise<string | null> {
  const logins = [...new Set(left.map(({ login_id }) => login_id))];
  const found = await run<{ login_id: string }>(ctx, findGone, [ctx.tenantId, logins]);
  const gone = new Set(found.map(({ login_id }) => login_id));
  const rows = await rowsOf(ctx, { arrived, gone: [...gone] });
  if (rows.length === 0) return null;
  const present = new Set(held.flatMap((row) => (row.is_present ? [row.login_id] : [])));
  const { platform_id: platformId, name } = platform;
  const import_id = await storeImport(ctx, {
    ...{ name: `${name}, ${ctx.now().toISOString().slice(0, 10)}`, subject: 'users', platformId },
    isAutomatic: gone.size <= present.size * maxShare,
    options: { IfExists: 'update', IfEnrolled: 'return', Similar: 'create' },
    columns: columnsOf(columns, true),
    rows: rows.map((fields, at) => ({ line: at + 2, login_id: fields.LoginID ?? null, fields })),
  });
  const ended = left.filter(({ login_id }) => gone.has(login_id));
  const sent = [...kept, ...ended.map((row) => ({ ...row, is_disabled: true }))];
  await keep(
    ctx,
    platformId,
    sent.map((row) => ({ ...row, import_id })),
  );
  return import_id;
}

const findBusy = `
select from import where tenant_id = $1 and import_id = $2 and status in ('reading', 'planning', 'applying', 'undoing')`;

const isBusy = async (ctx: TenantContext, importId: string | null) =>
  importId !== null && (await run(ctx, findBusy, [ctx.tenantId, importId])).length > 0;
