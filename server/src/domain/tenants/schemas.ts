import Type from 'typebox';
import { Fields, Identifier, Instant, Nullable, OneOf, Period, Text } from '../../http/validation/schema.ts';

/** The hash functions that Lectern's own pages support. */
export const knownHashes = ['sha256-hex', 'sha512-hex', 'sha256-base64', 'md5-hex'] as const;
export type KnownHash = (typeof knownHashes)[number];

export const passwordHashes = ['opaque', ...knownHashes] as const;
export type PasswordHash = (typeof passwordHashes)[number];

/**
 * While a tenant is `suspended`, its keys, sessions and links are rejected, and its webhooks wait. Nothing is lost.
 * A `test` tenant is active, and its clock can be moved.
 */
export const tenantStatuses = ['active', 'suspended', 'test'] as const;

/** Whether administrators need a passkey. */
export const secondFactors = ['optional', 'required'] as const;
export type SecondFactor = (typeof secondFactors)[number];

/** The languages of emails. */
export const languages = ['en', 'de', 'fr'] as const;
export type Language = (typeof languages)[number];

/** Plain origins only, because they become part of a Content-Security-Policy. */
const origin = '([A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+\\])(:\\d{1,5})?$';

function Origins(pattern: string, example: string) {
  const item = Type.String({ maxLength: 255, pattern, description: `Such as ${example}` });
  return Nullable(Type.Array(item, { maxItems: 100, uniqueItems: true }));
}

export const reminderFields = {
  Enabled: Type.Boolean({ description: 'false: nobody is reminded automatically.' }),
  DaysBefore: Type.Array(Type.Integer({ minimum: 1, maximum: 365 }), {
    maxItems: 5,
    uniqueItems: true,
    description: 'How many days before something is due, or access ends. An empty list means not in advance.',
  }),
  OnTheDay: Type.Boolean({ description: 'On the day on which it is due.' }),
  WeeklyWhenOverdue: Type.Boolean({ description: 'Every seven days after the due date, for up to a year.' }),
  ManagerDigest: Type.Boolean({
    description: 'Managers get the overdue obligations of their direct reports every Monday.',
  }),
};

const Reminders = Fields(reminderFields, {
  title: 'Reminders',
  description:
    'When people are reminded of what is due and of access that ends. Each person gets at most one email a day, with everything in it.',
});
export type Reminders = Type.Static<typeof Reminders>;

/** What is left out keeps its value. */
export const RemindersChange = Type.Partial(Fields(reminderFields), {
  additionalProperties: false,
  title: 'RemindersChange',
});

const ErasedCertificates = Fields(
  {
    Show: OneOf(['name', 'course', 'nothing'], {
      description:
        'name: everything, as before. course: everything but the name. nothing: the number is unknown, and the credential is revoked.',
    }),
    For: Nullable({
      ...Period('How long after the erasure; then nothing is shown. null: for ever.'),
      examples: ['P5Y'],
    }),
  },
  {
    title: 'ErasedCertificates',
    description:
      'What `GET /verify/{Number}` shows of the certificates of people who are erased from now on. The receipt says it.',
  },
);
export type ErasedCertificates = Type.Static<typeof ErasedCertificates>;

