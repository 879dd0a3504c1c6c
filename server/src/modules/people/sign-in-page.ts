import { createHash } from 'node:crypto';
import type { Context } from '../../platform/context.ts';
import { escapeHtml } from '../../platform/http/escape-html.ts';
import type { RouteResponse } from '../../platform/http/routes.ts';
import { noBranding, pageBranding } from '../tenants/branding/known-branding.ts';
import type { PageBranding } from '../tenants/branding/schemas.ts';
import { readToken } from '../tenants/token.ts';
import { type SignInPageTexts, signInPageTexts } from './sign-in-page-texts.ts';

const usualStyle = `:root{color-scheme:light dark;--text:#1c2024;--muted:#5b6470;--ground:#f6f7f9;--card:#fff;--line:#e3e6ea;--accent:#2456d6;--on:#fff}
@media(prefers-color-scheme:dark){:root{--text:#eceef0;--muted:#a7afb9;--ground:#111315;--card:#1a1d20;--line:#2b3035;--accent:#8fb0ff;--on:#111315}}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--ground);color:var(--text);font:1rem/1.55 system-ui,sans-serif}
main{box-sizing:border-box;width:min(26rem,100vw - 2rem);padding:2rem;background:var(--card);border:1px solid var(--line);border-radius:14px}
h1{margin:0 0 .6rem;font-size:1.3rem;line-height:1.3}p{margin:0;color:var(--muted)}form{margin:1.4rem 0 0}
button{padding:.65rem 1.4rem;border:0;border-radius:8px;background:var(--accent);color:var(--on);font:inherit;font-weight:600;cursor:pointer}
button:focus-visible{outline:3px solid var(--text);outline-offset:2px}
.brand{margin:0 0 1.4rem;color:var(--text);font-weight:700;overflow-wrap:anywhere}
.brand img{display:block;box-sizing:border-box;max-width:min(15rem,100%);max-height:4rem}
@media(prefers-color-scheme:dark){.brand img{padding:.4rem;border-radius:8px;background:#fff}}`;

/** The colours were derived by the service, so they need no escaping. */
function styleOf({ Light, Dark }: PageBranding): string {
  if (!Light || !Dark) return usualStyle;
  return `${usualStyle}
:root{--accent:${Light.Fill};--on:${Light.OnFill}}
@media(prefers-color-scheme:dark){:root{--accent:${Dark.Fill};--on:${Dark.OnFill}}}`;
}

function brandOf({ Name, LogoURL }: PageBranding): string {
  if (Name === null) return '';
  const name = escapeHtml(Name);
  const path = LogoURL === null ? null : new URL(LogoURL).pathname;
  return `<p class="brand">${path === null ? name : `<img src="${escapeHtml(path)}" alt="${name}">`}</p>`;
}

/**
 * Allows only the page's own style, the tenant's logo, and a form to its own origin. The page cannot be framed, which
 * prevents clickjacking.
 */
function policyOf(style: string): string {
  const hash = createHash('sha256').update(style).digest('base64');
  return `default-src 'none'; style-src 'sha256-${hash}'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;
}

type PageInput = {
  status: number;
  kind: Exclude<keyof SignInPageTexts, 'continue'>;
  branding: PageBranding;
  form?: (texts: SignInPageTexts) => string;
};

function page({ status, kind, branding, form = () => '' }: PageInput): RouteResponse {
  const language = branding.Language ?? 'en';
  const texts = signInPageTexts[language];
  const { title, text } = texts[kind];
  const style = styleOf(branding);
  const name = branding.Name === null ? '' : ` · ${escapeHtml(branding.Name)}`;
  return {
    status,
    body: `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><title>${title}${name}</title><style>${style}</style></head>
<body><main>${brandOf(branding)}<h1>${title}</h1><p>${text}</p>${form(texts)}</main></body></html>`,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': policyOf(style),
    },
  };
}

/** The branding of the tenant that the link names. It is public, so the link need not be valid. */
async function brandingOf(ctx: Context, token: string | undefined): Promise<PageBranding> {
  const tenantId = readToken(token)?.tenantId ?? null;
  return tenantId === null ? noBranding : pageBranding(ctx, tenantId);
}

/** `token` matched our own pattern, so it needs no escaping. */
export async function signInPage(ctx: Context, token: string): Promise<RouteResponse> {
  return page({
    status: 200,
    kind: 'signIn',
    branding: await brandingOf(ctx, token),
    form: (texts) =>
      ` <form method="post" action="/session/sign-in"><input type="hidden" name="token" value="${token}"><button>${texts.continue}</button></form>`,
  });
}

export async function usedLinkPage(ctx: Context, token: string | undefined): Promise<RouteResponse> {
  return page({ status: 410, kind: 'usedLink', branding: await brandingOf(ctx, token) });
}

export async function suspendedTenantPage(ctx: Context, token: string | undefined): Promise<RouteResponse> {
  return page({ status: 403, kind: 'suspended', branding: await brandingOf(ctx, token) });
}

export function crossSitePage(): RouteResponse {
  return page({ status: 403, kind: 'crossSite', branding: noBranding });
}
