import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Context } from '../context/context.ts';
import { onRequestEnd } from '../load/request-end.ts';
import { type MetricGroup, openMetricGroups } from './metric-groups.ts';
import { nodeGauges } from './node-gauges.ts';

/** Prometheus metrics of this node. */
export type Metrics = {
  contentType: string;
  observe: (app: FastifyInstance, origin: string) => void;
  /** The text that Prometheus reads. */
  read: () => Promise<string>;
};

export function openMetrics(
  ctx: Context,
  options: { processMetrics: boolean; groups: readonly MetricGroup[] },
): Metrics {
  const registry = new Registry();
  if (options.processMetrics) collectDefaultMetrics({ register: registry });
  for (const counter of Object.values(ctx.counters)) registry.registerMetric(counter);
  nodeGauges(ctx, registry);
  const refresh = openMetricGroups(ctx, registry, options.groups);
  return {
    contentType: registry.contentType,
    observe: observer(registry),
    read: async () => {
      await refresh();
      return registry.metrics();
    },
  };
}

function observer(registry: Registry): Metrics['observe'] {
  const duration = new Histogram({
    name: 'lectern_http_request_seconds',
    help: 'Time from the first byte of a request to the last byte of its response, by route.',
    labelNames: ['origin', 'method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const inFlight = new Map<string, { requests: number }>();
  new Gauge({
    name: 'lectern_http_requests_in_flight',
    help: 'Requests being received or responded to, by origin.',
    labelNames: ['origin'],
    registers: [registry],
    collect() {
      for (const [origin, { requests }] of inFlight) this.set({ origin }, requests);
    },
  });
  return (app, origin) => {
    const count = inFlight.get(origin) ?? { requests: 0 };
    inFlight.set(origin, count);
    const leave = () => {
      count.requests--;
    };
    app.addHook('onRequest', (request, _reply, done) => {
      count.requests++;
      onRequestEnd(request, leave);
      done();
    });
    app.addHook('onResponse', (request, reply, done) => {
      const route = request.routeOptions.url ?? 'none';
      const labels = { origin, method: request.method, route, status: String(reply.statusCode) };
      duration.observe(labels, reply.elapsedTime / 1000);
      done();
    });
  };
}
