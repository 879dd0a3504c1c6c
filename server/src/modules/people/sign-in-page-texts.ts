import type { Language } from '../tenants/schemas.ts';

type Text = { title: string; text: string };

/** The pages of sign-in links. */
export type SignInPageTexts = Record<'signIn' | 'usedLink' | 'suspended' | 'crossSite', Text> & {
  continue: string;
};

export const signInPageTexts: Record<Language, SignInPageTexts> = {
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
