import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** Prometheus metrics of one process. */
export type Metrics = { registry: Registry; observe: (app: FastifyInstance, origin: string) => void };

export function openMetrics(options: { processMetrics: boolean }): Metrics {
  const registry = new Registry();
  if (options.processMetrics) collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'lectern_http_request_seconds',
    help: 'Time from the first byte of a request to the last of its answer, by route.',
    labelNames: ['origin', 'method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  return {
    registry,
    observe: (app, origin) =>
      app.addHook('onResponse', async (request, reply) => {
        const route = request.routeOptions.url ?? 'none';
        const labels = { origin, method: request.method, route, status: String(reply.statusCode) };
        duration.observe(labels, reply.elapsedTime / 1000);
      }),
  };
}
