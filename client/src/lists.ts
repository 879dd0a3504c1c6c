import type { Call, Given, Item, ListPath, Page } from './types.ts';

type Query = { params?: { query?: Record<string, unknown> } };
type SomePage = { Items: unknown[]; NextCursor: string | null };

/** The API's lists as async iterators, built on the typed `get`. */
export function openLists(get: Call<'get'>) {
  // The cast is safe: the types of `pages` and `items` have checked the parameters and records.
  const read = get as unknown as (path: ListPath, init: Query) => Promise<SomePage>;

  async function* follow(path: ListPath, init: Query): AsyncGenerator<SomePage, void> {
    for (let query = init.params?.query; ; ) {
      const page = await read(path, { ...init, params: { ...init.params, ...(query ? { query } : {}) } });
      yield page;
      // The event log always has a next page; at the end, it is empty.
      if (page.NextCursor === null || page.Items.length === 0) return;
      const { after: _, ...rest } = query ?? {};
      query = { ...rest, Cursor: page.NextCursor };
    }
  }

  return {
    /** Iterates page by page. A later run can continue from any page's `NextCursor`. */
    pages: <P extends ListPath>(path: P, ...given: Given<'get', P>) =>
      follow(path, given[0] ?? {}) as AsyncGenerator<Page<P>, void>,

    /** Iterates row by row, and reads the next page when it is needed. */
    items: async function* <P extends ListPath>(
      path: P,
      ...given: Given<'get', P>
    ): AsyncGenerator<Item<P>, void> {
      for await (const page of follow(path, given[0] ?? {})) yield* page.Items as Item<P>[];
    },
  };
}
