import type { TenantContext } from '../../platform/context.ts';
import { type Parameters, parametersAfter } from '../../platform/db/parameters.ts';
import { run } from '../../platform/db/transaction.ts';
import {
  type List,
  readVisit,
  tryAccessPaths,
  type Visit,
  type Visited,
  visitSql,
} from '../../platform/db/visits.ts';
import { foreignCursor, pageLimit, readCursor, toPage } from '../../platform/http/pagination.ts';
import { beyond, accessPathsOf as filterPaths, filterSql, type UserFilter } from './filter.ts';
import { toUser, type UserRow } from './record.ts';

/** An index for finding users by the prefix of a text. Everything except `text` is SQL. */
type IndexedText = { key: string; whole: string; text: string; when: string };

/** How many characters the indexes contain. The rest of a longer search is compared with the full text. */
const indexed = 60;

/** SQL expressions of the indexes. */
const lastFirst = `held.last_name || coalesce(' ' || held.first_name, '')`;
const firstLast = `held.first_name || coalesce(' ' || held.last_name, '')`;
const start = (text: string) => `lower(left(${text}, ${indexed})) collate "C"`;
const lower = (text: string) => `lower(${text}) collate "C"`;

function indexedTextsOf(search: string): IndexedText[] {
  const login = 'held.login_id';
  const email = lower('held.email');
  const spellings = new Set([search, search.toLowerCase(), search.toUpperCase()]);
  const text = search.toLowerCase();
  return [
    ...[...spellings].map((spelling) => ({ key: login, whole: login, text: spelling, when: 'true' })),
    { key: start(lastFirst), whole: lower(lastFirst), text, when: 'held.last_name is not null' },
    { key: start(firstLast), whole: lower(firstLast), text, when: 'held.first_name is not null' },
    { key: email, whole: email, text, when: 'held.email is not null' },
  ];
}

const beginOf = (text: string) => Array.from(text).slice(0, indexed).join('');

/** The condition that the index serves. */
function rangeSql({ key, text, when }: IndexedText, { add }: Parameters): string {
  const begin = beginOf(text);
  return `${when} and ${key} >= ${add(begin)} and ${key} < ${add(beyond(begin))}`;
}

/** The condition on the rest of the text. A row is visited before this is checked. */
const restSql = ({ whole, text }: IndexedText, { add }: Parameters): string =>
  beginOf(text) === text ? 'true' : `starts_with(${whole}, ${add(text)})`;

const finds = (text: IndexedText, parameters: Parameters): string =>
  `${rangeSql(text, parameters)} and ${restSql(text, parameters)}`;

type Found = UserRow & { index: number; matched: string };
type SearchQuery = { input: UserFilter & { Search: string }; place: SearchPosition; limit: number };

/** Maximum rows that a statement visits in the current index. In each earlier one it visits fewer. */
const maxPerIndex = 800;
/** More than fit on a page. */
const maxRows = 1_000;

/**
 * Results come from one index after another, each in its own order. A user found through an earlier index is not
 * repeated, so every user that a page skips was on an earlier page, and the first page is fast regardless of how many
 * users match.
 */
export async function searchUsers(ctx: TenantContext, input: UserFilter & { Search: string }) {
  const limit = pageLimit(input);
  const query = { input, place: readPosition(readCursor(input)), limit };
  const { rows, end } = (await searchFew(ctx, query)) ?? (await searchIndexes(ctx, query));
  return toPage(rows, limit, (row) => JSON.stringify([row.index, row.matched, row.login_id]), toUser, end);
}

async function searchIndexes(ctx: TenantContext, query: SearchQuery): Promise<Visit<Found>> {
  const parameters = parametersAfter(ctx.tenantId);
  const text = searchText(query, parameters);
  const visit = readVisit(await run<Found & Visited>(ctx, { text, values: parameters.values }), maxPerIndex);
  return visit.rows.length > query.limit ? { ...visit, end: null } : visit;
}

/** An index is visited only if the previous ones have ended without filling the page. */
function searchText({ input, place, limit }: SearchQuery, parameters: Parameters): string {
  const texts = indexedTextsOf(input.Search);
  const parts = [...texts.entries()].slice(place.index).map(([n, text]) => {
    const before = texts.slice(0, n).map((other) => `and not coalesce(${finds(other, parameters)}, false)`);
    const made = texts.slice(place.index, n).map(
      (
        _,
        index,
      ) => `(select count(*) filter (where found) + ${maxRows} * count(*) filter (where visited = ${maxPerIndex})
        from found_${place.index + index})`,
    );
    const wanted = made.length === 0 ? '' : ` and ${made.join(' + ')} <= ${parameters.add(limit)}`;
    const list: List = {
      rows: `(select held.*, ${n} as index, ${text.key} as matched from "user" held where held.tenant_id = $1
        and ${rangeSql(text, parameters)}${wanted}) held where true`,
      values: [],
      key: ['matched', 'login_id'],
      after: n === place.index && place.matched !== null ? [place.matched, place.loginId] : null,
      accessPaths: [],
      filter: (parameters) =>
        `${restSql(text, parameters)} and ${filterSql(input, parameters)} ${before.join(' ')}`,
      wanted: limit,
    };
    return { name: `found_${n}`, text: visitSql(list, { ranges: ['true'] }, parameters, maxPerIndex) };
  });
  return `
    with ${parts.map(({ name, text }) => `${name} as materialized (${text})`).join(', ')}
    select * from (${parts.map(({ name }) => `select * from ${name}`).join(' union all ')}) found
    order by index, matched collate "C", login_id`;
}

/** If a filter leaves few users, compares them all with the search; null if there are many. */
function searchFew(ctx: TenantContext, { input, place, limit }: SearchQuery): Promise<Visit<Found> | null> {
  const parameters = parametersAfter(ctx.tenantId);
  const texts = indexedTextsOf(input.Search);
  const whichIndex = texts.map((text, n) => `when ${finds(text, parameters)} then ${n}`);
  const keys = texts.map(({ key }, n) => `when ${n} then ${key}`);
  return tryAccessPaths(ctx, {
    rows: `(
      select held.*, case held.index ${keys.join(' ')} end as matched from (
        select held.*, case ${whichIndex.join(' ')} end as index from "user" held where held.tenant_id = $1
      ) held
    ) held where true`,
    values: parameters.values,
    key: ['index', 'matched', 'login_id'],
    after: place.matched === null ? null : [place.index, place.matched, place.loginId],
    accessPaths: filterPaths(input).map((pathOf) => (parameters) => ({
      ...pathOf(parameters),
      order: 'held.login_id',
    })),
    filter: (parameters) => `held.index is not null and ${filterSql(input, parameters)}`,
    wanted: limit,
  });
}

type SearchPosition = { index: number; matched: string | null; loginId: string };

function readPosition(cursor: string | null): SearchPosition {
  if (cursor === null) return { index: 0, matched: null, loginId: '' };
  try {
    const [index, matched, loginId] = JSON.parse(cursor);
    const texts = [matched, loginId].every(
      (text) => typeof text === 'string' && text.isWellFormed() && !text.includes('\0'),
    );
    if (Number.isInteger(index) && index >= 0 && index <= 5 && texts) return { index, matched, loginId };
  } catch {}
  throw foreignCursor();
}
