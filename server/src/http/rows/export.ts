import { Readable } from 'node:stream';
import type { Page } from '../pagination.ts';
import type { Route, RouteResponse } from '../routes.ts';
import { type RowFormat, rowTypes, rowWriter } from './rows.ts';

export type List = { columns: string[] };

/** The columns of a list's records; null if the route is not a list. */
export function listOf(route: Route): List | null {
  const schema = route.responses[200]?.schema as
    | { properties?: { Items?: { items?: { properties?: object } }; NextCursor?: unknown } }
    | undefined;
  const record = schema?.properties?.NextCursor ? schema.properties.Items?.items?.properties : undefined;
  return route.method === 'GET' && record ? { columns: Object.keys(record) } : null;
}

/**
 * Streams all pages of a list, starting at its `Cursor`. Pages follow the list's own key, so memory stays constant, and
 * concurrent inserts neither repeat nor hide rows. The first page is read before the response begins.
 */
export async function exportPages(
  { columns }: List,
  wanted: { format: RowFormat; rawCells: boolean },
  read: (query: { Limit: number; Cursor?: string }) => Promise<RouteResponse>,
): Promise<RouteResponse> {
  const write = rowWriter(wanted.format, columns, wanted);
  const pageOf = ({ body }: RouteResponse) => body as Page<Record<string, unknown>>;
  const shown = ({ Items }: Page<Record<string, unknown>>) =>
    write(Items.map((item) => Object.fromEntries(columns.map((name) => [name, item[name] ?? null]))));
  const first = pageOf(await read({ Limit: 200 }));
  const all = async function* () {
    yield shown(first);
    for (let page = first; page.NextCursor !== null; ) {
      const Cursor = page.NextCursor;
      page = pageOf(await read({ Limit: 200, Cursor }));
      // The event log's cursor is never null; its export ends with the latest event.
      if (page.NextCursor === Cursor) return;
      yield shown(page);
    }
  };
  return {
    status: 200,
    body: Readable.from(all(), { objectMode: false }),
    headers: { 'Content-Type': `${rowTypes[wanted.format]}; charset=utf-8` },
  };
}
