import { useApi } from '../../api/api.tsx';

/**
 * Today in UTC, like the days of reports. The clock of a test tenant differs from the browser's, so this is the day of
 * the latest figures, if there are any.
 */
export function useToday(): string {
  const { $api } = useApi();
  const { data } = $api.useQuery('get', '/report/completion', { params: { query: { By: 'total' } } });
  return data?.Items[0]?.AsOf ?? new Date().toISOString().slice(0, 10);
}
