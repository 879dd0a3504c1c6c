import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { RouteResponse } from '../../../http/routes.ts';
import type { Problem } from '../../../lib/errors.ts';
import { escapeHtml } from '../../../lib/escape-html.ts';
import { type Language, languageOf, textsIn } from './page-texts.ts';

/** The colours of pages for learners, as CSS. */
export const pageColours = `:root{color-scheme:light dark;--text:#1c2024;--muted:#5b6470;--ground:#f6f7f9;--card:#fff;--line:#e3e6ea;--accent:#2456d6}
@media(prefers-color-scheme:dark){:root{--text:#eceef0;--muted:#a7afb9;--ground:#111315;--card:#1a1d20;--line:#2b3035;--accent:#8fb0ff}}`;

const style = `${pageColours}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--ground);color:var(--text);font:1rem/1.55 system-ui,sans-serif}
main{box-sizing:border-box;width:min(32rem,100vw - 2rem);padding:2rem;background:var(--card);border:1px solid var(--line);border-radius:14px}
h1{margin:0 0 .6rem;font-size:1.3rem;line-height:1.3;overflow-wrap:anywhere}p{margin:0 0 1rem;color:var(--muted)}p:last-child{margin:0}
a{color:var(--accent);font-weight:600}`;

const styleHash = createHash('sha256').update(style).digest('base64');

/**
 * The content security policy for the page below. It allows only the page's own style, and framing
 * as set by the tenant.
 */
function plainPolicy(frameAncestors: string): string {
  return `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors ${frameAncestors}`;
}

/** A link on a page for learners. */
export type Link = { text: string; address: string };

function rejectionHtml(input: {
  language: Language;
  title: string;
  reason: string;
  back: string | null;
  link: Link | null;
  isPartOfCourse: boolean;
}): string {
  const { back, close } = textsIn(input.language);
  const { link } = input;
  const open = link ? `<p><a href="${escapeHtml(link.address)}">${escapeHtml(link.text)}</a></p>` : '';
  // The hint to close the window is omitted if there is a link, because the learner should follow
  // the link instead.
  const end = input.isPartOfCourse || link ? '' : `<p>${close}</p>`;
  const leave = input.back ? `<p><a href="${escapeHtml(input.back)}">${back}</a></p>` : end;
  return `<!doctype html>
<html lang="${input.language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><title>${escapeHtml(input.title)}</title><style>${style}</style></head>
<body><main><h1>${escapeHtml(input.title)}</h1><p>${escapeHtml(input.reason)}</p>${open}${leave}</main></body></html>`;
}

/** Clients open launch links in separate windows. They must be able to check whether such a window is still open. */
export const forOpeners = { 'Cross-Origin-Opener-Policy': 'unsafe-none' };

/** A plain page for a learner whose click was rejected: the reason, what to do, and a link back. */
export function rejectionPage(input: {
  status: number;
  language: Language;
  title: string;
  reason: string;
  back?: string | null;
  /** A link to another page that the learner can open. */
  link?: Link | null;
  framing: string;
  /** The page is shown inside the player. */
  isPartOfCourse?: boolean;
}): RouteResponse {
  const {
    status,
    language,
    title,
    reason,
    back = null,
    link = null,
    framing,
    isPartOfCourse = false,
  } = input;
  return {
    status,
    body: rejectionHtml({ language, title, reason, back, link, isPartOfCourse }),
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      ...forOpeners,
      'Content-Security-Policy': plainPolicy(framing),
    },
  };
}

export function outdatedPage(request: FastifyRequest): RouteResponse {
  const language = languageOf(request);
  return rejectionPage({ status: 404, language, ...textsIn(language).pages.outdated, framing: '*' });
}

/** How soon a page tries again if the problem does not say. */
const retrySeconds = 10;

/** The page for a browser that opened a URL and got an error. After a temporary error, it reloads automatically. */
export function problemPage(
  problem: Problem,
  request: Pick<FastifyRequest, 'headers' | 'method'>,
): RouteResponse {
  const { status, message: reason } = problem;
  const language = languageOf(request);
  const { cannotOpen: title, pages } = textsIn(language);
  const isBusy = (status === 429 || status >= 500) && request.method === 'GET';
  const isBroken = status === 400 || status === 404;
  const text = isBusy ? pages.busy : isBroken ? pages.brokenLink : { title, reason };
  const page = rejectionPage({ status, language, ...text, framing: '*' });
  if (!isBusy) return page;
  return {
    ...page,
    headers: { ...page.headers, Refresh: String(problem.extras.retryAfter ?? retrySeconds) },
  };
}

export function redirectToPlayer(origin: string, ticket: string, framing: string): RouteResponse {
  return {
    status: 303,
    headers: {
      Location: `${origin}/play/${ticket}`,
      'Cache-Control': 'no-store',
      ...forOpeners,
      'Content-Security-Policy': plainPolicy(framing),
    },
  };
}

/** The response for a page that the course refers to but its package does not contain. */
export function missingPage(request: Pick<FastifyRequest, 'headers'>): RouteResponse {
  const language = languageOf(request);
  const texts = textsIn(language).pages.missing;
  return rejectionPage({ status: 404, language, ...texts, framing: '*', isPartOfCourse: true });
}
