import { runInOrder } from '../../db/batches.ts';
import type { PlannedRow, RowDone } from '../../http/rows/work-rows.ts';
import { dryRunEach, submitEach } from '../../infra/calls/dry-run.ts';
import type { Submission } from '../../infra/calls/once.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { hasScope } from '../../infra/context/scopes.ts';
import { invalid, Problem } from '../../lib/errors.ts';
import { foldCase } from '../../lib/unicode.ts';
import { checkPasswordGuess } from './check-user.ts';
import {
  type Created,
  creating,
  creatingUser,
  draft,
  type Known,
  toCreated,
  type UserDraft,
} from './create-user.ts';
import { unmatchablePasswordHash } from './passwords.ts';
import type { NewUser } from './schemas.ts';

const capitals =
  'ẞÆŒÞØĐÐŁĦŊΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣςΤΥΦΧΨΩАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖ';
const small =
  'ßæœþøđðłħŋαβγδεζηθικλμνξοπρσστυφχψωабвгдежзийклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆ';

/**
 * Without case and surrounding spaces, whatever the locale of the database. The index `user_by_caseless_login` has the same
 * expression. Letters with accents are decomposed, so the lists contain only letters without them.
 */
const caseless = (id: string) =>
  `(lower(translate(normalize(btrim(${id}), nfd), '${capitals}', '${small}') collate "C") collate "C")`;

/** More users may differ only in case. Any of them is enough for a warning. */
const maxVariants = 10;

/** One user for each LoginID. The range and the order are those of the index, for `runInOrder`. */
export const similarUsersText = `with asked as materialized (
  select login_id, ${caseless('login_id')} as folded from unnest($2::text[]) sent(login_id)
), similar_user as materialized (
  select folded, (
    select min(variant.login_id) from (
      select held.login_id from "user" held where held.tenant_id = $1
        and ${caseless('held.login_id')} >= one.folded and ${caseless('held.login_id')} <= one.folded
      order by ${caseless('held.login_id')} limit ${maxVariants}
    ) variant
  ) as login_id
  from (select distinct folded from asked) one
)
select asked.login_id as asked, similar_user.login_id as found
from asked join similar_user using (folded) where similar_user.login_id is not null`;

type Planned = PromiseSettledResult<RowDone>;

/**
 * Adds `SimilarLoginID` to each planned row that would create a user whose LoginID differs only in case or surrounding
 * spaces from an existing one.
 */
async function withSimilarUsers<Row extends Planned>(ctx: TenantContext, planned: Row[]): Promise<Row[]> {
  const created = planned.flatMap((one) =>
    one.status === 'fulfilled' && one.value.Status === 201 ? [String(one.value.LoginID)] : [],
  );
  if (created.length === 0) return planned;
  const rows = await runInOrder<{ asked: string; found: string }>(ctx, similarUsersText, [
    ctx.tenantId,
    created,
  ]);
  const similar = new Map(rows.map(({ asked, found }) => [asked, found]));
  return planned.map((one) => {
    const found = one.status === 'fulfilled' && similar.get(String(one.value.LoginID));
    return found ? { ...one, value: { ...one.value, SimilarLoginID: found } } : one;
  });
}

/**
 * Up to two users with each address, because one of them may be the user in the row. The range and the order are those
 * of the index `user_by_email`, for `runInOrder`.
 */
export const sameEmailsText = `
select one.folded, array(
  select own.login_id from "user" own where own.tenant_id = $1 and own.folded_email is not null
    and own.folded_email >= one.folded and own.folded_email <= one.folded
  order by own.folded_email, own.login_id limit 2
) as login_ids
from (select distinct sent.folded collate "C" as folded from unnest($2::text[]) sent (folded)) one`;

type SameEmail = { folded: string; login_ids: string[] };
/** `email` is folded. */
type Asked = { loginId: string; email: string };

/** The address that a planned row would give to its user. */
function askedIn(planned: Planned, row: NewUser | undefined): Asked | null {
  if (planned.status !== 'fulfilled' || !row?.Email) return null;
  const { Status, Changed } = planned.value;
  if (Status !== 201 && !Changed?.includes('Email')) return null;
  return { loginId: row.LoginID, email: foldCase(row.Email) };
}

/**
 * Adds `SameEmailLoginID` to each planned row that would give its user an address that another user has, or that an
 * earlier one of these rows would give to another user.
 */
async function withSameEmails<Row extends Planned>(
  ctx: TenantContext,
  planned: Row[],
  rows: readonly NewUser[],
): Promise<Row[]> {
  const asked = planned.map((one, at) => askedIn(one, rows[at]));
  const emails = asked.flatMap((one) => (one ? [one.email] : []));
  // Without this scope, a caller must not learn to whom an address belongs.
  if (emails.length === 0 || !hasScope(ctx, 'users:read')) return planned;
  const found = await runInOrder<SameEmail>(ctx, sameEmailsText, [ctx.tenantId, emails]);
  const known = new Map(found.map((one) => [one.folded, one]));
  const earlier = new Map<string, string>();
  return planned.map((one, at) => {
    const own = asked[at];
    const same = own && known.get(own.email);
    if (!same || one.status !== 'fulfilled') return one;
    const first = earlier.get(same.folded);
    if (first === undefined) earlier.set(same.folded, own.loginId);
    const other = [...same.login_ids, ...(first === undefined ? [] : [first])].find(
      (loginId) => loginId !== own.loginId,
    );
    return other === undefined ? one : { ...one, value: { ...one.value, SameEmailLoginID: other } };
  });
}

