import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../api/api.tsx';
import type { DayCount, Span } from './spans.ts';

/** The days of the span, and as many before to compare with, oldest first. */
export function useDays(span: Span) {
  const { headers } = useApi();
  return useQuery({
    queryKey: ['overview', span],
    queryFn: async () => {
      const response = await fetch(`/overview?Days=${span * 2}`, { headers });
      const body = (await response.json()) as { Days: DayCount[] };
      if (!response.ok) throw body;
      return body.Days;
    },
  });
}
