import { fold } from '../../lib/unicode.ts';
import { NewUser } from '../users/schemas.ts';

export type Subject = 'users' | 'enrolments';

const courseFields = ['CourseID', 'DurationID', 'DueAt', 'ExpiresAt', 'IfEnrolled', 'Reference'] as const;
/** Files do not set passwords, because the rows are kept until the import is deleted. */
const userFields = Object.keys(NewUser.properties).filter((name) => name !== 'Password');
const fields: readonly string[] = [...userFields, ...courseFields];
const metadata = 'Metadata.';
/** Fields with members, each of which is a column. */
export const memberFields = ['Metadata', 'Attributes'] as const;
const isMember = (name: string) =>
  memberFields.some((field) => name.startsWith(`${field}.`) && name.length > field.length + 1);

/** The names of fields in files from HR systems and spreadsheets, in the languages of the console. */
const synonyms: Record<string, readonly string[]> = {
  CourseID: [
    ...['Course', 'Course code', 'Course title', 'Course name', 'Training', 'Kurs', 'Kurs-ID'],
    ...['Kursnummer', 'Kurstitel', 'Cours', 'Code du cours', 'Titre du cours', 'Formation'],
  ],
  DueAt: [
    ...['Due', 'Due date', 'Due by', 'Deadline', 'Must be done by', 'Must be completed by', 'Complete by'],
    ...['Fällig', 'Fällig am', 'Fälligkeit', 'Frist', 'Zu erledigen bis', 'Abzuschließen bis'],
    ...['Échéance', 'Date limite', 'À terminer avant', 'À faire avant', 'À faire avant le'],
  ],
  DurationID: ['Option', 'Enrolment option', 'Duration', 'Dauer', 'Durée'],
  Email: [
    ...['Email address', 'E-mail', 'Mail', 'Work email', 'E-Mail-Adresse', 'Mailadresse', 'Adresse e-mail'],
    ...['Courriel', 'Adresse électronique'],
  ],
  Enabled: ['Active', 'Aktiv', 'Aktiviert', 'Actif', 'Activé'],
  ExpiresAt: [
    ...['End', 'End date', 'Access ends', 'Access until', 'Valid until', 'Expires', 'Expiry date', 'Ende'],
    ...[
      'Enddatum',
      'Zugang endet',
      'Zugriff bis',
      'Zugang bis',
      'Gültig bis',
      'Ablaufdatum',
      'Fin',
      'Date de fin',
    ],
    ...['Fin d’accès', 'Accès jusqu’au', 'Valable jusqu’au', 'Date d’expiration'],
  ],
  FirstName: ['Forename', 'Given name', 'Vorname', 'Rufname', 'Prénom'],
  GroupName: [
    ...['Group', 'Department', 'Dept', 'Team', 'Company', 'Gruppe', 'Abteilung', 'Bereich', 'Firma'],
    ...['Groupe', 'Département', 'Service', 'Équipe', 'Entreprise'],
  ],
  Groups: ['Departments', 'Teams', 'Gruppen', 'Abteilungen', 'Groupes', 'Équipes'],
  IsAdmin: ['Administrator', 'Administrateur'],
  LastName: ['Surname', 'Family name', 'Nachname', 'Familienname', 'Zuname', 'Nom', 'Nom de famille'],
  LoginID: [
    ...['User ID', 'Username', 'Login', 'Login name', 'User', 'ID', 'Staff no', 'Staff number', 'Staff ID'],
    ...['Employee no', 'Employee number', 'Employee ID', 'Personnel no', 'Personnel number'],
    ...['Payroll number', 'Personalnummer', 'Personalnr', 'Mitarbeiternummer', 'Mitarbeiter-Nr'],
    ...['Benutzername', 'Anmeldename', 'Benutzer', 'Benutzerkennung', 'Identifiant', 'Matricule'],
    ...['Nom d’utilisateur', 'Numéro d’employé'],
  ],
  ManagerLoginID: [
    ...['Manager', 'Manager ID', 'Line manager', 'Line manager ID', 'Supervisor', 'Supervisor ID'],
    ...['Reports to', 'Vorgesetzter', 'Vorgesetzte', 'Vorgesetzten-ID', 'Führungskraft', 'Responsable'],
    ...['Supérieur', 'Supérieur hiérarchique', 'N+1', 'Identifiant du responsable'],
  ],
  Reference: [
    ...['Order number', 'Order no', 'Purchase order', 'Bestellnummer', 'Bestellung', 'Referenz'],
    ...['Référence', 'Numéro de commande', 'Bon de commande'],
  ],
  Register: ['Registered themselves', 'Selbst registriert', 'Inscription autonome'],
};

/** In lower case, without accents, spaces and punctuation. */
const plain = (name: string) => fold(name).replaceAll(/[^\p{L}\p{N}]/gu, '');

const fieldsByHeading = new Map<string, string>([
  ...Object.entries(synonyms).flatMap(([field, names]) => names.map((name) => [plain(name), field] as const)),
  ...fields.map((field) => [plain(field), field] as const),
]);

export const isField = (name: string) => fields.includes(name) || isMember(name);

const fieldFor = (column: string) =>
  isField(column.trim()) ? column.trim() : (fieldsByHeading.get(plain(column)) ?? null);

const isOfCourse = (field: string) =>
  field.startsWith(metadata) || (courseFields as readonly string[]).includes(field);

/** Why a known column is not imported. */
export type Meaning = 'password' | 'no_course';
export type FileColumn = { Name: string; Field: string | null; Meaning: Meaning | null };

/**
 * The field for each column. If several columns match a field, the one with the exact name or the first one gets it.
 * Without a course, the fields of an enrolment have no effect.
 */
export function columnsOf(names: readonly string[], hasCourse: boolean): FileColumn[] {
  const found = names.map(fieldFor);
  const chosen = found.map((field, at) => {
    const exact = names.findIndex((name) => name.trim() === field);
    return (exact < 0 ? found.indexOf(field) : exact) === at ? field : null;
  });
  return withMeanings(names, chosen, hasCourse || chosen.includes('CourseID'));
}

/** The columns with the fields that the caller has chosen. */
export function withMeanings(
  names: readonly string[],
  chosen: readonly (string | null)[],
  hasCourse: boolean,
): FileColumn[] {
  return names.map((name, at) => {
    const field = chosen[at] ?? null;
    if (field !== null && !hasCourse && isOfCourse(field))
      return { Name: name, Field: null, Meaning: 'no_course' };
    const known = plain(name) === 'password' ? 'password' : null;
    return { Name: name, Field: field, Meaning: field === null ? known : null };
  });
}

/** A list of LoginIDs with a course enrols people. Any other field of a person makes it a list of people. */
export function subjectOf(columns: readonly FileColumn[], hasCourse: boolean): Subject {
  const known = columns.flatMap(({ Field }) => Field ?? []);
  const isOfPeople = known.some((field) => field !== 'LoginID' && !isOfCourse(field));
  return !isOfPeople && (hasCourse || known.includes('CourseID')) ? 'enrolments' : 'users';
}

/** Rows that may precede the header, such as a title and a date. */
export const maxTitleRows = 9;

/** The row with the column names: the first row, unless only a later row has known names. */
export function headerRowOf(rows: readonly (readonly string[])[]): number {
  const known = rows.map((cells) => cells.filter((cell) => fieldFor(cell) !== null).length);
  const filled = rows.map((cells) => cells.filter((cell) => cell.trim() !== '').length);
  if ((known[0] ?? 0) > 0) return 0;
  return Math.max(
    0,
    known.findIndex((count, row) => count > 1 || (count === 1 && filled[row] === 1)),
  );
}
