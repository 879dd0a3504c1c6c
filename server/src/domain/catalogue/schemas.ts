import Type from 'typebox';
import { conditionNames, ruleNames } from '../../../../scorm/sequencing/descriptions.ts';
import { type CompleteWhen, severities, standards } from '../../../../standards/types.ts';
import { countQuery, pageQuery } from '../../http/pagination.ts';
import {
  Address,
  Duration,
  Fields,
  Identifier,
  Instant,
  Nullable,
  OneOf,
  Period,
  Text,
} from '../../http/validation/schema.ts';

import { AttemptRules, AttemptRulesChange } from './attempt-rules.ts';
import { Certificate, CertificateChange } from './certificate-rule.ts';

export const CourseID = Identifier('ID of the course. Chosen by the operator.');
export const DurationID = Identifier(
  'ID of the enrolment option, unique within its course. Chosen by the operator.',
);

export const ReleaseNumber = Type.Integer({
  minimum: 1,
  maximum: 2_147_483_647,
  description: 'Number of a release of the course.',
});

export const courseStatuses = ['draft', 'published', 'retired'] as const;

const Status = OneOf(courseStatuses, {
  title: 'CourseStatus',
  description:
    'A draft is visible only to the operator. A retired course accepts no new enrolments; current learners can continue.',
});

const Price = Type.Unsafe<{ Amount: string; Currency: string } | null>({
  type: ['object', 'null'],
  description: 'For display in a shop. Lectern does not process payments.',
  additionalProperties: false,
  required: ['Amount', 'Currency'],
  properties: {
    Amount: {
      type: 'string',
      pattern: '^\\d{1,12}(\\.\\d{1,4})?$',
      examples: ['49.00'],
      description: 'A decimal number as a string.',
    },
    Currency: {
      type: 'string',
      pattern: '^[A-Z]{3}$',
      examples: ['EUR'],
      description: 'ISO 4217 currency code.',
    },
  },
});

const optionFields = {
  Name: Text(255, { minLength: 1 }),
  Duration: Nullable(Duration('ISO 8601 duration, such as P30D; null means unlimited.')),
  StartsOn: OneOf(['enrolment', 'launch'], { description: 'When the duration starts.' }),
  DueAfter: Nullable(
    Period(
      'How long learners should take, as an ISO 8601 period of years, months, weeks or days, such as P30D. It sets DueAt of new enrolments without a DueAt of their own: the end of the day that is this long after the day of the enrolment. null means no due date.',
    ),
  ),
  Seats: Nullable(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000_000,
      description:
        'Maximum number of enrolments with this option, across all tenants to which the course is offered; null means unlimited. A withdrawal within SEAT_GRACE_DAYS (default 14) days of enrolling frees the seat.',
    }),
  ),
  Groups: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: Text(255, { minLength: 1 }),
    maxItems: 1000,
    description:
      'GroupNames of the users to whom the option is offered; null means all users. Tenants see only the groups of their own users.',
  }),
  Price,
  Status,
};

export const EnrolOption = Fields(
  {
    DurationID,
    ...optionFields,
    Attempts: AttemptRules,
    SeatsLeft: Nullable(Type.Integer({ description: 'Number of free seats; null means unlimited.' })),
  },
  { title: 'EnrolOption' },
);
export type EnrolOption = Type.Static<typeof EnrolOption>;

export const EnrolOptionChange = Type.Partial(Fields({ ...optionFields, Attempts: AttemptRulesChange }), {
  additionalProperties: false,
  title: 'EnrolOptionChange',
});
export type EnrolOptionChange = Type.Static<typeof EnrolOptionChange>;

const courseFields = {
  Title: Text(500, { minLength: 1 }),
  Description: Nullable(Text(20_000)),
  Language: Nullable(
    Type.String({
      pattern: '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$',
      examples: ['en-GB'],
      description: 'BCP 47 language tag.',
    }),
  ),
  ImageURL: Nullable(
    Address(
      'URL of an image for shop and portal pages, and for My courses in the console, which requires HTTPS.',
    ),
  ),
};

