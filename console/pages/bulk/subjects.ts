import type { components } from '../../../client/src/generated.ts';

type NewUser = components['schemas']['NewUser'];

export const subjects = ['users', 'enrolments'] as const;
export type Subject = (typeof subjects)[number];
export const isSubject = (text: string | undefined): text is Subject =>
  subjects.some((subject) => subject === text);

/** Each member of Metadata has its own column, such as Metadata.colour. */
const metadata = 'Metadata.';

type SubjectInfo = {
  path: '/user/bulk' | '/enrol/bulk';
  fields: readonly string[];
  required: readonly string[];
  /** Example rows for people preparing a file. */
  template: readonly (readonly string[])[];
};

const userFields = [
  'LoginID',
  'FirstName',
  'LastName',
  'GroupName',
  'Email',
  'Password',
  'IsAdmin',
  'Register',
  'Enabled',
  'IfExists',
  'IfMissing',
] as const satisfies readonly (keyof NewUser)[];
const enrolmentFields = ['LoginID', 'CourseID', 'DurationID', 'IfEnrolled', 'Reference', 'Metadata'] as const;

export type Field = (typeof userFields)[number] | (typeof enrolmentFields)[number];

export const subjectInfo = {
  users: {
    path: '/user/bulk',
    fields: userFields,
    required: ['LoginID'],
    template: [
      ['LoginID', 'FirstName', 'LastName', 'GroupName', 'Email'],
      ['anna.berg', 'Anna', 'Berg', 'Sales', 'anna.berg@example.com'],
      ['ben.cole', 'Ben', 'Cole', 'Stock', 'ben.cole@example.com'],
    ],
  },
  enrolments: {
    path: '/enrol/bulk',
    fields: enrolmentFields,
    required: ['LoginID', 'CourseID'],
    template: [
      ['LoginID', 'CourseID', 'DurationID', 'Reference'],
      ['anna.berg', 'fire-safety', '1-year', 'PO-4711'],
      ['ben.cole', 'fire-safety', '', ''],
    ],
  },
} as const satisfies Record<Subject, SubjectInfo & { fields: readonly Field[] }>;

/** Whether the service accepts a field with this name. */
export function isField(subject: Subject, name: string): boolean {
  const { fields } = subjectInfo[subject];
  if (subject === 'enrolments' && name.startsWith(metadata) && name.length > metadata.length) return true;
  return name !== 'Metadata' && (fields as readonly string[]).includes(name);
}

export function missingFields(subject: Subject, fields: readonly (string | null)[]): string[] {
  return subjectInfo[subject].required.filter((field) => !fields.includes(field));
}
