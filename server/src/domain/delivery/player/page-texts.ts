import type { FastifyRequest } from 'fastify';
import { inWords } from '../../enrolments/record/rules.ts';
import type { ruleCodes } from '../../enrolments/record/schemas.ts';
import { suspendedReason } from '../../tenants/tenants.ts';

type Rule = (typeof ruleCodes)[number];
type Text = { title: string; reason: string };
/**
 * A launch rule that failed. `detail` is its English text, `until` is the end of a waiting time,
 * and `limit` is the number of attempts.
 */
export type Refusal = { rule: Rule; detail: string; until: Date | null; limit: number };

/**
 * The texts of pages that the service itself shows to learners. The player has its own texts
 * (`player/messages.ts`).
 */
type PageTexts = {
  back: string;
  close: string;
  /** The link to the latest attempt, if no new one can start. */
  review: string;
  /** The title for an error that has no text of its own in this language. */
  cannotOpen: string;
  /** The link that starts the course. It is shown if a review was requested although an attempt is possible. */
  start: string;
  pages: Record<
    | 'brokenLink'
    | 'busy'
    | 'suspended'
    | 'outdated'
    | 'otherHost'
    | 'expiredPreview'
    | 'leftUnit'
    | 'missing',
    Text
  >;
  startable: (course: string) => Text;
  /** The title if the learner has completed the course and has no attempt left. */
  completed: (course: string) => string;
  refused: (course: string) => string;
  refusal: (refusal: Refusal) => string;
};

export const oldLink =
  'This link has expired. Go back to the page where you found the course, and open it again.';

const english: PageTexts = {
  back: 'Go back',
  close: 'You can close this page.',
  review: 'Look at the course again without changing your result',
  start: 'Start the course',
  cannotOpen: 'This page cannot be opened',
  pages: {
    busy: {
      title: 'The service is busy',
      reason: 'Nothing is lost. This page retries automatically in a few seconds.',
    },
    brokenLink: {
      title: 'This link does not work',
      reason:
        'The link is incomplete or was not created by this service. Go back to the page where you found the course, and open it again.',
    },
    suspended: { title: 'This course cannot be opened', reason: suspendedReason },
    outdated: { title: 'This page is out of date', reason: oldLink },
    otherHost: {
      title: 'This page is out of date',
      reason:
        'The page does not belong to this address. Go back to the page where you found the course, and open it again.',
    },
    expiredPreview: {
      title: 'This preview has expired',
      reason: 'The link is incomplete or older than 15 minutes. Create a new preview.',
    },
    missing: {
      title: 'This page is missing from the course',
      reason:
        'The course refers to a page that is not in its package. Continue with another part, and tell your administrator.',
    },
    leftUnit: { title: 'You have left this part', reason: 'Your results are saved.' },
  },
  startable: (course) => ({
    title: `You can take “${course}” now`,
    reason: 'A new attempt is possible, and its results will be recorded.',
  }),
  completed: (course) => `You have completed “${course}”`,
  refused: (course) => `“${course}” cannot be opened`,
  refusal: ({ detail }) => detail,
};

const german: PageTexts = {
  back: 'Zurück',
  close: 'Sie können diese Seite schließen.',
  review: 'Den Kurs noch einmal ansehen, ohne das Ergebnis zu ändern',
  start: 'Kurs starten',
  cannotOpen: 'Diese Seite kann nicht geöffnet werden',
  pages: {
    busy: {
      title: 'Der Dienst ist ausgelastet',
      reason:
        'Es ist nichts verloren gegangen. Diese Seite versucht es in wenigen Sekunden automatisch erneut.',
    },
    brokenLink: {
      title: 'Dieser Link funktioniert nicht',
      reason:
        'Der Link ist unvollständig oder stammt nicht von diesem Dienst. Gehen Sie zurück zu der Seite, auf der Sie den Kurs gefunden haben, und öffnen Sie ihn erneut.',
    },
    suspended: {
      title: 'Dieser Kurs kann nicht geöffnet werden',
      reason:
        'Der Zugang ist zurzeit gesperrt. Es ist nichts verloren gegangen. Versuchen Sie es später erneut oder wenden Sie sich an Ihre Administration.',
    },
    outdated: {
      title: 'Diese Seite ist nicht mehr aktuell',
      reason:
        'Der Link ist abgelaufen. Gehen Sie zurück zu der Seite, auf der Sie den Kurs gefunden haben, und öffnen Sie ihn erneut.',
    },
    otherHost: {
      title: 'Diese Seite ist nicht mehr aktuell',
      reason:
        'Sie gehört nicht zu dieser Adresse. Gehen Sie zurück zu der Seite, auf der Sie den Kurs gefunden haben, und öffnen Sie ihn erneut.',
    },
    expiredPreview: {
      title: 'Diese Vorschau ist abgelaufen',
      reason: 'Der Link ist unvollständig oder älter als 15 Minuten. Erstellen Sie eine neue Vorschau.',
    },
    missing: {
      title: 'Diese Seite fehlt im Kurs',
      reason:
        'Der Kurs verweist auf eine Seite, die nicht in seinem Paket ist. Fahren Sie mit einem anderen Teil fort und informieren Sie Ihre Administration.',
    },
    leftUnit: { title: 'Sie haben diesen Teil verlassen', reason: 'Ihre Ergebnisse sind gespeichert.' },
  },
  startable: (course) => ({
    title: `Sie können „${course}“ jetzt starten`,
    reason: 'Ein neuer Versuch ist möglich. Seine Ergebnisse werden gespeichert.',
  }),
  completed: (course) => `Sie haben „${course}“ abgeschlossen`,
  refused: (course) => `„${course}“ kann nicht geöffnet werden`,
  refusal: ({ rule, until, limit }) =>
    ({
      user_enabled: 'Dieses Konto ist deaktiviert. Bitten Sie Ihre Administration, es wieder zu aktivieren.',
      not_withdrawn:
        'Ihre Einschreibung wurde zurückgezogen. Bitten Sie Ihre Administration, Sie erneut einzuschreiben.',
      not_expired:
        'Ihr Zugang zu diesem Kurs ist abgelaufen. Bitten Sie Ihre Administration, ihn zu verlängern. Ihre Ergebnisse bleiben erhalten.',
      course_available: 'Der Kurs ist zurzeit nicht veröffentlicht. Versuchen Sie es später erneut.',
      course_playable: 'Der Kurs hat noch keinen Inhalt. Versuchen Sie es später erneut.',
      attempts_left: `${limit === 1 ? 'Der einzige Versuch für diesen Kurs ist aufgebraucht' : `Sie haben ${limit} von ${limit} Versuchen für diesen Kurs aufgebraucht`}. Bitten Sie Ihre Administration um einen weiteren. Ihre Ergebnisse bleiben erhalten.`,
      cool_down_over: `Der nächste Versuch ist ab dem ${inWords(until, 'de')} möglich. Öffnen Sie den Kurs dann erneut. Ihre Ergebnisse bleiben erhalten.`,
      signed_in:
        'Dieser Kurs verlangt eine Anmeldung, aber dafür ist nichts eingerichtet. Wenden Sie sich an Ihre Administration.',
    })[rule],
};

