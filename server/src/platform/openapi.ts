import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { type ConstantFile, constantFile, sendConstant } from './constant-files.ts';
import { errorCodes } from './errors.ts';

/** Serves the description of the interface, which is made when it is first asked for. */
export function serveDescription(app: FastifyInstance, describe: () => object): void {
  let document: ConstantFile | null = null;
  app.get('/openapi.json', async (request, reply) => {
    document ??= constantFile('application/json; charset=utf-8', JSON.stringify(describe()));
    return sendConstant(request, reply, document);
  });
  app.get('/docs/errors', async (_request, reply) =>
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
