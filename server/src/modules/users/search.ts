import { sql } from 'kysely';
import type { TenantContext } from '../../platform/context.ts';
import { foreignCursor, pageLimit, readCursor, toPage } from '../../platform/pagination.ts';
import { beyond, filterSql, type UserFilter } from './filter.ts';
import { toUser, type UserRow } from './record.ts';

type Sql = ReturnType<typeof sql>;

/** One way in which a user can be found: by what begins an indexed text. */
type Way = { key: Sql; whole: Sql; text: string; when: Sql };

/** What the indexes hold of a text; the rest of a longer search is compared with the whole. */
const indexed = 60;

/** SQL of the expressions of the indexes. */
const lastFirst = sql`known.last_name || coalesce(' ' || known.first_name, '')`;
const firstLast = sql`known.first_name || coalesce(' ' || known.last_name, '')`;
const start = (text: Sql) => sql`lower(left(${text}, ${sql.lit(indexed)})) collate "C"`;
const lower = (text: Sql) => sql`lower(${text}) collate "C"`;

function waysOf(search: string): Way[] {
  const login = sql`known.login_id`;
  const spellings = new Set([search, search.toLowerCase(), search.toUpperCase()]);
  const folded = search.toLowerCase();
  return [
    ...[...spellings].map((text) => ({ key: login, whole: login, text, when: sql`true` })),
    { key: start(lastFirst), whole: lower(lastFirst), text: folded, when: sql`known.last_name is not null` },
    { key: start(firstLast), whole: lower(firstLast), text: folded, when: sql`known.first_name is not null` },
    {
      key: lower(sql`known.email`),
      whole: lower(sql`known.email`),
      text: folded,
      when: sql`known.email is not null`,
    },
  ];
}

function finds({ key, whole, text, when }: Way): Sql {
  const begin = Array.from(text).slice(0, indexed).join('');
  const range = sql`${when} and ${key} >= ${begin} and ${key} < ${beyond(begin)}`;
  return begin === text ? range : sql`${range} and starts_with(${whole}, ${text})`;
}

type Found = UserRow & { way: number; sought: string };

/**
 * Those found one way after those found another, each in the order of its index. Who was found before is left out, so
 * what a page passes over was on the pages before it: the first page is quick however many are found.
 */
export async function searchUsers(ctx: TenantContext, input: UserFilter & { Search: string }) {
  const limit = pageLimit(input);
  const place = readPlace(readCursor(input));
  const ways = waysOf(input.Search);
  const parts: Sql[] = [];
  for (const [n, way] of ways.entries()) {
    if (n < place.way) continue;
    const before = ways.slice(0, n).map((other) => sql`and not coalesce(${finds(other)}, false)`);
    const after =
      n === place.way && place.sought !== null
        ? sql`and (${way.key}, known.login_id) > (${place.sought}, ${place.loginId})`
        : sql``;
    const made = parts.map((_, index) => sql`(select count(*) from ${sql.ref(`found_${index}`)})`);
    const wanted = made.length === 0 ? sql`` : sql`and ${sql.join(made, sql` + `)} <= ${limit}`;
    parts.push(sql`select known.*, ${sql.lit(n)} as way, ${way.key} as sought from "user" known
      where known.tenant_id = ${ctx.tenantId} and ${finds(way)} ${sql.join(before, sql` `)}
        and ${filterSql(input)} ${after} ${wanted}
      order by ${way.key}, known.login_id limit ${limit + 1}`);
  }
  const named = parts.map((part, index) => sql`${sql.ref(`found_${index}`)} as materialized (${part})`);
  const all = parts.map((_, index) => sql`select * from ${sql.ref(`found_${index}`)}`);
  const { rows } =
    await sql<Found>`with ${sql.join(named)} select * from (${sql.join(all, sql` union all `)}) found
    order by way, sought collate "C", login_id limit ${limit + 1}`.execute(ctx.db);
  return toPage(rows, limit, (row) => JSON.stringify([row.way, row.sought, row.login_id]), toUser);
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