const french: PageTexts = {
  back: 'Retour',
  close: 'Vous pouvez fermer cette page.',
  review: 'Revoir le cours sans modifier votre résultat',
  start: 'Commencer le cours',
  cannotOpen: 'Impossible d’ouvrir cette page',
  pages: {
    busy: {
      title: 'Le service est surchargé',
      reason: 'Rien n’a été perdu. Cette page réessaie automatiquement dans quelques secondes.',
    },
    brokenLink: {
      title: 'Ce lien ne fonctionne pas',
      reason:
        'Le lien est incomplet ou n’a pas été créé par ce service. Revenez à la page où vous avez trouvé le cours et ouvrez-le à nouveau.',
    },
    suspended: {
      title: 'Impossible d’ouvrir ce cours',
      reason:
        'L’accès est actuellement suspendu. Rien n’a été perdu. Réessayez plus tard ou contactez votre administrateur.',
    },
    outdated: {
      title: 'Cette page n’est plus à jour',
      reason: 'Le lien a expiré. Revenez à la page où vous avez trouvé le cours et ouvrez-le à nouveau.',
    },
    otherHost: {
      title: 'Cette page n’est plus à jour',
      reason:
        'Elle n’appartient pas à cette adresse. Revenez à la page où vous avez trouvé le cours et ouvrez-le à nouveau.',
    },
    expiredPreview: {
      title: 'Cet aperçu a expiré',
      reason: 'Le lien est incomplet ou date de plus de 15 minutes. Créez un nouvel aperçu.',
    },
    missing: {
      title: 'Cette page est absente du cours',
      reason:
        'Le cours renvoie à une page qui ne se trouve pas dans son paquet. Passez à une autre partie et prévenez votre administrateur.',
    },
    leftUnit: { title: 'Vous avez quitté cette partie', reason: 'Vos résultats sont enregistrés.' },
  },
  startable: (course) => ({
    title: `Vous pouvez suivre « ${course} » maintenant`,
    reason: 'Une nouvelle tentative est possible, et ses résultats seront enregistrés.',
  }),
  completed: (course) => `Vous avez terminé « ${course} »`,
  refused: (course) => `Impossible d’ouvrir « ${course} »`,
  refusal: ({ rule, until, limit }) =>
    ({
      user_enabled: 'Ce compte est désactivé. Demandez à votre administrateur de l’activer.',
      not_withdrawn:
        'Votre inscription à ce cours a été annulée. Demandez à votre administrateur de vous réinscrire.',
      not_expired:
        'Votre accès à ce cours a expiré. Demandez à votre administrateur de le prolonger. Vos résultats sont conservés.',
      course_available: 'Ce cours n’est pas publié pour le moment. Réessayez plus tard.',
      course_playable: 'Ce cours n’a pas encore de contenu. Réessayez plus tard.',
      attempts_left: `${limit === 1 ? 'La seule tentative pour ce cours a été utilisée' : `Les ${limit} tentatives pour ce cours ont été utilisées`}. Demandez-en une autre à votre administrateur. Vos résultats sont conservés.`,
      cool_down_over: `La prochaine tentative sera possible à partir du ${inWords(until, 'fr')}. Ouvrez alors à nouveau le cours. Vos résultats sont conservés.`,
      signed_in:
        'Ce cours exige une connexion, mais aucune n’est configurée. Adressez-vous à votre administrateur.',
    })[rule],
};

const texts = { en: english, de: german, fr: french };
export type Language = keyof typeof texts;

/**
 * Returns the first supported language in `Accept-Language`, or English. Browsers list the
 * preferred language first.
 */
export function languageOf({ headers }: Pick<FastifyRequest, 'headers'>): Language {
  const tags = (headers['accept-language'] ?? '').slice(0, 200).toLowerCase().split(',', 20);
  const wanted = tags.map((tag) => tag.trim().slice(0, 2));
  return wanted.find((tag): tag is Language => Object.hasOwn(texts, tag)) ?? 'en';
}

export function textsIn(language: Language): PageTexts {
  return texts[language];
}
