import Type from 'typebox';
import { pageQuery } from '../../http/pagination.ts';
import { Fields, Instant, Nullable, OneOf, Text } from '../../http/validation/schema.ts';
import { CourseID, DurationID } from '../catalogue/schemas.ts';
import { EnrollID, EnrolRequest } from '../enrolments/record/schemas.ts';
import { LoginID, NewUser } from '../users/schemas.ts';

const undoneStates = ['removed', 'partly', 'kept'] as const;

export const importStatuses = ['planning', 'planned', 'applying', 'applied', 'undoing', 'undone'] as const;
export type ImportStatus = (typeof importStatuses)[number];
export const outcomes = ['created', 'updated', 'unchanged', 'partial', 'refused'] as const;
export type RowOutcome = (typeof outcomes)[number];
const effects = ['created', 'updated', 'unchanged'] as const;
export type Effect = (typeof effects)[number];

const answers = {
  DateOrder: Type.Optional(
    OneOf(['day-month', 'month-day'], {
      description: 'How to read dates such as 3/4/2027, if the column does not decide it.',
    }),
  ),
  Similar: Type.Optional(
    OneOf(['refuse', 'use', 'create'], {
      description:
        'What happens to a LoginID or GroupName that differs from an existing one only in case or spaces. refuse (default): the row is refused. use: the existing one is meant. create: another one is created.',
    }),
  ),
};

export const ImportAnswers = Fields(answers, { title: 'ImportAnswers' });
export type ImportAnswers = Type.Static<typeof ImportAnswers>;

const options = {
  CourseID: Type.Optional(
    Text(255, { description: 'The CourseID or the title of the course for rows that name none.' }),
  ),
  DurationID: Type.Optional({ ...DurationID, description: 'The enrolment option for rows that name none.' }),
  ExpiresAt: Type.Optional(
    Text(40, {
      description:
        'The end of access for rows that name none: a day, which ends in the tenant’s TimeZone, or an RFC 3339 time.',
    }),
  ),
  IfExists: NewUser.properties.IfExists,
  IfEnrolled: EnrolRequest.properties.IfEnrolled,
  ...answers,
};

export const newImportQuery = Fields({
  Plan: Type.Optional(
    Type.Boolean({
      description:
        'If true, the import stops after its plan and waits for `POST /import/{ImportID}/apply`. The default is false: it is applied as soon as it is planned.',
    }),
  ),
  Name: Type.Optional(Text(255, { description: 'The name of the file.' })),
  Of: Type.Optional(
    OneOf(['users', 'enrolments'], {
      description:
        'Whether the rows are people, who are created and optionally enrolled as by POST /user/bulk, or enrolments of existing people, as by POST /enrol/bulk. By default, a file without any field of a person other than LoginID has enrolments.',
    }),
  ),
  Columns: Type.Optional(
    Text(8_000, {
      description:
        'Comma-separated fields, one for each column of the file in its order; blank for a column that is not imported. By default, the columns are recognised by their names.',
    }),
  ),
  ...options,
});
export type NewImport = Type.Static<typeof newImportQuery>;
export const ImportOptions = Fields(options, { title: 'ImportOptions' });
export type ImportOptions = Type.Static<typeof ImportOptions>;

const Count = Type.Integer({ minimum: 0 });

export const ImportCounts = Fields(
  {
    Rows: Type.Integer({ minimum: 0, description: 'Rows in the file, without its header.' }),
    Done: Type.Integer({
      minimum: 0,
      description:
        'Rows that have been planned or applied: the sum of Created, Updated, Unchanged, Partial and Refused.',
    }),
    Created: Type.Integer({ minimum: 0, description: 'Rows that created a user, an enrolment or both.' }),
    Updated: Count,
    Unchanged: Type.Integer({ minimum: 0, description: 'Rows whose data is the same as what exists.' }),
    Partial: Type.Integer({
      minimum: 0,
      description: 'Rows whose user was created or updated, but whose enrolment was refused.',
    }),
    Refused: Count,
    UsersCreated: Count,
    EnrolmentsCreated: Count,
  },
  { title: 'ImportCounts' },
);
export type ImportCounts = Type.Static<typeof ImportCounts>;

export const UndoCounts = Fields(
  {
    Rows: Type.Integer({ minimum: 0, description: 'Rows that changed something.' }),
    Done: Count,
    UsersRemoved: Count,
    UsersRestored: Type.Integer({
      minimum: 0,
      description: 'Users who are enabled or disabled again, as they were before.',
    }),
    EnrolmentsWithdrawn: Count,
    Kept: Type.Integer({
      minimum: 0,
      description: 'Rows of which something stays. Their UndoReason says why.',
    }),
  },
  { title: 'ImportUndoCounts' },
);
export type UndoCounts = Type.Static<typeof UndoCounts>;

