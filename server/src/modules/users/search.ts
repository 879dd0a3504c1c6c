import type { TenantContext } from '../../platform/context.ts';
import { countRows, type RecordCount } from '../../platform/db/list-count.ts';
import { type List, orderedRange, scanRows } from '../../platform/db/list-scan.ts';
import { type Parameters, parametersAfter } from '../../platform/db/parameters.ts';
import { run } from '../../platform/db/transaction.ts';
import { foreignCursor, pageLimit, readCursor, toPage } from '../../platform/http/pagination.ts';
import { isId } from '../../platform/ids.ts';
import { cleanText, isStorable } from '../../platform/unicode.ts';
import { accessPathsOf as filterPaths, filterSql, prefixEnd, type UserFilter } from './filter.ts';
import { toUser, type UserRow } from './record.ts';
import { searchWords } from './words.ts';

export type SearchFilter = UserFilter & { Search: string };
type Found = UserRow & { word: string };

/**
 * The last row's `word` and `id`, with the number of the search word that orders the list, or the
 * last LoginID.
 */
export type Position = { leading: number; word: string; id: string } | { loginId: string };
type Place = Extract<Position, { leading: number }>;

const firstId = '00000000-0000-0000-0000-000000000000';

/**
 * Users that match all words, in the index order of one word. A user with exactly this LoginID comes first.
 * If a filter matches fewer users than any word does, the filter's users are read instead, ordered by
 * LoginID.
 */
export async function searchUsers(ctx: TenantContext, input: SearchFilter) {
  const limit = pageLimit(input);
  const words = searchWords(input.Search);
  const after = readPosition(readCursor(input)) ?? (await firstPosition(ctx, input, words));
  if ('loginId' in after) {
    const { rows, end } = await scanRows<UserRow>(ctx, userList(ctx, input, words, after.loginId));
    return toPage(rows, limit, ({ login_id }) => JSON.stringify([login_id]), toUser, end);
  }
  const { leading, word } = after;
  if (words[leading] === undefined) throw foreignCursor();
  const exact = await readExact(ctx, input);
  const { rows, end } = await scanRows<Found>(ctx, wordList(ctx, input, { words, place: after, exact }));
  const first = word === '' ? exact.map((row) => ({ ...row, word })) : [];
  const key = ({ word, user_id }: Found) => JSON.stringify([leading, word, user_id]);
  return toPage([...first, ...rows], limit, key, toUser, end);
}

/** The number of matching users, found with the same statement as the list. */
export async function countFound(ctx: TenantContext, input: SearchFilter): Promise<RecordCount> {
  const words = searchWords(input.Search);
  const place = await firstPosition(ctx, input, words);
  if ('loginId' in place) return countRows(ctx, userList(ctx, input, words, place.loginId));
  const exact = await readExact(ctx, input);
  // Uses a single statement. If a further statement started at a position, PostgreSQL might read and sort all
  // users who have the word.
  const { Records, More } = await countRows(ctx, wordList(ctx, input, { words, place, exact }), 1);
  return { Records: Records + exact.length, More };
}

/** The position at which the list begins. Without words, the list is ordered by LoginID. */
export async function firstPosition(
  ctx: TenantContext,
  input: SearchFilter,
  words: readonly string[],
): Promise<Position> {
  const leading = words.length > 0 ? await rarest(ctx, input, words) : null;
  return leading === null ? { loginId: '' } : { leading, word: '', id: firstId };
}

const endSql = (word: string, { add }: Parameters) => `held.word < ${add(prefixEnd(word))}`;

/** Matches the words that begin with this one. */
const rangeSql = (word: string, parameters: Parameters) =>
  `held.word >= ${parameters.add(word)} and ${endSql(word, parameters)}`;

const countedAtOnce = 1_000;
/** Reading further would take more time than the better choice of word saves. */
const maxRounds = 10;

