import { useQuery } from '@tanstack/react-query';
import { type Api, useApi } from '../../api/api.tsx';
import type { Endpoint } from './health.tsx';
import { isWithin } from './local-time.ts';

export const maxCounted = 2_000;

type Span = { from: string; until: string | null };

/**
 * How many events a replay of the period would send. Reads the log from the newest event, and stops after `maxCounted`
 * events.
 */
async function countEvents({ client }: Api, types: readonly string[] | null, { from, until }: Span) {
  const filter = { Order: 'newest', Limit: 200, ...(types ? { Types: types.join(',') } : {}) } as const;
  let count = 0;
  let read = 0;
  for (let Cursor: string | null = ''; Cursor !== null; ) {
    if (read >= maxCounted) return { count, isWhole: false };
    const query: typeof filter & { Cursor?: string } = { ...filter, ...(Cursor ? { Cursor } : {}) };
    const { data, error } = await client.GET('/events', { params: { query } });
    if (!data) throw error;
    const newer = data.Items.filter(({ OccurredAt }) => isWithin(OccurredAt, from, null));
    count += newer.filter(({ OccurredAt }) => isWithin(OccurredAt, null, until)).length;
    read += data.Items.length;
    Cursor = newer.length > 0 ? data.NextCursor : null;
  }
  return { count, isWhole: true };
}

export function useCount({ Types }: Endpoint, span: Span | null) {
  const api = useApi();
  return useQuery({
    queryKey: ['count of events', Types, span],
    queryFn: () => (span ? countEvents(api, Types, span) : null),
    enabled: span !== null,
    staleTime: 0,
  });
}
