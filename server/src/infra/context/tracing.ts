import { setTimeout as delay } from 'node:timers/promises';
import {
  context,
  defaultTextMapGetter,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { FastifyInstance } from 'fastify';
import type { Connection, Engine } from '../../db/engine/engine.ts';
import { onRequestEnd } from './request-end.ts';

// Loaded only if OTEL_EXPORTER_OTLP_ENDPOINT is set. The libraries read the other OTEL_ variables themselves.

/** Spans of requests and of the statements that they wait for. */
export type Tracing = {
  engine: (engine: Engine) => Engine;
  observe: (app: FastifyInstance) => void;
  close: () => Promise<void>;
};

export function openTracing(endpoint: string): Tracing {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'lectern' }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const propagator = new W3CTraceContextPropagator();
  const tracer = provider.getTracer('lectern');

  /** Work outside a request, such as a job's, has no span. */
  async function spanOf<T>(
    name: string,
    attributes: Record<string, string>,
    work: () => Promise<T>,
  ): Promise<T> {
    const parent = trace.getActiveSpan();
    if (!parent?.isRecording()) return work();
    return tracer.startActiveSpan(name, { kind: SpanKind.CLIENT, attributes }, async (span) => {
      try {
        return await work();
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  }

  /** Statements show their text, which contains no values. */
  function traced<C extends Connection>(connection: C): C['query'] {
    return (statement, owner) => {
      const { text } = statement;
      const [verb = 'statement'] = /\b(select|insert|update|delete|with)\b/i.exec(text) ?? [];
      const [, table = ''] = /\b(?:from|into|update) "?(\w+)/i.exec(text) ?? [];
      const attributes = { 'db.system.name': 'postgresql', 'db.query.text': text };
      return spanOf(`${verb.toLowerCase()} ${table}`.trim(), attributes, () =>
        connection.query(statement, owner),
      );
    };
  }

  return {
    engine: (engine) => ({
      ...engine,
      query: traced(engine),
      transaction: (work, owner) =>
        spanOf('transaction', { 'db.system.name': 'postgresql' }, () =>
          engine.transaction((connection) => work({ ...connection, query: traced(connection) }), owner),
        ),
    }),
    observe: (app) => {
      const spans = new WeakMap<object, Span>();
      app.addHook('onRequest', (request, reply, done) => {
        const { method, routeOptions } = request;
        const route = routeOptions.url ?? null;
        const caller = propagator.extract(context.active(), request.headers, defaultTextMapGetter);
        const span = tracer.startSpan(
          route === null ? method : `${method} ${route}`,
          {
            kind: SpanKind.SERVER,
            attributes: { 'http.request.method': method, ...(route === null ? {} : { 'http.route': route }) },
          },
          caller,
        );
        spans.set(request, span);
        onRequestEnd(request, () => {
          const { tenantId } = request;
          span.setAttributes({
            'http.response.status_code': reply.statusCode,
            'lectern.request_id': request.id,
            ...(tenantId ? { 'lectern.tenant': tenantId } : {}),
          });
          if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        });
        context.with(trace.setSpan(caller, span), done);
      });
      // Reading a body leaves the context, because its chunks come from the connection.
      app.addHook('preValidation', (request, _reply, done) => {
        const span = spans.get(request);
        if (span) context.with(trace.setSpan(context.active(), span), done);
        else done();
      });
    },
    // What a collector does not take in this time is lost.
    close: () => Promise.race([provider.shutdown().catch(() => {}), delay(2_000, undefined, { ref: false })]),
  };
}
