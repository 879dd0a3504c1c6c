import { useEffect, useState } from 'react';
import { useApi } from '../../api/api.tsx';
import { paged } from '../../parts/paged.ts';
import type { Delivery } from './delivery-status.tsx';
import type { Endpoint } from './health.tsx';
import { isWithin } from './local-time.ts';

export const deliveryStatuses = [
  'pending',
  'delivered',
  'failed',
] as const satisfies readonly Delivery['Status'][];

export type DeliveryFilter = {
  status: Delivery['Status'] | undefined;
  eventId: string | undefined;
  /** The API has no filter for the type and the period, so the console searches the pages itself. */
  type: string | undefined;
  from: string | null;
  until: string | null;
};

const pageSize = 25;
const searchPageSize = 200;
const pagesPerRead = 5;

/** Reads the newest deliveries. A search reads further pages until it has enough results. */
export function useDeliveries(
  { WebhookID }: Endpoint,
  { status, eventId, type, from, until }: DeliveryFilter,
) {
  const { $api } = useApi();
  const [bound, setBound] = useState(pagesPerRead);
  const isSearch = type !== undefined || from !== null || until !== null;
  const query = {
    Limit: isSearch ? searchPageSize : pageSize,
    ...(status ? { Status: status } : {}),
    ...(eventId ? { EventID: eventId } : {}),
  };
  const isWanted = (one: Delivery) =>
    (type === undefined || one.Type === type) && isWithin(one.CreatedAt, from, until);
  const list = $api.useInfiniteQuery(
    'get',
    '/webhook/{WebhookID}/delivery',
    { params: { path: { WebhookID }, query } },
    {
      ...paged,
      getNextPageParam: (page: { Items: Delivery[]; NextCursor: string | null } | undefined) => {
        const last = page?.Items.at(-1);
        const isPast = last !== undefined && !isWithin(last.CreatedAt, from, null);
        return isPast ? undefined : (page?.NextCursor ?? undefined);
      },
      select: (data) => ({
        ...data,
        pages: data.pages.map((page) => page && { ...page, Items: page.Items.filter(isWanted) }),
      }),
      // A refresh reads all pages again, so searches and long lists are not refreshed.
      refetchInterval: ({ state }) => (isSearch || (state.data?.pages.length ?? 0) > 2 ? false : 5_000),
    },
  );
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = list;
  const pages = data?.pages.length ?? 0;
  const shown = data?.pages.flatMap((page) => page?.Items ?? []) ?? [];
  const isSearching = isSearch && hasNextPage && shown.length < pageSize && pages < bound && !isError;
  useEffect(() => {
    if (isSearching && !isFetching) void fetchNextPage();
  }, [isSearching, isFetching, fetchNextPage]);
  return {
    list,
    shown,
    /** Nothing has been found yet, and the search continues. */
    isSearchingFirst: isSearching && shown.length === 0,
    /** Searches further pages, if nothing has been found so far. */
    searchFurther: hasNextPage && shown.length === 0 ? () => setBound(bound + pagesPerRead) : undefined,
    searchedRows: pages * searchPageSize,
  };
}
