import type { FastifyRequest } from 'fastify';
import type { RouteResponse } from '../../../http/routes.ts';
import type { Context } from '../../../infra/context/context.ts';
import { escapeHtml } from '../../../lib/escape-html.ts';
import { noBranding, pageBranding } from '../../tenants/branding.ts';
import { type Language, languages } from '../../tenants/schemas.ts';
import { consolePath } from '../schemas.ts';
import { type PlainPage, plainPage } from '../sign-in-page.ts';
import type { Refusal } from './identities.ts';

type Failure =
  | Refusal
  | 'noProvider'
  | 'suspended'
  | 'providerDown'
  | 'expired'
  | 'denied'
  | 'rejected'
  | 'otherPerson';
type Text = { title: string; text: string };
type Texts = Record<Failure | 'choice' | 'framed' | 'signedIn', Text> & {
  again: string;
  back: string;
  signIn: string;
  go: string;
};

const statusOf: Partial<Record<Failure, number>> = { noProvider: 404, providerDown: 502, expired: 400 };

const english: Texts = {
  choice: { title: 'Sign in', text: 'Choose the account to sign in with.' },
  framed: {
    title: 'Sign in to start the course',
    text: 'Your organisation’s sign-in opens in a window of its own. The course starts here afterwards.',
  },
  signedIn: { title: 'You are signed in', text: 'The course starts on the page that you came from.' },
  noProvider: {
    title: 'This sign-in is not set up',
    text: 'Your organisation has no such sign-in. Check the address, or ask your administrator.',
  },
  suspended: {
    title: 'Access is currently suspended',
    text: 'Nothing has been lost. Try again later, or ask your administrator.',
  },
  providerDown: {
    title: 'Your organisation’s sign-in does not respond',
    text: 'Try again in a few minutes. If it still fails, tell your administrator: the connection test shows the cause.',
  },
  expired: {
    title: 'This sign-in has expired',
    text: 'It took too long, or was started in another browser. Sign in again.',
  },
  denied: {
    title: 'You were not signed in',
    text: 'The sign-in was cancelled, or your organisation did not allow it.',
  },
  rejected: {
    title: 'You were not signed in',
    text: 'The answer of your organisation’s sign-in could not be used. Try again. If it still fails, tell your administrator.',
  },
  unknown: {
    title: 'You have no access here yet',
    text: 'You signed in, but no user here belongs to your account. Ask your administrator.',
  },
  disabled: {
    title: 'Your access is disabled',
    text: 'Ask your administrator to enable it. Your results are kept.',
  },
  linkedElsewhere: {
    title: 'Your account could not be linked',
    text: 'The user with your details here belongs to another account. Ask your administrator.',
  },
  unverified: {
    title: 'Your account could not be linked',
    text: 'Your organisation’s sign-in does not report your email address as verified. Ask your administrator.',
  },
  unusable: {
    title: 'Your account could not be linked',
    text: 'Your organisation’s sign-in did not send the detail that identifies you here. Ask your administrator.',
  },
  otherPerson: {
    title: 'This course is for somebody else',
    text: 'The link belongs to another person than the one who is signed in. Sign out at your organisation’s sign-in, or use your own link.',
  },
  again: 'Sign in again',
  back: 'Back to the sign-in page',
  signIn: 'Sign in',
  go: 'Start the course here',
};

