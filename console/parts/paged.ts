/** Options for `$api.useInfiniteQuery`, shared by all lists. */
export const paged = {
  pageParamName: 'Cursor',
  // Undefined would be sent as page 0.
  initialPageParam: null,
  getNextPageParam: (page: unknown) =>
    (page as { NextCursor?: string | null } | undefined)?.NextCursor ?? undefined,
} as const;

/**
 * For lists that the service adds to while they are open. A refresh reads all pages again, so only a list with a
 * single page is refreshed. In milliseconds.
 */
export const refreshed = {
  ...paged,
  refetchInterval: ({ state }: { state: { data?: { pages: readonly unknown[] } | undefined } }) =>
    (state.data?.pages.length ?? 0) > 1 ? false : 10_000,
} as const;