const noteKinds = ['new_group', 'time_ignored', 'same_email'] as const;
const ImportNote = Fields(
  {
    Kind: OneOf(noteKinds, {
      description:
        'new_group: Value is a group that does not exist, and Nearest may be meant. time_ignored: access ends at the end of the day, whatever the time in Value. same_email: the user Value has the same Email.',
    }),
    Value: Type.String(),
    Nearest: Nullable(Type.String()),
  },
  { title: 'ImportNote' },
);
export type ImportNote = Type.Static<typeof ImportNote>;

const meanings = ['password', 'no_course'] as const;
const ImportColumn = Fields(
  {
    Name: Type.String(),
    Field: Nullable(Type.String({ description: 'null if the column is not imported.' })),
    Meaning: Nullable(
      OneOf(meanings, {
        description:
          'Why a column with a known name is not imported. password: people are invited instead. no_course: it belongs to an enrolment, but the rows name no course.',
      }),
    ),
    Example: Nullable(
      Fields(
        { Cell: Type.String(), At: Instant() },
        { description: 'How the first date of ExpiresAt is read.' },
      ),
    ),
  },
  { title: 'ImportColumn' },
);

const head = {
  ImportID: Type.String({ description: 'Opaque.' }),
  Name: Type.String(),
  PlatformID: Nullable(
    Type.String({ description: 'The learning platform whose members these are; null for a file.' }),
  ),
  Of: OneOf(['users', 'enrolments']),
  Status: OneOf(importStatuses, {
    description:
      'The service works on an import that is planning, applying or undoing; read it again until it is not.',
  }),
  Summary: Type.String({ description: 'The result in one sentence.' }),
  Counts: ImportCounts,
  Undo: Nullable(UndoCounts),
  Options: ImportOptions,
  Columns: Type.Array(ImportColumn, { description: 'The columns of the file, in its order.' }),
  Questions: Type.Array(
    Fields(
      {
        code: Type.String({ description: '`ambiguous_date`, `similar_group` or `similar_login_id`.' }),
        Rows: Count,
        detail: Type.String({ description: 'The question for the first of these rows.' }),
      },
      { title: 'ImportQuestion' },
    ),
    { description: 'Why rows are refused that `apply` can include, with DateOrder or Similar.' },
  ),
  CreatedAt: Instant(),
  UndoableUntil: Nullable(
    Instant('The time until which an undo removes what was created and has not been used.'),
  ),
  DeletedAt: Instant('When the import and its rows will be deleted. What it created stays.'),
};

export const Import = Fields(head, { title: 'Import' });
export type Import = Type.Static<typeof Import>;

export const ImportRow = Fields(
  {
    Line: Type.Integer({ description: 'The line of the file on which the row begins.' }),
    LoginID: Nullable({ ...LoginID, description: 'null if it is missing, or if the person was erased.' }),
    FirstName: Nullable(Type.String({ description: 'Of the user or, before there is one, of the file.' })),
    LastName: Nullable(Type.String()),
    CourseID: Nullable(CourseID),
    EnrollID: Nullable(EnrollID),
    Outcome: Nullable(
      OneOf(outcomes, {
        title: 'ImportOutcome',
        description: 'What would happen or has happened; null if the row has not been processed yet.',
      }),
    ),
    User: Nullable(OneOf(effects, { description: 'null if no user was created, changed or found.' })),
    Enrolment: Nullable(OneOf(effects)),
    Changed: Type.Array(Type.String(), { description: 'The fields of the user that change.' }),
    Notes: Type.Array(ImportNote, { description: 'What to check although the row is accepted.' }),
    Nearest: Nullable(Type.String({ description: 'The existing name that was probably meant.' })),
    code: Nullable(Type.String({ description: 'Why the row, or its enrolment, was refused.' })),
    param: Nullable(Type.String()),
    detail: Nullable(Type.String()),
    Undone: Nullable(
      OneOf(undoneStates, {
        description: 'partly: for example, the enrolment is withdrawn, but the user stays.',
      }),
    ),
    UndoReason: Nullable(
      Type.String({ description: 'Why something stays: older, changed, used, enrolled, updated or a code.' }),
    ),
  },
  { title: 'ImportRow' },
);
export type ImportRow = Type.Static<typeof ImportRow>;

export const ImportWithRows = Fields(
  {
    ...head,
    Rows: Type.Array(ImportRow, { description: 'A page of the rows, in the order of the file.' }),
    NextCursor: Nullable(Type.String({ description: 'null on the last page of Rows.' })),
  },
  { title: 'ImportWithRows' },
);
export type ImportWithRows = Type.Static<typeof ImportWithRows>;

export const importRowsQuery = Fields({
  ...pageQuery,
  Outcome: Type.Optional(OneOf(outcomes, { title: 'ImportOutcome' })),
  Undone: Type.Optional(OneOf(undoneStates)),
});
export type ImportRowsQuery = Type.Static<typeof importRowsQuery>;