const german: Texts = {
  choice: { title: 'Anmelden', text: 'Wählen Sie das Konto, mit dem Sie sich anmelden.' },
  framed: {
    title: 'Melden Sie sich an, um den Kurs zu starten',
    text: 'Die Anmeldung Ihrer Organisation öffnet sich in einem eigenen Fenster. Danach startet der Kurs hier.',
  },
  signedIn: {
    title: 'Sie sind angemeldet',
    text: 'Der Kurs startet auf der Seite, von der Sie gekommen sind.',
  },
  noProvider: {
    title: 'Diese Anmeldung ist nicht eingerichtet',
    text: 'Ihre Organisation hat keine solche Anmeldung. Prüfen Sie die Adresse oder fragen Sie Ihre Administration.',
  },
  suspended: {
    title: 'Der Zugang ist derzeit gesperrt',
    text: 'Es ist nichts verloren gegangen. Versuchen Sie es später erneut oder fragen Sie Ihre Administration.',
  },
  providerDown: {
    title: 'Die Anmeldung Ihrer Organisation antwortet nicht',
    text: 'Versuchen Sie es in einigen Minuten erneut. Bleibt der Fehler, informieren Sie Ihre Administration: Der Verbindungstest zeigt die Ursache.',
  },
  expired: {
    title: 'Diese Anmeldung ist abgelaufen',
    text: 'Sie hat zu lange gedauert oder wurde in einem anderen Browser begonnen. Melden Sie sich erneut an.',
  },
  denied: {
    title: 'Sie wurden nicht angemeldet',
    text: 'Die Anmeldung wurde abgebrochen, oder Ihre Organisation hat sie nicht erlaubt.',
  },
  rejected: {
    title: 'Sie wurden nicht angemeldet',
    text: 'Die Antwort der Anmeldung Ihrer Organisation war nicht verwendbar. Versuchen Sie es erneut. Bleibt der Fehler, informieren Sie Ihre Administration.',
  },
  unknown: {
    title: 'Sie haben hier noch keinen Zugang',
    text: 'Die Anmeldung war erfolgreich, aber zu Ihrem Konto gehört hier niemand. Fragen Sie Ihre Administration.',
  },
  disabled: {
    title: 'Ihr Zugang ist deaktiviert',
    text: 'Bitten Sie Ihre Administration, ihn zu aktivieren. Ihre Ergebnisse bleiben erhalten.',
  },
  linkedElsewhere: {
    title: 'Ihr Konto konnte nicht verknüpft werden',
    text: 'Die Person mit Ihren Angaben gehört hier zu einem anderen Konto. Fragen Sie Ihre Administration.',
  },
  unverified: {
    title: 'Ihr Konto konnte nicht verknüpft werden',
    text: 'Die Anmeldung Ihrer Organisation meldet Ihre E-Mail-Adresse nicht als bestätigt. Fragen Sie Ihre Administration.',
  },
  unusable: {
    title: 'Ihr Konto konnte nicht verknüpft werden',
    text: 'Die Anmeldung Ihrer Organisation hat die Angabe, die Sie hier ausweist, nicht gesendet. Fragen Sie Ihre Administration.',
  },
  otherPerson: {
    title: 'Dieser Kurs ist für jemand anderen',
    text: 'Der Link gehört einer anderen Person als der, die angemeldet ist. Melden Sie sich bei Ihrer Organisation ab oder verwenden Sie Ihren eigenen Link.',
  },
  again: 'Erneut anmelden',
  back: 'Zurück zur Anmeldeseite',
  signIn: 'Anmelden',
  go: 'Kurs hier starten',
};

const french: Texts = {
  choice: { title: 'Connexion', text: 'Choisissez le compte avec lequel vous connecter.' },
  framed: {
    title: 'Connectez-vous pour démarrer le cours',
    text: 'La connexion de votre organisation s’ouvre dans une fenêtre séparée. Le cours démarre ensuite ici.',
  },
  signedIn: { title: 'Vous êtes connecté', text: 'Le cours démarre sur la page d’où vous venez.' },
  noProvider: {
    title: 'Cette connexion n’est pas configurée',
    text: 'Votre organisation n’a pas de connexion de ce type. Vérifiez l’adresse ou adressez-vous à votre administrateur.',
  },
  suspended: {
    title: 'L’accès est actuellement suspendu',
    text: 'Rien n’est perdu. Réessayez plus tard ou adressez-vous à votre administrateur.',
  },
  providerDown: {
    title: 'La connexion de votre organisation ne répond pas',
    text: 'Réessayez dans quelques minutes. Si l’erreur persiste, prévenez votre administrateur : le test de connexion en montre la cause.',
  },
  expired: {
    title: 'Cette connexion a expiré',
    text: 'Elle a duré trop longtemps ou a été commencée dans un autre navigateur. Connectez-vous à nouveau.',
  },
  denied: {
    title: 'Vous n’êtes pas connecté',
    text: 'La connexion a été annulée, ou votre organisation ne l’a pas autorisée.',
  },
  rejected: {
    title: 'Vous n’êtes pas connecté',
    text: 'La réponse de la connexion de votre organisation est inutilisable. Réessayez. Si l’erreur persiste, prévenez votre administrateur.',
  },
  unknown: {
    title: 'Vous n’avez pas encore accès',
    text: 'Vous êtes connecté, mais aucun utilisateur ne correspond ici à votre compte. Adressez-vous à votre administrateur.',
  },
  disabled: {
    title: 'Votre accès est désactivé',
    text: 'Demandez à votre administrateur de l’activer. Vos résultats sont conservés.',
  },
  linkedElsewhere: {
    title: 'Votre compte n’a pas pu être associé',
    text: 'L’utilisateur qui correspond à vos données appartient à un autre compte. Adressez-vous à votre administrateur.',
  },
  unverified: {
    title: 'Votre compte n’a pas pu être associé',
    text: 'La connexion de votre organisation ne signale pas votre adresse e-mail comme vérifiée. Adressez-vous à votre administrateur.',
  },
  unusable: {
    title: 'Votre compte n’a pas pu être associé',
    text: 'La connexion de votre organisation n’a pas envoyé la donnée qui vous identifie ici. Adressez-vous à votre administrateur.',
  },
  otherPerson: {
    title: 'Ce cours est destiné à une autre personne',
    text: 'Le lien appartient à une autre personne que celle qui est connectée. Déconnectez-vous auprès de votre organisation ou utilisez votre propre lien.',
  },
  again: 'Se reconnecter',
  back: 'Retour à la page de connexion',
  signIn: 'Se connecter',
  go: 'Démarrer le cours ici',
};

