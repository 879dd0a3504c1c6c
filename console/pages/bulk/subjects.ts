import type { components } from '../../../client/src/generated.ts';

type NewUser = components['schemas']['NewUser'];
type EnrolRow = components['schemas']['EnrolRequest'] & { CourseID: string; DurationID: string };

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
/** A file of users can also enrol them. */
const courseFields = [
  'CourseID',
  'DurationID',
  'ExpiresAt',
  'IfEnrolled',
  'Reference',
  'Metadata',
] as const satisfies readonly (keyof EnrolRow)[];

export type Field = (typeof userFields)[number] | (typeof courseFields)[number];

export const subjectInfo = {
  users: {
    path: '/user/bulk',
    fields: [...userFields, ...courseFields],
    required: ['LoginID'],
    template: [
      ['LoginID', 'FirstName', 'LastName', 'GroupName', 'Email', 'CourseID', 'DurationID'],
      ['anna.berg', 'Anna', 'Berg', 'Sales', 'anna.berg@example.com', 'fire-safety', '1-year'],
      ['ben.cole', 'Ben', 'Cole', 'Stock', 'ben.cole@example.com', '', ''],
    ],
  },
  enrolments: {
    path: '/enrol/bulk',
    fields: ['LoginID', ...courseFields],
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
  if (name.startsWith(metadata) && name.length > metadata.length) return true;
  return name !== 'Metadata' && (fields as readonly string[]).includes(name);
}

export function missingFields(subject: Subject, fields: readonly (string | null)[]): string[] {
  return subjectInfo[subject].required.filter((field) => !fields.includes(field));
}

/** Whether rows of users can also enrol them. */
export function hasCourses(subject: Subject, fields: readonly (string | null)[]): boolean {
  return subject === 'users' && fields.includes('CourseID');
}

/** Without a course, columns such as Reference have no meaning in a file of users. */
export function withoutCourseFields(fields: readonly (string | null)[]): (string | null)[] {
  const isOfCourse = (name: string) =>
    name.startsWith(metadata) || (courseFields as readonly string[]).includes(name);
  return fields.map((field) => (field !== null && isOfCourse(field) ? null : field));
}
