import Type from 'typebox';
import { Address, Fields, Instant, Nullable, OneOf, Text } from '../../http/validation/schema.ts';
import { LoginID } from '../users/schemas.ts';

export const modes = ['live', 'dry_run'] as const;

const fields = {
  Mode: OneOf(modes, {
    description:
      '`dry_run`: requests of the provider are answered and logged as usual, but change nothing. For a first sync. A change takes effect within 5 s.',
  }),
  GuardPercent: Type.Integer({
    minimum: 1,
    maximum: 100,
    examples: [10],
    description:
      'The share of users that may be disabled within 24 hours. Beyond it, requests that disable a user are refused until an administrator confirms. Three are always allowed.',
  }),
};

export const Provisioning = Fields(
  {
    ...fields,
    BaseURL: Type.String({
      ...Address('The address for the provider (SCIM 2.0). The token is a key with the scope `scim:write`.'),
      examples: ['https://lectern.example.com/scim/v2'],
    }),
    Disabled: Type.Integer({
      description: 'Users that were disabled within the last 24 hours.',
      examples: [1],
    }),
    StoppedAt: Nullable(Instant('Since when the guard refuses to disable users; null if it does not.')),
    ConfirmedUntil: Nullable(Instant('Until when more users may be disabled, after a confirmation.')),
    Keys: Type.Array(
      Fields({
        KeyID: Type.String({ format: 'uuid' }),
        Name: Type.String({ examples: ['Entra ID'] }),
        Scopes: Type.Array(Type.String({ examples: ['scim:write'] })),
        ExpiresAt: Nullable(Instant()),
        LastUsedAt: Nullable(Instant()),
        Expiring: Type.Boolean({ description: 'true if the key expires within 30 days.' }),
      }),
      { description: 'The usable keys with the scope `scim:write`.' },
    ),
  },
  { title: 'Provisioning', description: 'How a directory provisions users and groups.' },
);
export type Provisioning = Type.Static<typeof Provisioning>;

export const ProvisioningChange = Type.Partial(Fields(fields), {
  additionalProperties: false,
  title: 'ProvisioningChange',
});
export type ProvisioningChange = Type.Static<typeof ProvisioningChange>;

export const ProvisioningEntry = Fields(
  {
    EntryID: Type.String({ format: 'uuid', examples: ['01994a5e-7c00-7000-8000-000000000021'] }),
    At: Instant(),
    KeyID: Nullable(Type.String()),
    LoginID: Nullable({ ...LoginID, description: 'The user whom the request changed, if there is one.' }),
    Method: Type.String({ examples: ['PATCH'] }),
    Path: Type.String({ examples: ['/Users/01994a5e-7c00-7000-8000-000000000001'] }),
    Status: Type.Integer({ examples: [200] }),
    DryRun: Type.Boolean(),
    Request: Nullable(
      Text(65_536, { description: 'The body, without passwords.', examples: ['{"Operations":[]}'] }),
    ),
    Answer: Nullable(Text(65_536, { examples: ['{"schemas":[]}'] })),
  },
  { title: 'ProvisioningEntry', description: 'A request of the provider and the answer. Kept for 30 days.' },
);
export type ProvisioningEntry = Type.Static<typeof ProvisioningEntry>;

/** The steps of a connection test, in order. */
export const directorySteps = ['key', 'contact', 'answers', 'guard'] as const;

export const DirectoryTest = Fields(
  {
    Passed: Type.Boolean(),
    Steps: Type.Array(
      Fields({
        Step: OneOf(directorySteps),
        Passed: Type.Boolean(),
        Detail: Type.String({ description: 'What was found or, if the step failed, what to do.' }),
      }),
      { description: 'Ends with the first step that failed.' },
    ),
  },
  { title: 'DirectoryTest' },
);
export type DirectoryTest = Type.Static<typeof DirectoryTest>;
