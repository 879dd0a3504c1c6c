import type { TenantContext } from '../../platform/context.ts';
import { type Parameters, parametersAfter } from '../../platform/db/parameters.ts';
import { run } from '../../platform/db/transaction.ts';
import {
  type List,
  readVisit,
  tryWays,
  type Visit,
  type Visited,
  visitSql,
} from '../../platform/db/visits.ts';
import { foreignCursor, pageLimit, readCursor, toPage } from '../../platform/http/pagination.ts';
import { beyond, filterSql, waysOf as filterWays, type UserFilter } from './filter.ts';
import { toUser, type UserRow } from './record.ts';

/** One way to find users: by the prefix of an indexed text. Everything except `text` is SQL. */
type Way = { key: string; whole: string; text: string; when: string };

/** How many characters the indexes hold; the rest of a longer search is compared with the whole text. */
const indexed = 60;

/** SQL expressions of the indexes. */
const lastFirst = `held.last_name || coalesce(' ' || held.first_name, '')`;
const firstLast = `held.first_name || coalesce(' ' || held.last_name, '')`;
const start = (text: string) => `lower(left(${text}, ${indexed})) collate "C"`;
const lower = (text: string) => `lower(${text}) collate "C"`;

function waysOf(search: string): Way[] {
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

/** What the index serves. */
function rangeSql({ key, text, when }: Way, { add }: Parameters): string {
  const begin = beginOf(text);
  return `${when} and ${key} >= ${add(begin)} and ${key} < ${add(beyond(begin))}`;
}

/** What the index does not hold. A row is visited before it is compared with that. */
const restSql = ({ whole, text }: Way, { add }: Parameters): string =>
  beginOf(text) === text ? 'true' : `starts_with(${whole}, ${add(text)})`;

const finds = (way: Way, parameters: Parameters): string =>
  `${rangeSql(way, parameters)} and ${restSql(way, parameters)}`;

type Found = UserRow & { way: number; sought: string };
type Sought = { input: UserFilter & { Search: string }; place: Place; limit: number };

/** A statement visits this many for the way that it has come to, and fewer for each before. */
const most = 800;
/** More than fit on a page. */
const maxRows = 1_000;

/**
 * Results of one way follow those of the other, each in index order. Users found earlier are left out, so
 * what a page skips was on earlier pages, and the first page is fast however many users match.
 */
export async function searchUsers(ctx: TenantContext, input: UserFilter & { Search: string }) {
  const limit = pageLimit(input);
  const sought = { input, place: readPlace(readCursor(input)), limit };
  const { rows, end } = (await searchFew(ctx, sought)) ?? (await searchWays(ctx, sought));
  return toPage(rows, limit, (row) => JSON.stringify([row.way, row.sought, row.login_id]), toUser, end);
}

async function searchWays(ctx: TenantContext, sought: Sought): Promise<Visit<Found>> {
  const parameters = parametersAfter(ctx.tenantId);
  const text = searchText(sought, parameters);
  const visit = readVisit(await run<Found & Visited>(ctx, { text, values: parameters.values }), most);
  return visit.rows.length > sought.limit ? { ...visit, end: null } : visit;
}

/** A way is visited only if those before have ended without filling the page. */
function searchText({ input, place, limit }: Sought, parameters: Parameters): string {
  const ways = waysOf(input.Search);
  const parts = [...ways.entries()].slice(place.way).map(([n, way]) => {
    const before = ways.slice(0, n).map((other) => `and not coalesce(${finds(other, parameters)}, false)`);
    const made = ways.slice(place.way, n).map(
      (
        _,
        index,
      ) => `(select count(*) filter (where found) + ${maxRows} * count(*) filter (where visited = ${most})
        from found_${place.way + index})`,
    );
    const wanted = made.length === 0 ? '' : ` and ${made.join(' + ')} <= ${parameters.add(limit)}`;
    const list: List = {
      rows: `(select held.*, ${n} as way, ${way.key} as sought from "user" held where held.tenant_id = $1
        and ${rangeSql(way, parameters)}${wanted}) held where true`,
      given: [],
      key: ['sought', 'login_id'],
      after: n === place.way && place.sought !== null ? [place.sought, place.loginId] : null,
      ways: [],
      filter: (parameters) =>
        `${restSql(way, parameters)} and ${filterSql(input, parameters)} ${before.join(' ')}`,
      wanted: limit,
    };
    return { name: `found_${n}`, text: visitSql(list, { ranges: ['true'] }, parameters, most) };
  });
  return `
    with ${parts.map(({ name, text }) => `${name} as materialized (${text})`).join(', ')}
    select * from (${parts.map(({ name }) => `select * from ${name}`).join(' union all ')}) found
    order by way, sought collate "C", login_id`;
}

/** If a filter leaves few users, they are all compared with the search; null: there are many. */
function searchFew(ctx: TenantContext, { input, place, limit }: Sought): Promise<Visit<Found> | null> {
  const parameters = parametersAfter(ctx.tenantId);
  const ways = waysOf(input.Search);
  const isWay = ways.map((way, n) => `when ${finds(way, parameters)} then ${n}`);
  const keys = ways.map(({ key }, n) => `when ${n} then ${key}`);
  return tryWays(ctx, {
    rows: `(
      select held.*, case held.way ${keys.join(' ')} end as sought from (
        select held.*, case ${isWay.join(' ')} end as way from "user" held where held.tenant_id = $1
      ) held
    ) held where true`,
    given: parameters.values,
    key: ['way', 'sought', 'login_id'],
    after: place.sought === null ? null : [place.way, place.sought, place.loginId],
    ways: filterWays(input).map((wayOf) => (parameters) => ({
      ...wayOf(parameters),
      order: 'held.login_id',
    })),
    filter: (parameters) => `held.way is not null and ${filterSql(input, parameters)}`,
    wanted: limit,
  });
}

type Place = { way: number; sought: string | null; loginId: string };

function readPlace(cursor: string | null): Place {
  if (cursor === null) return { way: 0, sought: null, loginId: '' };
  try {
    const [way, sought, loginId] = JSON.parse(cursor);
    const texts = [sought, loginId].every(
      (text) => typeof text === 'string' && text.isWellFormed() && !text.includes('\0'),
    );
    if (Number.isInteger(way) && way >= 0 && way <= 5 && texts) return { way, sought, loginId };
  } catch {}
  throw foreignCursor();
}
