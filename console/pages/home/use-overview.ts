import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { type Span, spans } from './spans.ts';

export type Overview = components['schemas']['Overview'];

/** The maximum number of days that the service counts per call. */
const maxDays = 366;

/** The days in the period, and as many days before it as possible for comparison. */
export function useOverview(span: Span = spans[0]) {
  const { $api } = useApi();
  const Days = Math.min(span * 2, maxDays);
  return $api.useQuery('get', '/overview', { params: { query: { Days } } });
}
