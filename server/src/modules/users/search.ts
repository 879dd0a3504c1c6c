import type { TenantContext } from '../../platform/context.ts';
import { type Parameters, parametersAfter } from '../../platform/db/parameters.ts';
import { run } from '../../platform/db/transaction.ts';
import { foreignCursor, pageLimit, readCursor, toPage } from '../../platform/http/pagination.ts';
import { beyond, filterSql, type UserFilter } from './filter.ts';
import { toUser, type UserRow } from './record.ts';

/** One way to find users: by the prefix of an indexed text. Everything except `text` is SQL. */
type Way = { key: string; whole: string; text: string; when: string };

/** How many characters the indexes hold; the rest of a longer search is compared with the whole text. */
const indexed = 60;

/** SQL expressions of the indexes. */
const lastFirst = `known.last_name || coalesce(' ' || known.first_name, '')`;
const firstLast = `known.first_name || coalesce(' ' || known.last_name, '')`;
const start = (text: string) => `lower(left(${text}, ${indexed})) collate "C"`;
const lower = (text: string) => `lower(${text}) collate "C"`;

function waysOf(search: string): Way[] {
  const login = 'known.login_id';
  const email = lower('known.email');
  const spellings = new Set([search, search.toLowerCase(), search.toUpperCase()]);
  const text = search.toLowerCase();
  return [
    ...[...spellings].map((spelling) => ({ key: login, whole: login, text: spelling, when: 'true' })),
    { key: start(lastFirst), whole: lower(lastFirst), text, when: 'known.last_name is not null' },
    { key: start(firstLast), whole: lower(firstLast), text, when: 'known.first_name is not null' },
    { key: email, whole: email, text, when: 'known.email is not null' },
  ];
}

function finds({ key, whole, text, when }: Way, { add }: Parameters): string {
  const begin = Array.from(text).slice(0, indexed).join('');
  const range = `${when} and ${key} >= ${add(begin)} and ${key} < ${add(beyond(begin))}`;
  return begin === text ? range : `${range} and starts_with(${whole}, ${add(text)})`;
}

type Found = UserRow & { way: number; sought: string };

/**
 * Results of one way follow those of the other, each in index order. Users found earlier are left out, so
 * what a page skips was on earlier pages, and the first page is fast however many users match.
 */
export async function searchUsers(ctx: TenantContext, input: UserFilter & { Search: string }) {
  const limit = pageLimit(input);
  const place = readPlace(readCursor(input));
  const parameters = parametersAfter(ctx.tenantId);
  const text = searchText(input, { place, limit }, parameters);
  const rows = await run<Found>(ctx, { text, values: parameters.values });
  return toPage(rows, limit, (row) => JSON.stringify([row.way, row.sought, row.login_id]), toUser);
}

function searchText(
  input: UserFilter & { Search: string },
  { place, limit }: { place: Place; limit: number },
  parameters: Parameters,
): string {
  const { add } = parameters;
  const ways = waysOf(input.Search);
  const parts = [...ways.entries()].slice(place.way).map(([n, way]) => {
    const before = ways.slice(0, n).map((other) => `and not coalesce(${finds(other, parameters)}, false)`);
    const isWithin = n === place.way && place.sought !== null;
    const after = isWithin
      ? `and (${way.key}, known.login_id) > (${add(place.sought)}, ${add(place.loginId)})`
      : '';
    const made = ways
      .slice(place.way, n)
      .map((_, index) => `(select count(*) from found_${place.way + index})`);
    const wanted = made.length === 0 ? '' : `and ${made.join(' + ')} <= ${add(limit)}`;
    return {
      name: `found_${n}`,
      text: `select known.*, ${n} as way, ${way.key} as sought from "user" known
        where known.tenant_id = $1 and ${finds(way, parameters)} ${before.join(' ')}
          and ${filterSql(input, parameters)} ${after} ${wanted}
        order by ${way.key}, known.login_id limit ${add(limit + 1)}`,
    };
  });
  return `
    with ${parts.map(({ name, text }) => `${name} as materialized (${text})`).join(', ')}
    select * from (${parts.map(({ name }) => `select * from ${name}`).join(' union all ')}) found
    order by way, sought collate "C", login_id limit ${add(limit + 1)}`;
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
