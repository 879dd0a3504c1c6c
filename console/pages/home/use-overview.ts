import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { type Span, spans } from './spans.ts';

export type Overview = components['schemas']['Overview'];

/** The service counts no more days at once. */
const mostDays = 366;

/** The days of the span, and as many before to compare with as far as they can be had. */
export function useOverview(span: Span = spans[0]) {
  const { $api } = useApi();
  const Days = Math.min(span * 2, mostDays);
  return $api.useQuery('get', '/overview', { params: { query: { Days } } });
}
