import { createHash } from 'node:crypto';

const style = `:root{color-scheme:light dark;--text:#1c2024;--muted:#5b6470;--ground:#f6f7f9;--card:#fff;--line:#e3e6ea;--accent:#2456d6;--on:#fff}
@media(prefers-color-scheme:dark){:root{--text:#eceef0;--muted:#a7afb9;--ground:#111315;--card:#1a1d20;--line:#2b3035;--accent:#8fb0ff;--on:#111315}}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--ground);color:var(--text);font:1rem/1.55 system-ui,sans-serif}
main{box-sizing:border-box;width:min(26rem,100vw - 2rem);padding:2rem;background:var(--card);border:1px solid var(--line);border-radius:14px}
h1{margin:0 0 .6rem;font-size:1.3rem;line-height:1.3}p{margin:0;color:var(--muted)}form{margin:1.4rem 0 0}
button{padding:.65rem 1.4rem;border:0;border-radius:8px;background:var(--accent);color:var(--on);font:inherit;font-weight:600;cursor:pointer}
button:focus-visible{outline:3px solid var(--text);outline-offset:2px}`;

const styleHash = createHash('sha256').update(style).digest('base64');

/**
 * Allows only the page's own style and a form to its own origin. The page cannot be framed, which prevents
 * clickjacking.
 */
export const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
};

function page(title: string, rest: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><title>${title}</title><style>${style}</style></head>
<body><main><h1>${title}</h1>${rest}</main></body></html>`;
}

/** `token` matched our own pattern, so it needs no escaping. */
export function signInPage(token: string): string {
  return page(
    'Sign in',
    `<p>Continue to sign in on this device.</p> <form method="post" action="/session/sign-in"><input type="hidden" name="token" value="${token}"><button>Continue</button></form>`,
  );
}

export const usedLinkPage = page(
  'This link no longer works',
  '<p>A sign-in link works only once and expires after a short time. Get a new link from the place where you found this one.</p>',
);

export const suspendedTenantPage = page(
  'Access is currently suspended',
  '<p>Nothing has been lost. Try again later, or ask your administrator.</p>',
);

export const crossSitePage = page(
  'This sign-in was started by another website',
  '<p>Another website tried to sign you in, so you were not signed in. You can close this page.</p>',
);
