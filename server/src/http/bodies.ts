import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import type { JsonShape } from '../../../standards/json-shape.ts';
import { Problem } from '../lib/errors.ts';
import { isStorable } from '../lib/unicode.ts';
import type { Route } from './routes.ts';
import { checkShape } from './validation/validation.ts';

/** The most deeply nested record has four levels. The longest lists are the lists of tenants and courses. */
export const recordShape: JsonShape = { depth: 8, values: 20_000 };

/** Accepts JSON, and the content types of routes that take a stream. */
export function parseRecords(app: FastifyInstance, routes: readonly Route[]): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0) return done(null, {});
    if (!isUtf8(body))
      return done(new Problem('malformed_request', 'The body is not UTF-8. Encode it as UTF-8.'));
    const text = body.toString();
    checkShape(text, recordShape);
    parse(request, text, done);
  });
  for (const type of new Set(routes.flatMap((route) => route.streams?.types ?? [])))
    app.addContentTypeParser(type, (_request, payload, done) => {
      done(null, payload);
    });
}

/** Accepts any content type, for routes that read the body themselves. */
export function parseNothing(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

/** Accepts JSON with any content type, because closing pages send text. */
export function parseBeacons(app: FastifyInstance, shape: JsonShape): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined);
    const text = body.toString();
    checkShape(text, shape);
    parse(request, text, done);
  });
}

export type Form = Readonly<Record<string, unknown>>;

/** A text of a form from anyone. What is no text, or cannot be stored, counts as not sent. */
export function fieldOf(form: Form, name: string): string {
  const value = form[name];
  return typeof value === 'string' && isStorable(value) ? value : '';
}
