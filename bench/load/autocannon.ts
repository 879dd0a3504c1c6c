import autocannon from 'autocannon';
import type { Figure, Load } from './sockets.ts';

/** Runs the same closed loop with autocannon, to verify our own driver. */
export async function generateLoadByAutocannon(load: Load): Promise<Figure> {
  const { origins, connections, seconds, expected, next } = load;
  const results = await Promise.all(
    origins.map((url) =>
      autocannon({
        url,
        connections: Math.max(1, Math.floor(connections / origins.length)),
        duration: seconds,
        requests: [
          {
            setupRequest: (request) => {
              const { method, path, body, key } = next();
              const type = path.includes('/bulk') ? 'application/x-ndjson' : 'application/json';
              const headers = {
                ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
                ...(body === undefined ? {} : { 'content-type': type }),
                ...(path.startsWith('/xapi/') ? { 'x-experience-api-version': '2.0.0' } : {}),
              };
              return { ...request, method, path, headers, ...(body === undefined ? {} : { body }) };
            },
          },
        ],
      }),
    ),
  );
  const sum = (of: (result: autocannon.Result) => number) =>
    results.reduce((total, result) => total + of(result), 0);
  const maxOf = (of: (result: autocannon.Result) => number) => Math.max(...results.map(of));
  const others = results.flatMap((result) =>
    Object.entries(result.statusCodeStats ?? {}).filter(([status]) => Number(status) !== expected),
  );
  const refused = others.reduce((total, [, { count = 0 }]) => total + count, 0);
  return {
    answered: sum((result) => result.requests.total),
    perSecond: sum((result) => result.requests.total / result.duration) - refused / seconds,
    p50: maxOf((result) => result.latency.p50),
    p95: maxOf((result) => result.latency.p97_5),
    p99: maxOf((result) => result.latency.p99),
    slowest: maxOf((result) => result.latency.max),
    wrong: refused + sum((result) => result.errors),
    firstWrong: others[0]?.[0] ?? null,
  };
}
