import { inWords } from '../../enrolments/record/rules.ts';
import type { Explanation } from '../../enrolments/record/schemas.ts';
import type { Language } from './page-texts.ts';

type Rule = NonNullable<Explanation['Parts'][number]['Rule']>;
/** Why the learner cannot be enrolled. Launch rules have texts of their own. */
type Closing = 'no_seats_left' | 'course_retired' | 'no_option' | 'unavailable';

export type PathTexts = {
  /** How many of the needed courses are done. */
  progress: (done: number, needed: number) => string;
  completed: string;
  /** Nothing can be opened at present. */
  waiting: string;
  start: (course: string) => string;
  continue: (course: string) => string;
  again: (course: string) => string;
  step: (number: number) => string;
  anyOf: (need: number, of: number) => string;
  optional: string;
  states: Record<'completed' | 'failed' | 'in_progress' | 'open' | 'closed', string>;
  percent: (progress: number) => string;
  earlierStep: (number: number) => string;
  closings: Record<Closing, string>;
  due: (day: Date, timeZone: string) => string;
  ends: (time: Date) => string;
  courses: string;
  closedNow: string;
};

const dayIn = (locale: string, day: Date, timeZone: string) =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone }).format(day);

const english: PathTexts = {
  progress: (done, needed) => `${done} of ${needed} courses completed`,
  completed: 'You have completed this path.',
  waiting: 'No course can be opened at the moment. The reasons are below.',
  start: (course) => `Start: ${course}`,
  continue: (course) => `Continue: ${course}`,
  again: (course) => `Try again: ${course}`,
  step: (number) => `Step ${number}`,
  anyOf: (need, of) => (need === 1 ? `Any one of these ${of} courses` : `Any ${need} of these ${of} courses`),
  optional: 'Optional',
  states: {
    completed: 'Completed',
    failed: 'Not passed yet',
    in_progress: 'In progress',
    open: 'Not started',
    closed: 'Closed',
  },
  percent: (progress) => `${progress} %`,
  earlierStep: (number) => `Opens when step ${number} is done.`,
  closings: {
    no_seats_left: 'All seats of this course are taken. Ask your administrator for one.',
    course_retired: 'This course is no longer offered. Ask your administrator.',
    no_option: 'You cannot be enrolled on this course. Ask your administrator.',
    unavailable: 'This course is not available at the moment. Try again later.',
  },
  due: (day, zone) => `Due ${dayIn('en-GB', day, zone)}`,
  ends: (time) => `Access until ${inWords(time, 'en-GB')}`,
  courses: 'Courses of this path',
  closedNow: 'This course could not be opened. The reason is below.',
};

const german: PathTexts = {
  progress: (done, needed) => `${done} von ${needed} Kursen abgeschlossen`,
  completed: 'Sie haben diesen Lernpfad abgeschlossen.',
  waiting: 'Zurzeit kann kein Kurs geöffnet werden. Die Gründe stehen unten.',
  start: (course) => `Starten: ${course}`,
  continue: (course) => `Fortsetzen: ${course}`,
  again: (course) => `Erneut versuchen: ${course}`,
  step: (number) => `Schritt ${number}`,
  anyOf: (need, of) =>
    need === 1 ? `Einer dieser ${of} Kurse nach Wahl` : `${need} dieser ${of} Kurse nach Wahl`,
  optional: 'Freiwillig',
  states: {
    completed: 'Abgeschlossen',
    failed: 'Noch nicht bestanden',
    in_progress: 'Begonnen',
    open: 'Nicht begonnen',
    closed: 'Geschlossen',
  },
  percent: (progress) => `${progress} %`,
  earlierStep: (number) => `Öffnet sich, sobald Schritt ${number} erledigt ist.`,
  closings: {
    no_seats_left: 'Alle Plätze dieses Kurses sind vergeben. Bitten Sie Ihre Administration um einen Platz.',
    course_retired: 'Dieser Kurs wird nicht mehr angeboten. Wenden Sie sich an Ihre Administration.',
    no_option:
      'Sie können für diesen Kurs nicht eingeschrieben werden. Wenden Sie sich an Ihre Administration.',
    unavailable: 'Dieser Kurs ist zurzeit nicht verfügbar. Versuchen Sie es später erneut.',
  },
  due: (day, zone) => `Fällig am ${dayIn('de', day, zone)}`,
  ends: (time) => `Zugang bis ${inWords(time, 'de')}`,
  courses: 'Kurse dieses Lernpfads',
  closedNow: 'Dieser Kurs konnte nicht geöffnet werden. Der Grund steht unten.',
};

const french: PathTexts = {
  progress: (done, needed) => `${done} cours sur ${needed} ${done > 1 ? 'terminés' : 'terminé'}`,
  completed: 'Vous avez terminé ce parcours.',
  waiting: 'Aucun cours ne peut être ouvert pour le moment. Les raisons figurent ci-dessous.',
  start: (course) => `Commencer : ${course}`,
  continue: (course) => `Continuer : ${course}`,
  again: (course) => `Réessayer : ${course}`,
  step: (number) => `Étape ${number}`,
  anyOf: (need, of) =>
    need === 1 ? `Un de ces ${of} cours au choix` : `${need} de ces ${of} cours au choix`,
  optional: 'Facultatif',
  states: {
    completed: 'Terminé',
    failed: 'Pas encore réussi',
    in_progress: 'En cours',
    open: 'Non commencé',
    closed: 'Fermé',
  },
  percent: (progress) => `${progress} %`,
  earlierStep: (number) => `S’ouvre lorsque l’étape ${number} est terminée.`,
  closings: {
    no_seats_left: 'Toutes les places de ce cours sont prises. Demandez-en une à votre administrateur.',
    course_retired: 'Ce cours n’est plus proposé. Contactez votre administrateur.',
    no_option: 'Vous ne pouvez pas être inscrit à ce cours. Contactez votre administrateur.',
    unavailable: 'Ce cours n’est pas disponible pour le moment. Réessayez plus tard.',
  },
  due: (day, zone) => `À terminer au plus tard le ${dayIn('fr', day, zone)}`,
  ends: (time) => `Accès jusqu’au ${inWords(time, 'fr')}`,
  courses: 'Cours de ce parcours',
  closedNow: 'Ce cours n’a pas pu être ouvert. La raison figure ci-dessous.',
};

export const pathTexts: Record<Language, PathTexts> = { en: english, de: german, fr: french };

const closingOf: Partial<Record<Rule, Closing>> = {
  no_seats_left: 'no_seats_left',
  course_retired: 'course_retired',
  course_not_found: 'unavailable',
  no_enrolment_option: 'no_option',
  multiple_enrolment_options: 'no_option',
  option_not_found: 'no_option',
};

/** The text for a rule that prevents an enrolment; null for other rules. */
export function closingText(language: Language, rule: Rule): string | null {
  const closing = closingOf[rule];
  return closing === undefined ? null : pathTexts[language].closings[closing];
}