const common = {
  Name: Text(255, { minLength: 1 }),
  PasswordHash: OneOf(passwordHashes, {
    title: 'PasswordHash',
    description: 'The function that the client uses to hash passwords; `opaque` means unknown.',
  }),
  SecondFactor: OneOf(secondFactors, {
    title: 'SecondFactor',
    description:
      '`required`: administrators need a passkey to use the console. Without one, all they can do is add one. This also applies to open sessions, but not to API keys or to sign-in links created with them. `optional`: only administrators who have added a passkey need it.',
  }),
  Language: OneOf(languages, {
    title: 'Language',
    description:
      'The language of emails to users and, by default, of the pages with the branding of the tenant.',
  }),
  Reminders,
  RequireSignIn: Type.Boolean({
    description:
      'true: a learner who opens a LaunchURL has to sign in with an identity provider of the tenant first. Without it, anyone holding the link can start the course. A course can require this too. The tenant needs an enabled identity provider first.',
  }),
  ErasedCertificates,
  TimeZone: Text(64, {
    minLength: 1,
    examples: ['Europe/Berlin'],
    description:
      'The time zone in which days begin and end, for due dates: UTC, or a name with a slash from the IANA time zone database. A change applies to dates that are set afterwards.',
  }),
  ReturnOrigins: Type.Unsafe<string[] | null>({
    ...Origins(`^https?://${origin}`, 'https://lms.example'),
    description: 'Origins to which a returnURL may lead; null means any http(s) URL.',
  }),
  FrameOrigins: Type.Unsafe<string[] | null>({
    ...Origins(`^https?://(\\*\\.)?${origin}`, 'https://lms.example or https://*.example'),
    description: 'Origins that may show a course in a frame; null means any origin.',
  }),
  IssuerDomains: Type.Array(
    Type.String({
      maxLength: 253,
      pattern: '^[a-z0-9-]{1,63}(\\.[a-z0-9-]{1,63})+$',
      examples: ['academy.acme.example'],
    }),
    {
      maxItems: 20,
      uniqueItems: true,
      description:
        "The tenant's own host names that your proxy routes to this service. New certificates are issued by the `did:web` of the first one, whose document is at `/.well-known/did.json` there. Keep earlier ones after it, because their certificates still refer to them. Empty: the issuer is `did:web` of this service.",
    },
  ),
};

const ownSettings = {
  Language: common.Language,
  TimeZone: common.TimeZone,
  Reminders,
  RequireSignIn: common.RequireSignIn,
  ErasedCertificates: common.ErasedCertificates,
};

export const Settings = Fields(
  {
    ...ownSettings,
    SendsMail: Type.Boolean({
      description: 'Whether the service can send email. The operator sets `SMTP_URL`.',
    }),
    UpdatedAt: Instant(),
  },
  { title: 'Settings', description: 'The settings of a tenant that its administrators can change.' },
);
export type Settings = Type.Static<typeof Settings>;

export const SettingsChange = Type.Partial(Fields({ ...ownSettings, Reminders: RemindersChange }), {
  additionalProperties: false,
  title: 'SettingsChange',
});
export type SettingsChange = Type.Static<typeof SettingsChange>;

const Status = OneOf(tenantStatuses, {
  title: 'TenantStatus',
  description:
    '`suspended`: API keys, sessions, launch and sign-in links, open courses and webhooks stop within 5 s on every node. Nothing is lost: `active` resumes them. The operator can still manage the tenant. `test`: active, but its clock can be moved and its courses can be played by a robot. A tenant can become a test tenant only when it is created.',
});

/** Short enough to fit into every index next to the longest user names. An index row can have at most 2,704 bytes. */
const TenantID = Identifier('Chosen by the operator. Cannot be changed.', 64);

export const Tenant = Fields(
  { TenantID, ...common, Status, CreatedAt: Instant(), UpdatedAt: Instant() },
  { title: 'Tenant', description: 'One client application and its users.' },
);
export type Tenant = Type.Static<typeof Tenant>;

export const TenantChange = Type.Partial(Fields({ ...common, Reminders: RemindersChange, Status }), {
  additionalProperties: false,
  title: 'TenantChange',
});
export type TenantChange = Type.Static<typeof TenantChange>;

export const NewTenant = Fields(
  {
    TenantID,
    Name: Type.Optional(common.Name),
    PasswordHash: Type.Optional(common.PasswordHash),
    SecondFactor: Type.Optional(common.SecondFactor),
    Language: Type.Optional(common.Language),
    Reminders: Type.Optional(RemindersChange),
    TimeZone: Type.Optional(common.TimeZone),
    ReturnOrigins: Type.Optional(common.ReturnOrigins),
    FrameOrigins: Type.Optional(common.FrameOrigins),
    IssuerDomains: Type.Optional(common.IssuerDomains),
    Status: Type.Optional(
      OneOf(['active', 'test'], {
        description:
          '`test` creates a sandbox: its clock can be moved, and its courses can be played by a robot. This cannot be changed later.',
      }),
    ),
  },
  { title: 'NewTenant' },
);
export type NewTenant = Type.Static<typeof NewTenant>;
