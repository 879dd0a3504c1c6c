import { AggregatorRegistry } from 'prom-client';
import type { MetricValues } from './workers.ts';

/**
 * prom-client would average the event-loop delays, which hides a single blocked process. It would
 * also omit the start time.
 */
const aggregatorOverrides: Partial<Record<MetricValues['aggregator'], MetricValues['aggregator']>> = {
  average: 'max',
  omit: 'min',
};

function merge(processes: readonly MetricValues[][]) {
  const own = processes.map((metrics) =>
    metrics.map((metric) => ({
      ...metric,
      aggregator: aggregatorOverrides[metric.aggregator] ?? metric.aggregator,
    })),
  );
  return AggregatorRegistry.aggregate(own);
}

/**
 * One page for several processes. Counters and histograms are added up. Each gauge declares how it
 * is merged.
 */
export const mergedPage = (processes: readonly MetricValues[][]): Promise<string> =>
  merge(processes).metrics();

/**
 * The counters and histograms of processes that have ended. Without these, a sum would decrease
 * when a worker ends, and Prometheus would interpret that as a restart of all counters.
 */
export async function keepCounts(
  ended: MetricValues[],
  last: readonly MetricValues[],
): Promise<MetricValues[]> {
  const counts = last.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));
  return merge([ended, counts]).getMetricsAsJSON();
}
