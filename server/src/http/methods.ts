import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** The methods that a path supports; empty if the path does not exist. */
    methodsAt: (path: string) => string[];
  }
}

function patternOf(url: string): RegExp {
  const parts = url.split('/').map((part) => {
    if (part.startsWith(':')) return '[^/]+';
    return part === '*' ? '.*' : part.replaceAll('.', '[.]');
  });
  return new RegExp(`^${parts.join('/')}$`);
}

/** Records the methods of every route. They are looked up only for requests that match no route. */
export function trackMethods(app: FastifyInstance): void {
  const methods = new Map<string, { pattern: RegExp; names: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? { pattern: patternOf(url), names: new Set() };
    for (const name of [method].flat()) known.names.add(name);
    methods.set(url, known);
  });
  app.decorate('methodsAt', (path) => {
    const found = [...methods.values()].filter(({ pattern }) => pattern.test(path));
    return [...new Set(found.flatMap(({ names }) => [...names]))].sort();
  });
}
