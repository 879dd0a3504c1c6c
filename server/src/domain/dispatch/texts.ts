import type { Language } from '../tenants/schemas.ts';

/** Why a course is not opened for a learner of another LMS. */
export type Refusal = 'unknown' | 'stopped' | 'ended' | 'full' | 'nobody' | 'not_offered';

/** Title and text of each refusal. The learners do not know this service, only their own LMS. */
export const refusalTexts: Record<Language, Record<Refusal, readonly [title: string, text: string]>> = {
  en: {
    unknown: [
      'This course no longer exists',
      'Ask the administrator of your learning platform to remove it.',
    ],
    stopped: [
      'This course is currently not available',
      'Its provider has stopped it. Ask your administrator.',
    ],
    ended: ['This course has ended', 'The time for which it was provided is over. Ask your administrator.'],
    full: ['All places are taken', 'Ask your administrator for another place. Nothing has been lost.'],
    nobody: [
      'You could not be recognised',
      'Your learning platform did not say who you are. Open the course again.',
    ],
    not_offered: [
      'You cannot open this course',
      'Its provider does not offer it to you. Ask your administrator.',
    ],
  },
  de: {
    unknown: [
      'Diesen Kurs gibt es nicht mehr',
      'Bitten Sie die Administration Ihrer Lernplattform, ihn zu entfernen.',
    ],
    stopped: [
      'Dieser Kurs ist derzeit nicht verfügbar',
      'Der Anbieter hat ihn angehalten. Fragen Sie Ihre Administration.',
    ],
    ended: [
      'Dieser Kurs ist beendet',
      'Der Zeitraum, für den er bereitgestellt wurde, ist vorbei. Fragen Sie Ihre Administration.',
    ],
    full: [
      'Alle Plätze sind vergeben',
      'Bitten Sie Ihre Administration um einen weiteren Platz. Es ist nichts verloren gegangen.',
    ],
    nobody: [
      'Sie wurden nicht erkannt',
      'Ihre Lernplattform hat nicht mitgeteilt, wer Sie sind. Öffnen Sie den Kurs erneut.',
    ],
    not_offered: [
      'Sie können diesen Kurs nicht öffnen',
      'Der Anbieter stellt ihn Ihnen nicht bereit. Fragen Sie Ihre Administration.',
    ],
  },
  fr: {
    unknown: ['Ce cours n’existe plus', 'Demandez à l’administrateur de votre plateforme de le retirer.'],
    stopped: [
      'Ce cours n’est pas disponible actuellement',
      'Son fournisseur l’a suspendu. Adressez-vous à votre administrateur.',
    ],
    ended: [
      'Ce cours est terminé',
      'La période pour laquelle il était fourni est écoulée. Adressez-vous à votre administrateur.',
    ],
    full: [
      'Toutes les places sont prises',
      'Demandez une autre place à votre administrateur. Rien n’est perdu.',
    ],
    nobody: [
      'Vous n’avez pas été reconnu',
      'Votre plateforme n’a pas indiqué qui vous êtes. Ouvrez à nouveau le cours.',
    ],
    not_offered: [
      'Vous ne pouvez pas ouvrir ce cours',
      'Son fournisseur ne vous le propose pas. Adressez-vous à votre administrateur.',
    ],
  },
};
