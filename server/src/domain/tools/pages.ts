import type { FastifyRequest } from 'fastify';
import type { RouteResponse } from '../../http/routes.ts';
import { escapeHtml } from '../../lib/escape-html.ts';
import { languageOf } from '../delivery/player/page-texts.ts';
import { type PlainPage, plainPage } from '../sign-in/sign-in-page.ts';
import { noBranding } from '../tenants/branding.ts';
import type { Language } from '../tenants/schemas.ts';

type Text = { title: string; text: string };
type Texts = Record<'failed' | 'ownWindow' | 'saved' | 'nothing', Text> & {
  open: string;
  continue: string;
  working: string;
};

const texts: Record<Language, Texts> = {
  en: {
    failed: {
      title: 'The activity could not be opened',
      text: 'Open the course again. If it still fails, tell your administrator.',
    },
    ownWindow: {
      title: 'Open the activity in a window of its own',
      text: 'Your results appear here when the activity has sent them.',
    },
    saved: { title: 'The content was chosen', text: 'The course now opens it. You can close this page.' },
    nothing: { title: 'No content was chosen', text: 'The course is unchanged. You can close this page.' },
    open: 'Open in a new window',
    continue: 'Continue',
    working: 'One moment, please.',
  },
  de: {
    failed: {
      title: 'Die Aktivität konnte nicht geöffnet werden',
      text: 'Öffnen Sie den Kurs erneut. Wenn es wieder nicht klappt, wenden Sie sich an Ihre Administration.',
    },
    ownWindow: {
      title: 'Öffnen Sie die Aktivität in einem eigenen Fenster',
      text: 'Ihre Ergebnisse erscheinen hier, sobald die Aktivität sie übermittelt hat.',
    },
    saved: {
      title: 'Der Inhalt wurde ausgewählt',
      text: 'Der Kurs öffnet ihn ab jetzt. Sie können diese Seite schließen.',
    },
    nothing: {
      title: 'Es wurde kein Inhalt ausgewählt',
      text: 'Der Kurs bleibt unverändert. Sie können diese Seite schließen.',
    },
    open: 'In einem neuen Fenster öffnen',
    continue: 'Weiter',
    working: 'Einen Moment bitte.',
  },
  fr: {
    failed: {
      title: 'L’activité n’a pas pu être ouverte',
      text: 'Rouvrez le cours. Si l’erreur persiste, adressez-vous à votre administrateur.',
    },
    ownWindow: {
      title: 'Ouvrez l’activité dans une fenêtre séparée',
      text: 'Vos résultats apparaîtront ici dès que l’activité les aura envoyés.',
    },
    saved: {
      title: 'Le contenu a été choisi',
      text: 'Le cours l’ouvre désormais. Vous pouvez fermer cette page.',
    },
    nothing: {
      title: 'Aucun contenu n’a été choisi',
      text: 'Le cours reste inchangé. Vous pouvez fermer cette page.',
    },
    open: 'Ouvrir dans une nouvelle fenêtre',
    continue: 'Continuer',
    working: 'Un instant, s’il vous plaît.',
  },
};

/** The pages open in the player's frame, and in windows that tools check. */
function page(
  request: FastifyRequest,
  input: Pick<PlainPage, 'status' | 'title' | 'text'> & Partial<PlainPage>,
): RouteResponse {
  const language = languageOf(request);
  const made = plainPage({ language, branding: noBranding, framing: '*', ...input });
  return { ...made, headers: { ...made.headers, 'Cross-Origin-Opener-Policy': 'unsafe-none' } };
}

const textsOf = (request: FastifyRequest) => texts[languageOf(request)];

/** `detail` is for the administrator. */
export function failedPage(
  request: FastifyRequest,
  { status, code, detail = '' }: { status: number; code: string; detail?: string },
): RouteResponse {
  const more = `<p><small>${code} ${escapeHtml(detail)}</small></p>`;
  return page(request, { ...textsOf(request).failed, status, more });
}

/** For tools that refuse to be shown in frames. */
export function windowPage(
  request: FastifyRequest,
  { title, url }: { title: string; url: string },
): RouteResponse {
  const { ownWindow, open } = textsOf(request);
  const more = `<div class="links"><a class="button" target="_blank" rel="noopener" href="${escapeHtml(url)}">${open}: ${escapeHtml(title)}</a></div>`;
  return page(request, { ...ownWindow, status: 200, more });
}

const sendScript = `document.querySelector('form').submit()`;

/** Posts fields to a URL of the tool, which may redirect to any of its hosts. */
export function sendPage(
  request: FastifyRequest,
  { to, fields }: { to: string; fields: Record<string, string> },
): RouteResponse {
  const { working: title, continue: go } = textsOf(request);
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`,
  );
  const more = `<form method="post" action="${escapeHtml(to)}">${inputs.join('')}<button>${go}</button></form>`;
  return page(request, {
    ...{ status: 200, title, text: '', more },
    ...{ script: sendScript, formAction: '* http: https:' },
  });
}

export const chosenPage = (request: FastifyRequest, isChosen: boolean): RouteResponse =>
  page(request, { status: 200, ...textsOf(request)[isChosen ? 'saved' : 'nothing'] });
