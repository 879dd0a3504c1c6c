import Type, { type TSchema } from 'typebox';
import { countRows, type List, type RecordCount, readRows } from '../db/page.ts';
import type { Database } from '../db/transaction.ts';
import { invalid, type Problem } from '../lib/errors.ts';
import { isId } from '../lib/ids.ts';
import { isStorable } from '../lib/unicode.ts';
import { Nullable, OneOf } from './validation/schema.ts';

export const pageQuery = {
  Limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 200,
      default: 50,
      description:
        'Maximum number of rows on a page. If the rows are large, the page ends at about 1 MiB. Use `NextCursor` to read the rest.',
    }),
  ),
  Cursor: Type.Optional(
    Type.String({ maxLength: 4096, description: '`NextCursor` of the previous page, an opaque string.' }),
  ),
};

export const orderQuery = {
  Order: Type.Optional(OneOf(['oldest', 'newest'], { description: 'Sort order. Default: oldest.' })),
};

export const countQuery = {
  Count: Type.Optional(
    Type.Boolean({
      description: 'If true, the first page has a `Count` of the records that match the filters.',
    }),
  ),
};

export type Order = { Order?: 'oldest' | 'newest' };
export type PageQuery = { Limit?: number; Cursor?: string };
export type Page<T> = { Items: T[]; NextCursor: string | null };

const titleOf = (item: TSchema) => (item as { title?: string }).title;

export function PageOf<T extends TSchema>(item: T) {
  return Type.Object(
    {
      Items: Type.Array(item),
      NextCursor: Nullable(Type.String({ description: 'null on the last page.' })),
    },
    { additionalProperties: false, title: `${titleOf(item)}Page` },
  );
}

export function CountedPageOf<T extends TSchema>(item: T) {
  return Type.Object(
    {
      ...PageOf(item).properties,
      Count: Type.Optional(
        Type.Object(
          {
            Records: Type.Integer(),
            More: Type.Boolean({ description: 'If true, there are at least this many records.' }),
          },
          { additionalProperties: false },
        ),
      ),
    },
    { additionalProperties: false, title: `Counted${titleOf(item)}Page` },
  );
}

/** Adds a count to the first page if the caller wants one. Later pages have no count. */
export async function withCount<T>(
  { Count, Cursor }: PageQuery & { Count?: boolean },
  page: Page<T>,
  count: () => Promise<RecordCount>,
): Promise<Page<T> & { Count?: RecordCount }> {
  return Count && Cursor === undefined ? { ...page, Count: await count() } : page;
}

export function pageLimit(query: PageQuery): number {
  return query.Limit ?? 50;
}

/** The key of the last row on the previous page; null for the first page. */
export function readCursor(query: PageQuery): string | null {
  if (query.Cursor === undefined) return null;
  try {
    const text = Buffer.from(query.Cursor, 'base64url').toString();
    const value: unknown = JSON.parse(text);
    const key = Array.isArray(value) && value.length === 1 ? value[0] : null;
    if (typeof key === 'string' && isStorable(key)) return key;
  } catch {}
  throw foreignCursor();
}

export function foreignCursor(): Problem {
  return invalid('Cursor', 'The Cursor is not valid for this list. Start again without it.');
}

/** Total length of all names and texts in a record. This is nearly all of its JSON, and far cheaper to compute. */
export function textBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = 0;
  for (const [name, inner] of Object.entries(value)) bytes += name.length + textBytes(inner);
  return bytes;
}

/** Pages end at this size. Larger pages would occupy the database, and then memory until the client has read them. */
export const maxPageBytes = 1024 ** 2;

/**
 * Makes a page from `limit + 1` rows. `key` returns a row's position, which becomes the cursor. The page ends
 * before the row that would take it over 1 MiB, unless that is its first row. `end` is the position at which reading
 * stopped early; more rows can follow it.
 */
export function toPage<Row, T>(
  rows: Row[],
  limit: number,
  key: (row: Row) => string,
  record: (row: Row) => T,
  end: Row | null = null,
): Page<T> {
  const Items: T[] = [];
  let bytes = 0;
  for (const row of rows.slice(0, limit)) {
    const item = record(row);
    bytes += textBytes(item);
    if (bytes > maxPageBytes && Items.length > 0) break;
    Items.push(item);
  }
  const last = rows[Items.length - 1];
  const more = rows.length > Items.length && last !== undefined;
  if (!more && end !== null) return { Items, NextCursor: toCursor(key(end)) };
  return { Items, NextCursor: more ? toCursor(key(last)) : null };
}

/** The page of a list after the cursor, with a count if the caller wants one. */
export async function page<Row, T>(
  ctx: { db: Database },
  query: PageQuery & { Count?: boolean },
  list: List,
  key: (row: Row) => string,
  record: (row: Row) => T,
): Promise<Page<T> & { Count?: RecordCount }> {
  const limit = pageLimit(query);
  const rows = await readRows<Row>(ctx, list, limit + 1);
  return withCount(query, toPage(rows, limit, key, record), () => countRows(ctx, list));
}

/** The page of a tenant's table in the order of its IDs. */
export async function pageById<Row extends object, T>(
  ctx: { db: Database; tenantId: string },
  query: PageQuery & { Count?: boolean },
  {
    table,
    key,
    ...list
  }: { table: string; key: keyof Row & string } & Partial<Pick<List, 'where' | 'newest' | 'show'>>,
  record: (row: Row) => T,
) {
  const cursor = readCursor(query);
  if (cursor !== null && !isId(cursor)) throw foreignCursor();
  const rows = {
    ...{ rows: `${table} held where held.tenant_id = $1`, values: [ctx.tenantId], where: [] },
    ...{ key: [key], after: cursor === null ? null : [cursor] },
  };
  return page<Row, T>(ctx, query, { ...rows, ...list }, (row) => String(row[key]), record);
}

export const toCursor = (key: string) => Buffer.from(JSON.stringify([key])).toString('base64url');
