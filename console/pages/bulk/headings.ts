import { hasCourses, isField, type Subject, subjectInfo, withoutCourseFields } from './subjects.ts';

/** The names of fields in files from HR systems and spreadsheets, in the console's languages. */
const synonyms: Record<string, readonly string[]> = {
  LoginID: [
    ...['User ID', 'Username', 'Login', 'Login name', 'User', 'ID', 'Staff no', 'Staff number', 'Staff ID'],
    ...[
      'Employee no',
      'Employee number',
      'Employee ID',
      'Personnel no',
      'Personnel number',
      'Payroll number',
    ],
    ...['Personalnummer', 'Personalnr', 'Mitarbeiternummer', 'Mitarbeiter-Nr', 'Benutzername', 'Anmeldename'],
    ...['Benutzer', 'Benutzerkennung', 'Identifiant', 'Matricule', 'Nom d’utilisateur', 'Numéro d’employé'],
  ],
  FirstName: ['Forename', 'Given name', 'Vorname', 'Rufname', 'Prénom'],
  LastName: ['Surname', 'Family name', 'Nachname', 'Familienname', 'Zuname', 'Nom', 'Nom de famille'],
  GroupName: [
    ...['Group', 'Department', 'Dept', 'Team', 'Company', 'Gruppe', 'Abteilung', 'Bereich', 'Firma'],
    ...['Groupe', 'Département', 'Service', 'Équipe', 'Entreprise'],
  ],
  Email: [
    ...['Email address', 'E-mail', 'Mail', 'Work email', 'E-Mail-Adresse', 'Mailadresse', 'Adresse e-mail'],
    ...['Courriel', 'Adresse électronique'],
  ],
  IsAdmin: ['Administrator', 'Administrateur'],
  Register: ['Registered themselves', 'Selbst registriert', 'Inscription autonome'],
  Enabled: ['Active', 'Aktiv', 'Actif'],
  CourseID: ['Course', 'Course code', 'Kurs', 'Kurs-ID', 'Kursnummer', 'Cours', 'Code du cours'],
  DurationID: ['Option', 'Enrolment option', 'Duration', 'Dauer', 'Durée'],
  ExpiresAt: [
    ...['End', 'End date', 'Access ends', 'Access until', 'Valid until', 'Expires', 'Expiry date', 'Ende'],
    ...['Enddatum', 'Zugriff bis', 'Zugang bis', 'Gültig bis', 'Ablaufdatum', 'Fin', 'Date de fin'],
    ...['Fin d’accès', 'Accès jusqu’au', 'Valable jusqu’au', 'Date d’expiration'],
  ],
  Reference: [
    ...['Order number', 'Order no', 'Purchase order', 'Bestellnummer', 'Bestellung', 'Referenz'],
    ...['Référence', 'Numéro de commande', 'Bon de commande'],
  ],
};

/** Converts a name to lower case, without accents, spaces and punctuation. */
const plain = (name: string) =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

const fieldsByHeading = new Map(
  Object.entries(synonyms).flatMap(([field, names]) => names.map((name) => [plain(name), field] as const)),
);

/** Finds the field for a column header in any spelling, including common synonyms. Null if no field matches. */
export function fieldFor(subject: Subject, column: string): string | null {
  const name = column.trim();
  if (isField(subject, name)) return name;
  const { fields } = subjectInfo[subject];
  const spelt = fields.find((field) => field !== 'Metadata' && plain(field) === plain(name));
  if (spelt) return spelt;
  const usual = fieldsByHeading.get(plain(name));
  return usual !== undefined && isField(subject, usual) ? usual : null;
}

/**
 * The field for each column. If several columns match a field, only one gets it: the column with its exact name or, if
 * there is none, the first column.
 */
export function fieldsFor(subject: Subject, columns: readonly string[]): (string | null)[] {
  const fields = columns.map((column) => fieldFor(subject, column));
  const columnOf = (field: string) => {
    const exact = columns.findIndex((column) => column.trim() === field);
    return exact < 0 ? fields.indexOf(field) : exact;
  };
  const chosen = fields.map((field, at) => (field !== null && columnOf(field) === at ? field : null));
  return subject === 'users' && !hasCourses(subject, chosen) ? withoutCourseFields(chosen) : chosen;
}

/** Rows that may precede the header, such as a title and a date. */
export const maxTitleRows = 9;

/** Finds the row with the column names. This is the first row, unless only a later row has known names. */
export function headerRowOf(subject: Subject, rows: readonly (readonly string[])[]): number {
  const known = rows.map((cells) => cells.filter((cell) => fieldFor(subject, cell) !== null).length);
  const filled = rows.map((cells) => cells.filter((cell) => cell.trim() !== '').length);
  if ((known[0] ?? 0) > 0) return 0;
  const header = known.findIndex((count, row) => count > 1 || (count === 1 && filled[row] === 1));
  return Math.max(header, 0);
}