/** Index entries among which a search can look: those of the word `n`, or of a filter if `n` is null. */
type Candidate = {
  n: number | null;
  key: string;
  from: (parameters: Parameters, after: Key | null) => string;
};
type Key = string[];

function candidatesOf(input: SearchFilter, words: readonly string[]): Candidate[] {
  const longest = [...words.keys()].sort((one, other) => lengthOf(words, other) - lengthOf(words, one));
  // The order keeps the planner from reading whole ranges.
  return [
    ...longest.slice(0, 4).map((n) => ({
      n,
      key: 'held.word, held.user_id::text',
      from: (parameters: Parameters, after: Key | null) => {
        const word = words[n] ?? '';
        const range = after
          ? `(held.word, held.user_id) > (${after.map(parameters.add).join(', ')}) and ${endSql(word, parameters)}`
          : rangeSql(word, parameters);
        return `user_word held where held.tenant_id = $1 and ${range} order by held.word, held.user_id`;
      },
    })),
    ...filterPaths(input).map((pathOf) => ({
      n: null,
      key: 'held.login_id',
      from: (parameters: Parameters, after: Key | null) => {
        const path = pathOf(parameters);
        const { condition, order } = orderedRange({ key: ['login_id'], after }, path, parameters);
        return `"user" held where held.tenant_id = $1 and ${path.ranges[0]}${condition} order by ${order}`;
      },
    })),
  ];
}

/**
 * The word that the fewest users have; null if a filter matches fewer. If none is rare, reads the entries of all in step
 * until one ends. Otherwise, the longest word is probably the rarest.
 */
async function rarest(
  ctx: TenantContext,
  input: SearchFilter,
  words: readonly string[],
): Promise<number | null> {
  const candidates = candidatesOf(input, words);
  if (candidates.length === 1) return 0;
  const parameters = parametersAfter(ctx.tenantId);
  const counts = candidates.map(
    ({ from }, at) =>
      `(${at}, (select count(*)::integer from (select from ${from(parameters, null)} limit ${countedAtOnce}) few))`,
  );
  const text = `select at, rows from (values ${counts.join(', ')}) counted (at, rows) order by rows, at limit 1`;
  const [fewest] = await run<{ at: number; rows: number }>(ctx, { text, values: parameters.values });
  const isRare = fewest !== undefined && fewest.rows < countedAtOnce;
  const chosen = isRare ? candidates[fewest.at] : await firstToEnd(ctx, candidates);
  return (chosen ?? candidates[0])?.n ?? null;
}

async function firstToEnd(
  ctx: TenantContext,
  candidates: readonly Candidate[],
): Promise<Candidate | undefined> {
  let ends: (Key | null)[] = [];
  for (let n = 0; n < maxRounds; n++) {
    const parameters = parametersAfter(ctx.tenantId);
    const reads = candidates.map(({ key, from }, at) => {
      const rows = from(parameters, ends[at] ?? null);
      return `(${at}, (select array[${key}] from ${rows} offset ${countedAtOnce - 1} limit 1))`;
    });
    const text = `select read.end_key from (values ${reads.join(', ')}) read (at, end_key) order by read.at`;
    const rows = await run<{ end_key: Key | null }>(ctx, { text, values: parameters.values });
    ends = rows.map(({ end_key }) => end_key);
    if (ends.includes(null)) return candidates[ends.indexOf(null)];
  }
  return undefined;
}

const lengthOf = (words: readonly string[], n: number) => words[n]?.length ?? 0;

export async function readExact(ctx: TenantContext, input: SearchFilter): Promise<UserRow[]> {
  const parameters = parametersAfter(ctx.tenantId, cleanText(input.Search));
  const text = `select held.* from "user" held
    where held.tenant_id = $1 and held.login_id = $2 and ${filterSql(input, parameters)}`;
  return run<UserRow>(ctx, { text, values: parameters.values });
}

