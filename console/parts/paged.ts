/** Options for `$api.useInfiniteQuery`, shared by all lists. */
export const paged = {
  pageParamName: 'Cursor',
  // Undefined would be sent as page 0.
  initialPageParam: null,
  getNextPageParam: (page: unknown) =>
    (page as { NextCursor?: string | null } | undefined)?.NextCursor ?? undefined,
} as const;