export const courseStandards = [...standards, 'path'] as const;
export type CourseStandard = (typeof courseStandards)[number];

const played = {
  Standard: Nullable(
    OneOf(courseStandards, {
      description:
        'The standard of the content, or `path` for a course made of other courses; null if the course has no content yet.',
    }),
  ),
  Status,
  Release: Nullable(Type.Integer({ description: 'Number of the current release.' })),
};

/** These filters need no index, because there are at most a few thousand courses. */
const searching = {
  Search: Type.Optional(
    Text(255, {
      description: 'Words that must all be contained in Title or CourseID, ignoring case and accents.',
    }),
  ),
};
export const courseQuery = Fields({
  ...pageQuery,
  ...countQuery,
  ...searching,
  Status: Type.Optional(OneOf(courseStatuses, { title: 'CourseStatus' })),
});
export const offerQuery = Fields({
  ...pageQuery,
  ...countQuery,
  ...searching,
  Status: Type.Optional(OneOf(['published', 'retired'])),
  Drafts: Type.Optional(
    Type.Boolean({ description: "true: also the tenant's own courses that are not published yet." }),
  ),
});
export type CourseQuery = Type.Static<typeof courseQuery>;
export type OfferQuery = Type.Static<typeof offerQuery>;

/** A course as a tenant sees it. */
export const Course = Fields(
  { CourseID, ...courseFields, ...played, AvailableEnrolOptions: Type.Array(EnrolOption) },
  { title: 'Course' },
);
export type Course = Type.Static<typeof Course>;

const authored = {
  URL: Nullable(Address('URL of a web course that is hosted elsewhere.')),
  ActivityID: Nullable(
    Type.String({
      minLength: 1,
      maxLength: 1_000,
      pattern: '^[A-Za-z][A-Za-z0-9+.-]*:[^\\u0000-\\u0020\\u007F\\uD800-\\uDFFF]+$',
      examples: [null],
      description:
        "The xAPI activity (an IRI) by which a content vendor names this course. A statement about it that a tenant's key sends to `/xapi/statements`, with the verb `completed` or `passed`, is recorded as a completion from elsewhere.",
    }),
  ),
  Tenants: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: Identifier('TenantID'),
    maxItems: 10_000,
    description: 'TenantIDs of the tenants to which the course is offered; null means all tenants.',
  }),
};

const access = {
  RequireSignIn: Type.Boolean({
    description:
      'true: a learner who opens a LaunchURL of this course has to sign in with an identity provider of the tenant first, even if the settings of the tenant do not require it.',
  }),
};

const rules = [
  Fields({
    Percent: Type.Number({
      minimum: 1,
      maximum: 100,
      description: 'The part that the learner must have seen.',
    }),
  }),
  Fields({
    Confirm: Text(2000, {
      minLength: 1,
      description: 'What the learner confirms. Their name, the time and the release are recorded.',
      examples: ['I have read and understood this policy.'],
    }),
  }),
];

const completion = {
  CompleteWhen: Type.Unsafe<CompleteWhen | null>({
    description:
      'For a course that is a PDF, a video, an audio file or a page: when it is completed. null: documents and pages at their end, recordings at 90 %. Applies within 10 seconds, also to learners who have started; what is completed stays completed.',
    examples: [{ Percent: 90 }],
    anyOf: [...rules, { type: 'null' }],
  }),
};

const retention = {
  RetainYears: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      examples: [null],
      description:
        'How many years after a completion it stays known who completed the course, even if the person is erased. null: until they are. Requirements can say more.',
    }),
  ),
};

/** A course as its author sees it. */
export const AuthoredCourse = Fields(
  {
    CourseID,
    ...courseFields,
    ...authored,
    ...access,
    ...completion,
    Certificate,
    ...retention,
    ...played,
    Warnings: Nullable(
      Type.Integer({
        description: 'Number of warnings in the current release; null if there is no release.',
      }),
    ),
    Errors: Nullable(
      Type.Integer({
        description:
          'Number of these warnings with the severity `error`: learners get an error page, or cannot complete the course.',
      }),
    ),
    EnrolOptions: Type.Array(EnrolOption),
    CreatedAt: Instant(),
    UpdatedAt: Instant(),
  },
  { title: 'AuthoredCourse' },
);
export type AuthoredCourse = Type.Static<typeof AuthoredCourse>;