/** SQL for whether a user has all words. */
export function hasWordsSql(user: string, words: readonly string[], parameters: Parameters): string {
  return containsSql(`${user}.words`, words, parameters);
}

/** Words contain no characters that have a meaning in patterns. */
const containsSql = (text: string, words: readonly string[], { add }: Parameters) =>
  `${text} like all (${add(words.map((word) => `% ${word}%`))}::text[])`;

type Walk = { words: readonly string[]; place: Place; exact: readonly UserRow[] };

/** The users with the leading word. */
export function wordList(ctx: TenantContext, input: SearchFilter, { words, place, exact }: Walk): List {
  const leading = words[place.leading] ?? '';
  const isFirst = place.word === '';
  const isFiltered =
    input.GroupName !== undefined || input.Email !== undefined || input.Enabled !== undefined;
  const ofUser = (parameters: Parameters) =>
    `(select ${filterSql(input, parameters, 'account')} from "user" account
      where account.tenant_id = $1 and account.user_id = held.user_id)`;
  return {
    rows: 'user_word held where held.tenant_id = $1',
    values: [ctx.tenantId],
    key: ['word', 'user_id'],
    // Use only one lower bound. With two bounds, the database would read the index from the other one.
    after: isFirst ? null : [place.word, place.id],
    accessPaths: [(parameters) => ({ ranges: [(isFirst ? rangeSql : endSql)(leading, parameters)] })],
    filter: (parameters) =>
      [
        // Several words of a user may begin with the search word. The user is listed only for the first of
        // these words.
        `strpos(held.words, ${parameters.add(` ${leading}`)}) = strpos(held.words, ' ' || held.word || ' ')`,
        containsSql('held.words', words, parameters),
        ...exact.map(({ user_id }) => `held.user_id <> ${parameters.add(user_id)}`),
        ...(isFiltered ? [ofUser(parameters)] : []),
      ].join(' and '),
    show: (page) => `select account.*, held.word, held.visited, held.found from (${page}) held
      join "user" account on account.tenant_id = $1 and account.user_id = held.user_id`,
    wanted: pageLimit(input),
  };
}

/** Matches the users whose LoginID begins with the search text. */
export function beginsSql(search: string, user: string, { add }: Parameters): string {
  const start = cleanText(search);
  return `${user}.login_id >= ${add(start)} and ${user}.login_id < ${add(prefixEnd(start))}`;
}

/**
 * Lists users without the word index. If the search contains no words, finds users whose LoginID begins with
 * the search text.
 */
export function userList(
  ctx: TenantContext,
  input: SearchFilter,
  words: readonly string[],
  after: string,
): List {
  const begins = (parameters: Parameters) => beginsSql(input.Search, 'held', parameters);
  const sought = (parameters: Parameters) =>
    words.length === 0 ? begins(parameters) : hasWordsSql('held', words, parameters);
  const filters = filterPaths(input);
  return {
    rows: '"user" held where held.tenant_id = $1',
    values: [ctx.tenantId],
    key: ['login_id'],
    after: after === '' ? null : [after],
    accessPaths: [
      ...(words.length === 0 ? [(parameters: Parameters) => ({ ranges: [begins(parameters)] })] : []),
      ...(words.length > 0 && filters.length === 0 ? [() => ({ ranges: ['true'] })] : filters),
    ],
    filter: (parameters) => `${filterSql(input, parameters)} and ${sought(parameters)}`,
    wanted: pageLimit(input),
  };
}

function readPosition(cursor: string | null): Position | null {
  if (cursor === null) return null;
  try {
    const [first, word, id, ...rest] = JSON.parse(cursor);
    const isText = (text: unknown) => typeof text === 'string' && isStorable(text);
    if (isText(first) && word === undefined) return { loginId: first };
    if (Number.isInteger(first) && first >= 0 && isText(word) && isId(id) && rest.length === 0)
      return { leading: first, word, id };
  } catch {}
  throw foreignCursor();
}