const texts: Record<Language, Texts> = { en: english, de: german, fr: french };

function languageOf({ headers }: Pick<FastifyRequest, 'headers'>, fallback: Language): Language {
  const wanted = (headers['accept-language'] ?? '')
    .split(',')
    .map((part) => part.trim().slice(0, 2).toLowerCase());
  return languages.find((language) => language === wanted.find((one) => one in texts)) ?? fallback;
}

type Frame = Pick<PlainPage, 'language' | 'branding'>;

async function frameOf(ctx: Context, request: FastifyRequest, tenantId: string | null): Promise<Frame> {
  const branding = tenantId === null ? noBranding : await pageBranding(ctx, tenantId);
  return { branding, language: languageOf(request, branding.Language ?? 'en') };
}

const button = (href: string, text: string, more = '') =>
  `<a class="button" href="${escapeHtml(href)}"${more}>${escapeHtml(text)}</a>`;

/** Says why nobody was signed in, with the way back to what was requested. */
export async function failurePage(
  ctx: Context,
  request: FastifyRequest,
  tenantId: string | null,
  failure: Failure,
  target: string = consolePath,
): Promise<RouteResponse> {
  const frame = await frameOf(ctx, request, tenantId);
  const { [failure]: text, again, back } = texts[frame.language];
  const link = target === consolePath ? button(consolePath, back) : button(target, again);
  const more = failure === 'noProvider' ? '' : `<div class="links">${link}</div>`;
  return plainPage({ ...frame, ...text, status: statusOf[failure] ?? 403, more });
}

export async function choicePage(
  ctx: Context,
  request: FastifyRequest,
  tenantId: string,
  links: readonly { name: string; href: string }[],
): Promise<RouteResponse> {
  const frame = await frameOf(ctx, request, tenantId);
  const more = `<div class="links">${links.map(({ name, href }) => button(href, name)).join('')}</div>`;
  return plainPage({ ...frame, ...texts[frame.language].choice, status: 200, more });
}

/** The message from the window to the frame that opened it. */
const message = 'lectern-signed-in';

/**
 * Opens the sign-in in a window, because providers refuse frames, and continues when the window reports success. If
 * windows are blocked, the link opens a tab.
 */
const frameScript = `const link=document.querySelector('a');let opened=null;
link.addEventListener('click',(event)=>{opened=window.open(link.href+'&Window=true','_blank','popup,width=520,height=700');if(opened)event.preventDefault()});
addEventListener('message',(event)=>{const to=event.data&&event.data['${message}'];
if(event.origin===location.origin&&event.source===opened&&typeof to==='string'&&to.startsWith('/launch?'))location.replace(to)})`;

export async function framedPage(
  ctx: Context,
  request: FastifyRequest,
  input: { tenantId: string; startUrl: string; framing: string },
): Promise<RouteResponse> {
  const frame = await frameOf(ctx, request, input.tenantId);
  const { framed, signIn } = texts[frame.language];
  const more = `<div class="links">${button(input.startUrl, signIn, ' target="_blank" rel="opener"')}</div>`;
  const page = plainPage({
    ...frame,
    ...framed,
    status: 200,
    more,
    script: frameScript,
    framing: input.framing,
  });
  return { ...page, headers: { ...page.headers, 'Cross-Origin-Opener-Policy': 'unsafe-none' } };
}

/** If the provider's pages have cut the link to the opener, the course starts in this window instead. */
const windowScript = `const link=document.querySelector('a');const to=link.getAttribute('href');
if(window.opener){window.opener.postMessage({'${message}':to},location.origin);window.close()}else location.replace(to)`;

export async function windowPage(
  ctx: Context,
  request: FastifyRequest,
  tenantId: string,
  location: string,
  cookie: string,
): Promise<RouteResponse> {
  const frame = await frameOf(ctx, request, tenantId);
  const { signedIn, go } = texts[frame.language];
  const more = `<div class="links">${button(location, go)}</div>`;
  const page = plainPage({ ...frame, ...signedIn, status: 200, more, script: windowScript });
  const headers = { ...page.headers, 'Set-Cookie': cookie, 'Cross-Origin-Opener-Policy': 'unsafe-none' };
  return { ...page, headers };
}