/** `check` compares the password, then returns or throws the result. `next` is the plan of what follows. */
type PlannedUser<Next> = { check: () => Promise<Created>; next: PromiseSettledResult<Next> | null };

/**
 * Plans `createUser` for each input without any effect. `then` is called for each user that exists or would be created,
 * in the transaction that is rolled back; it returns null if nothing follows.
 */
async function planUsers<Next>(
  ctx: TenantContext,
  inputs: NewUser[],
  then: (ctx: TenantContext, index: number) => Promise<Submission<Next>> | null,
): Promise<PlannedUser<Next>[]> {
  const drafts = await Promise.allSettled(inputs.map((input) => draft(ctx, input, unmatchablePasswordHash)));
  const outcomes = await dryRunEach(ctx, [...drafts.entries()], async (ctx, rows) => {
    const users = await submitEach(ctx, rows, async (ctx, [, drafted]) => {
      if (drafted.status === 'rejected') throw drafted.reason;
      return creating(ctx, drafted.value, (outcome) => outcome);
    });
    const following = rows.flatMap(([index], at) => {
      const user = users[at];
      const isUser = user?.status === 'fulfilled' && user.value && !(user.value instanceof Problem);
      const next = isUser ? then(ctx, index) : null;
      return next ? [{ at, next }] : [];
    });
    const nexts = await submitEach(ctx, following, (_, { next }) => next);
    return rows.map((_, at) => ({
      user: users[at],
      next: nexts[following.findIndex((one) => one.at === at)] ?? null,
    }));
  });
  return drafts.map((drafted, index) => {
    const planned = outcomes[index];
    const user = planned?.status === 'fulfilled' ? planned.value.user : planned;
    const check = async () => {
      if (drafted.status === 'rejected') throw drafted.reason;
      if (user?.status !== 'fulfilled') throw user?.reason;
      return toCreated(await compared(ctx, drafted.value, user.value), user.value);
    };
    return { check, next: planned?.status === 'fulfilled' ? planned.value.next : null };
  });
}

/** Compares the password of an existing user after the plan, because hashing is slow. */
async function compared(
  ctx: TenantContext,
  drafted: UserDraft,
  outcome: Known | Problem | null,
): Promise<UserDraft> {
  const { password, row } = drafted;
  if (password === null || !outcome || outcome instanceof Problem || outcome.isNew || outcome.changed)
    return drafted;
  const found = await checkPasswordGuess(ctx, { loginId: row.login_id, password });
  return { ...drafted, compared: { stored: outcome.row.password_hash, matches: found?.matches ?? false } };
}

const done = ({ user, isNew, changed }: Created): RowDone => ({
  Status: isNew ? 201 : 200,
  LoginID: user.LoginID,
  ...(changed !== null && { Changed: changed }),
});

/** Single calls accept any text as `Email`, because the interface defines no format for it. */
function emailProblem({ Email }: NewUser): Problem | null {
  if (!Email || /.@./su.test(Email)) return null;
  const detail = 'Email must be an email address such as ada@example.com. Leave it blank if there is none.';
  return invalid('Email', detail);
}

export async function creatingRow(ctx: TenantContext, row: NewUser): Promise<Submission<RowDone>> {
  const problem = emailProblem(row);
  if (problem) throw problem;
  const create = () => creatingUser(ctx, row, done);
  return row.Password == null ? create() : ctx.load.bulkHashes(create);
}

/**
 * Plans rows of a bulk call. `then` plans what follows for a row, in the same transaction, so it finds the users that
 * would be created.
 */
export async function planBulkUsers(
  ctx: TenantContext,
  rows: NewUser[],
  then: (ctx: TenantContext, row: number) => Promise<Submission<RowDone>> | null,
): Promise<PlannedRow[]> {
  const valid = [...rows.keys()].filter((at) => emailProblem(rows[at] as NewUser) === null);
  const planned = await planUsers(
    ctx,
    valid.map((at) => rows[at] as NewUser),
    (ctx, index) => then(ctx, valid[index] as number),
  );
  const plans = new Map(valid.map((at, index) => [at, planned[index]]));
  const settled = await Promise.allSettled(
    rows.map(async (row, at) => {
      const plan = plans.get(at);
      if (!plan) throw emailProblem(row);
      return done(await (row.Password == null ? plan.check() : ctx.load.bulkHashes(plan.check)));
    }),
  );
  const results = settled.map((one, at) => {
    const next = plans.get(at)?.next;
    return next ? { ...one, next } : one;
  });
  return withSameEmails(ctx, await withSimilarUsers(ctx, results), rows);
}
