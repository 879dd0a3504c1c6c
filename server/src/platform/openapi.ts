import { createHash } from 'node:crypto';
import fastifySwagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { type ConstantFile, constantFile, sendConstant } from './constant-files.ts';
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
  let document: ConstantFile | null = null;
  app.get('/openapi.json', { schema: { hide: true } }, async (request, reply) => {
    document ??= constantFile('application/json; charset=utf-8', JSON.stringify(app.swagger()));
    return sendConstant(request, reply, document);
  });
  app.get('/docs/errors', { schema: { hide: true } }, async (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('Content-Security-Policy', errorPagePolicy).send(errorPage),
  );
}

const style = `:root{color-scheme:light dark;--text:#1c2024;--muted:#565e6c;--ground:#fff;--line:#e4e6eb;--mark:#eef0ff;--accent:#3442bb}
@media(prefers-color-scheme:dark){:root{--text:#eceef2;--muted:#a9b0bd;--ground:#141518;--line:#2a2d34;--mark:#20233f;--accent:#9ea8ff}}
body{max-width:60rem;margin:0 auto;padding:2.5rem 1rem;background:var(--ground);color:var(--text);font:1rem/1.55 system-ui,sans-serif}
h1{margin:0 0 .5rem;font-size:1.6rem}p{margin:0 0 1.5rem;color:var(--muted)}a{color:var(--accent)}
code{font:0.9em ui-monospace,Menlo,Consolas,monospace;overflow-wrap:anywhere}
table{width:100%;border-collapse:collapse}th,td{padding:.55rem .5rem;border-bottom:1px solid var(--line);text-align:start;vertical-align:top}
th{color:var(--muted);font-size:.85rem}tr:target{background:var(--mark)}`;

const styleHash = createHash('sha256').update(style).digest('base64');
const errorPagePolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; frame-ancestors 'none'`;

const errorRows = Object.entries(errorCodes).map(
  ([code, [status, title]]) =>
    `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${title}</td></tr>`,
);

/** Where the `type` of a problem document points to. */
const errorPage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Lectern: error codes</title><style>${style}</style></head><body><main>
<h1>Error codes</h1>
<p>Errors are problem documents (RFC 9457). <code>code</code> is stable and meant for programs; <code>detail</code> says what to do.
All operations are in the <a href="/docs">API reference</a>.</p>
<table><thead><tr><th scope="col">code</th><th scope="col">status</th><th scope="col">title</th></tr></thead>
<tbody>${errorRows.join('\n')}</tbody></table></main></body></html>`;