export const CourseChange = Type.Partial(
  Fields({
    ...{ ...courseFields, ...authored, ...access, ...completion, ...retention },
    ...{ Certificate: CertificateChange, Status },
  }),
  { additionalProperties: false, title: 'CourseChange' },
);
export type CourseChange = Type.Static<typeof CourseChange>;

const describedRule = {
  Rule: OneOf(ruleNames, { description: 'What the rule does.' }),
  Match: OneOf(['all', 'any'], { description: 'Whether all or any of the conditions must be met.' }),
  Conditions: Type.Array(
    Fields({
      Condition: OneOf(conditionNames),
      Not: Type.Boolean({ description: 'true if the condition is negated.' }),
      Units: Type.Array(Type.String(), {
        description:
          'Titles of the units that the condition checks; it is met if any of them meets it. Empty if it checks the unit itself.',
      }),
      Objective: Nullable(Type.String({ description: 'An objective that no unit of the course sets.' })),
      Value: Nullable(Type.Number({ description: 'Per cent, for scores.' })),
    }),
  ),
  Value: Nullable(Type.Number({ description: 'A number of attempts, units or seconds, or a percentage.' })),
};

const ruleExample = {
  Rule: 'opensAfter',
  Match: 'all',
  Conditions: [{ Condition: 'passed', Not: false, Units: ['How fires start'], Objective: null, Value: null }],
  Value: null,
};

export const DescribedRule = { ...Fields(describedRule), examples: [ruleExample] };

const RuleText = Type.String({ description: 'The rule as an English sentence.' });
const textExample = 'Getting out opens after How fires start is passed.';

const Rules = (description: string) =>
  Type.Array(Fields({ ...describedRule, Text: RuleText }), {
    description,
    examples: [[{ ...ruleExample, Text: textExample }]],
  });

export const Release = Fields(
  {
    CourseID,
    Release: Type.Integer({ description: 'Increases by one with each package imported for the course.' }),
    Current: Type.Boolean({ description: 'true if learners who start the course now play this release.' }),
    Standard: OneOf(standards, { title: 'PackageStandard' }),
    AuthoringTool: Nullable(
      Type.String({
        description: 'The tool that made the package; null if it is unknown.',
        examples: ['Lectora'],
      }),
    ),
    Title: Text(500, { description: 'Title from the package itself.' }),
    Rules: Rules('The rules of the course as a whole.'),
    Units: Type.Array(
      Fields({
        UnitID: Type.String(),
        Title: Type.String(),
        Rules: Rules('The rules for when this unit opens, how it is passed, and what follows.'),
        Href: Nullable(
          Type.String({ description: 'Launch URL of the unit; null if it only groups other units.' }),
        ),
        Depth: Type.Integer({ description: 'Depth in the table of contents; 0 for the top level.' }),
      }),
      { description: 'In the order of the table of contents.' },
    ),
    Warnings: Type.Array(
      Fields({
        Severity: OneOf(severities, {
          description:
            '`error`: learners get an error page or cannot complete a unit; `warning`: learners may notice it; `note`: relevant only to the author of the package.',
        }),
        Message: Type.String(),
        File: Nullable(Type.String()),
        Line: Nullable(Type.Integer()),
      }),
      { description: 'Problems in the package that did not prevent its import; errors first.' },
    ),
    Files: Type.Integer(),
    Bytes: Type.Integer({ description: 'Uncompressed size.' }),
    SHA256: Type.String({ description: 'SHA-256 of the zip, in hexadecimal.' }),
    CreatedAt: Instant(),
  },
  { title: 'Release' },
);
export type Release = Type.Static<typeof Release>;

export const ImportID = Type.String({ maxLength: 64, examples: ['01994a5e-7c00-7000-8000-000000000021'] });

