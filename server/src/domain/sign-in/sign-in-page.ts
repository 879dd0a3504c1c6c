import { createHash } from 'node:crypto';
import type { RouteResponse } from '../../http/routes.ts';
import type { Context } from '../../infra/context/context.ts';
import { escapeHtml } from '../../lib/escape-html.ts';
import { noBranding, type PageBranding, pageBranding } from '../tenants/branding.ts';
import type { Language } from '../tenants/schemas.ts';
import { readToken } from '../tenants/token.ts';

type Text = { title: string; text: string };

/** The pages of sign-in links. */
type SignInPageTexts = Record<'signIn' | 'usedLink' | 'suspended' | 'crossSite', Text> & {
  continue: string;
};

const signInPageTexts: Record<Language, SignInPageTexts> = {
  en: {
    signIn: { title: 'Sign in', text: 'Continue to sign in on this device.' },
    continue: 'Continue',
    usedLink: {
      title: 'This link no longer works',
      text: 'A sign-in link works only once and expires after a short time. Get a new link from the place where you found this one.',
    },
    suspended: {
      title: 'Access is currently suspended',
      text: 'Nothing has been lost. Try again later, or ask your administrator.',
    },
    crossSite: {
      title: 'This sign-in was started by another website',
      text: 'Another website tried to sign you in, so you were not signed in. You can close this page.',
    },
  },
  de: {
    signIn: { title: 'Anmelden', text: 'Fahren Sie fort, um sich auf diesem Gerät anzumelden.' },
    continue: 'Weiter',
    usedLink: {
      title: 'Dieser Link funktioniert nicht mehr',
      text: 'Ein Anmeldelink funktioniert nur einmal und läuft nach kurzer Zeit ab. Holen Sie sich dort, wo Sie diesen Link gefunden haben, einen neuen.',
    },
    suspended: {
      title: 'Der Zugang ist derzeit gesperrt',
      text: 'Es ist nichts verloren gegangen. Versuchen Sie es später erneut oder fragen Sie Ihre Administration.',
    },
    crossSite: {
      title: 'Diese Anmeldung wurde von einer anderen Website gestartet',
      text: 'Eine andere Website wollte Sie anmelden, deshalb wurden Sie nicht angemeldet. Sie können diese Seite schließen.',
    },
  },
  fr: {
    signIn: { title: 'Connexion', text: 'Continuez pour vous connecter sur cet appareil.' },
    continue: 'Continuer',
    usedLink: {
      title: 'Ce lien ne fonctionne plus',
      text: 'Un lien de connexion ne fonctionne qu’une fois et expire rapidement. Demandez un nouveau lien là où vous avez trouvé celui-ci.',
    },
    suspended: {
      title: 'L’accès est actuellement suspendu',
      text: 'Rien n’est perdu. Réessayez plus tard ou adressez-vous à votre administrateur.',
    },
    crossSite: {
      title: 'Cette connexion a été lancée par un autre site',
      text: 'Un autre site a tenté de vous connecter ; vous n’avez donc pas été connecté. Vous pouvez fermer cette page.',
    },
  },
};

const usualStyle = `:root{color-scheme:light dark;--text:#1c2024;--muted:#5b6470;--ground:#f6f7f9;--card:#fff;--line:#e3e6ea;--accent:#2456d6;--on:#fff}
@media(prefers-color-scheme:dark){:root{--text:#eceef0;--muted:#a7afb9;--ground:#111315;--card:#1a1d20;--line:#2b3035;--accent:#8fb0ff;--on:#111315}}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--ground);color:var(--text);font:1rem/1.55 system-ui,sans-serif}
main{box-sizing:border-box;width:min(26rem,100vw - 2rem);padding:2rem;background:var(--card);border:1px solid var(--line);border-radius:14px}
h1{margin:0 0 .6rem;font-size:1.3rem;line-height:1.3;overflow-wrap:anywhere}p{margin:0;color:var(--muted)}form,.links{margin:1.4rem 0 0}.links{display:grid;gap:.7rem}
button,.button{padding:.65rem 1.4rem;border:0;border-radius:8px;background:var(--accent);color:var(--on);font:inherit;font-weight:600;cursor:pointer;text-align:center;text-decoration:none;overflow-wrap:anywhere}
a{color:var(--accent)}button:focus-visible,a:focus-visible{outline:3px solid var(--text);outline-offset:2px}
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

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/**
 * Allows only the page's own style and script, the tenant's logo, and a form to its own origin. Unless `framing` says
 * otherwise, the page cannot be framed, which prevents clickjacking.
 */
function policyOf(style: string, script: string | null, framing: string, formAction: string): string {
  const scripts = script === null ? '' : ` script-src ${hashOf(script)};`;
  return `default-src 'none'; style-src ${hashOf(style)};${scripts} img-src 'self'; base-uri 'none'; form-action ${formAction}; frame-ancestors ${framing}`;
}

export type PlainPage = {
  status: number;
  language: Language;
  branding: PageBranding;
  title: string;
  text: string;
  /** HTML below the text. */
  more?: string;
  script?: string;
  /** Further rules for the elements in `more`. */
  css?: string;
  framing?: string;
  /** Where forms on the page may lead, also by redirects. */
  formAction?: string;
};

/** A page without other files, in the tenant's colours. */
export function plainPage(input: PlainPage): RouteResponse {
  const {
    status,
    language,
    branding,
    more = '',
    script = null,
    framing = "'none'",
    formAction = "'self'",
  } = input;
  const [title, text] = [escapeHtml(input.title), escapeHtml(input.text)];
  const style = styleOf(branding) + (input.css ?? '');
  const name = branding.Name === null ? '' : ` · ${escapeHtml(branding.Name)}`;
  const scripted = script === null ? '' : `<script>${script}</script>`;
  return {
    status,
    body: `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><title>${title}${name}</title><style>${style}</style></head>
<body><main>${brandOf(branding)}<h1>${title}</h1><p>${text}</p>${more}</main>${scripted}</body></html>`,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': policyOf(style, script, framing, formAction),
    },
  };
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
  return plainPage({ status, language, branding, ...texts[kind], more: form(texts) });
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
