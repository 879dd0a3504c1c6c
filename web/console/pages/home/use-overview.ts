import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../api/api.tsx';
import { type DayCount, type Span, spans } from './spans.ts';

export type Overview = {
  Days: DayCount[];
  Attention: {
    Webhooks:
      | { WebhookID: string; URL: string; Status: 'enabled' | 'disabled'; FailingSince: string | null }[]
      | null;
    Seats: {
      CourseID: string;
      Title: string;
      DurationID: string;
      Name: string;
      Seats: number;
      SeatsLeft: number;
    }[];
    Expiring: { Enrolments: number; More: boolean; Until: string };
    FailedDeliveries: number | null;
  };
};

/** The service counts no more days at once. */
const mostDays = 366;

/** The days of the span, and as many before to compare with as far as they can be had. */
export function useOverview(span: Span = spans[0]) {
  const { headers } = useApi();
  const Days = Math.min(span * 2, mostDays);
  return useQuery({
    queryKey: ['overview', Days],
    queryFn: async () => {
      const response = await fetch(`/overview?Days=${Days}`, { headers });
      const body = (await response.json()) as Overview;
      if (!response.ok) throw body;
      return body;
    },
  });
}
