import type { Language } from '../../tenants/schemas.ts';

type PageTexts = Record<
  'working' | 'offline' | 'unreachable' | 'again' | 'closed' | 'noLms' | 'pending',
  string
>;

/** Texts of the page in the package, which must work without a connection. */
export const pageTexts: Record<Language, PageTexts> = {
  en: {
    working: 'Opening the course …',
    offline: 'The connection is slow. Trying again …',
    unreachable: 'The course could not be reached. Check your connection, and then try again.',
    again: 'Try again',
    closed: 'Your progress is saved. You can leave this page.',
    noLms: 'Your learning platform does not respond. Close this page, and then open the course again there.',
    pending: 'Your learning platform has not confirmed your result yet. Trying again …',
  },
  de: {
    working: 'Der Kurs wird geöffnet …',
    offline: 'Die Verbindung ist langsam. Neuer Versuch …',
    unreachable: 'Der Kurs ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
    again: 'Erneut versuchen',
    closed: 'Ihr Fortschritt ist gespeichert. Sie können diese Seite verlassen.',
    noLms:
      'Ihre Lernplattform antwortet nicht. Schließen Sie diese Seite und öffnen Sie den Kurs dort erneut.',
    pending: 'Ihre Lernplattform hat Ihr Ergebnis noch nicht bestätigt. Neuer Versuch …',
  },
  fr: {
    working: 'Ouverture du cours …',
    offline: 'La connexion est lente. Nouvel essai …',
    unreachable: 'Le cours est injoignable. Vérifiez votre connexion, puis réessayez.',
    again: 'Réessayer',
    closed: 'Votre progression est enregistrée. Vous pouvez quitter cette page.',
    noLms: 'Votre plateforme ne répond pas. Fermez cette page, puis ouvrez-y à nouveau le cours.',
    pending: 'Votre plateforme n’a pas encore confirmé votre résultat. Nouvel essai …',
  },
};