export const PackageImportRequest = Fields(
  {
    URL: {
      ...Address('The package or single file: an https URL on the public internet, without redirects.'),
      examples: ['https://files.example.com/fire-safety.zip'],
    },
    Current: Type.Optional(
      Type.Boolean({ description: 'As for an upload: false does not make the release current.' }),
    ),
  },
  { title: 'PackageImportRequest' },
);

export const PackageImport = Fields(
  {
    ImportID,
    CourseID,
    URL: Type.String({
      description: 'Without its query.',
      examples: ['https://files.example.com/fire-safety.zip'],
    }),
    Status: OneOf(['queued', 'running', 'done', 'failed']),
    Release: Nullable(Type.Integer({ description: 'The new release, once the import is done.' })),
    Code: Nullable(
      Type.String({
        description: 'Why the import failed: the error code of an upload.',
        examples: ['package_invalid'],
      }),
    ),
    Detail: Nullable(Type.String({ description: 'What is wrong and what to do.' })),
    CreatedAt: Instant(),
    UpdatedAt: Instant(),
  },
  { title: 'PackageImport' },
);
export type PackageImport = Type.Static<typeof PackageImport>;

export const ReleaseFile = Fields(
  {
    Path: Type.String({ description: 'Path within the package.', examples: ['lesson-1/index.html'] }),
    Bytes: Type.Integer(),
  },
  { title: 'ReleaseFile' },
);
export type ReleaseFile = Type.Static<typeof ReleaseFile>;

const Step = Fields(
  {
    CourseIDs: Type.Array(CourseID, {
      minItems: 1,
      maxItems: 50,
      uniqueItems: true,
      description: 'Courses, which can be paths themselves. A course occurs only once in a path.',
    }),
    Need: Type.Integer({
      minimum: 1,
      maximum: 50,
      description: 'How many of the courses the learner has to complete: 2 means any two of them.',
    }),
    Optional: Type.Boolean({
      description: 'true: the path is completed without this step, and later steps do not wait for it.',
    }),
    DurationID: Nullable(
      Identifier(
        'The enrolment option with which learners are enrolled on these courses; null means the only one that they can choose.',
      ),
    ),
  },
  { title: 'PathStep' },
);

const order = 'true: a step opens when all required steps before it are done.';

const pathFields = {
  Steps: Type.Array(Step, { minItems: 1, maxItems: 50 }),
  Ordered: Type.Boolean({ description: order }),
};

export const Path = Fields(
  {
    CourseID,
    Title: Text(500),
    Status,
    ...pathFields,
    Courses: Type.Array(Fields({ CourseID, Title: Text(500) }, { title: 'PathCourse' }), {
      description: 'The titles of all courses of the steps.',
    }),
    MayChange: Type.Boolean({
      description:
        'Whether the caller may change the path: tenants may change those that they created, with the scope `requirements:write`.',
    }),
  },
  { title: 'Path' },
);
export type Path = Type.Static<typeof Path>;

const { CourseIDs, ...rest } = Step.properties;

export const PathChange = Fields(
  {
    Title: Type.Optional(
      Text(500, { minLength: 1, description: 'For a new course without a Title: its CourseID.' }),
    ),
    Status: Type.Optional(Status),
    Steps: Type.Array(
      Fields({ CourseIDs, ...Type.Partial(Fields(rest)).properties }, { title: 'PathStepChange' }),
      {
        minItems: 1,
        maxItems: 50,
        description:
          'Replaces all steps. Without Need, all courses of a step are needed. At least one step has to be required.',
        examples: [
          [{ CourseIDs: ['phishing'] }, { CourseIDs: ['first-aid', 'lifting', 'ladders'], Need: 2 }],
        ],
      },
    ),
    Ordered: Type.Optional(Type.Boolean({ description: `${order} The default is false.` })),
  },
  { title: 'PathChange' },
);
export type PathChange = Type.Static<typeof PathChange>;

export const ReleaseChange = Fields(
  {
    Current: Type.Unsafe<true>({
      type: 'boolean',
      enum: [true],
      description:
        'true makes this the release for learners who start from now on; learners who have already started stay on theirs.',
    }),
  },
  { title: 'ReleaseChange' },
);
