import fastifySwagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { errorCodes } from './errors.ts';

const description = `Create users, enrol them on courses, and start the courses by \`LaunchURL\`.

Send a key as \`Authorization: Bearer <secret>\`; a browser in which somebody signed in sends its session cookie instead. Errors are \`application/problem+json\` (RFC 9457) with a stable \`code\`; all codes are listed at [/docs/errors](/docs/errors). Unknown fields are refused, so a typo never loses data.`;

/** The plugin types schemas more narrowly than OpenAPI 3.1 has them; the document is compared and linted as a whole. */
const asWebhooks = (webhooks: Record<string, object>) => ({ webhooks }) as Record<never, never>;
/** Serves the interface's description, made from the schemas that validate. */
export async function describeInterface(
  app: FastifyInstance,
  {
    baseUrl,
    sessionCookie,
    webhooks,
  }: { baseUrl: string; sessionCookie: string; webhooks: Record<string, object> },
): Promise<void> {
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Lectern', version: '1', description, license: { name: 'Apache-2.0' } },
      servers: [{ url: baseUrl }],
      ...asWebhooks(webhooks),
      components: {
        securitySchemes: {
          key: { type: 'http', scheme: 'bearer', description: 'The secret of a key, or an access token.' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: sessionCookie,
            description:
              'The session of the operator, of an administrator for their tenant, or of a learner for what is their own. Requests from other origins are refused; over HTTPS the name of the cookie begins with __Host-.',
          },
        },
      },
    },
  });
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
  app.get('/docs/errors', { schema: { hide: true } }, async (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'")
      .send(errorPage()),
  );
}

function errorPage(): string {
  const rows = Object.entries(errorCodes).map(
    ([code, [status, title]]) =>
      `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${title}</td></tr>`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Lectern: error codes</title></head><body>
<h1>Error codes</h1><table><thead><tr><th>code</th><th>status</th><th>title</th></tr></thead>
<tbody>${rows.join('\n')}</tbody></table></body></html>`;
}
