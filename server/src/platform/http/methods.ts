import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** The methods that a path takes; none: there is nothing at this path. */
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

/** Notes the methods of every route. They are looked up for requests that no route takes, and for no others. */
export function noteMethods(app: FastifyInstance): void {
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
