import Type from 'typebox';
import { PageOf } from '../../../http/pagination.ts';
import {
  Address,
  Fields,
  Identifier,
  Instant,
  Nullable,
  OneOf,
  Text,
} from '../../../http/validation/schema.ts';

/** Maximum identity providers of a tenant. */
export const maxProviders = 20;

export const ProviderID = Identifier('Chosen by you, such as `entra`. Part of the redirect URI.', 64);

const Claim = Text(255, { minLength: 1, examples: ['given_name'] });

/** Fields of a user that a provider's claims may fill, with the claims that are read by default. */
export const mappedFields = ['FirstName', 'LastName', 'Email', 'GroupName'] as const;

const settings = {
  Scopes: Type.Array(
    Type.String({ pattern: '^[\\x21\\x23-\\x5B\\x5D-\\x7E]{1,100}$', examples: ['openid'] }),
    {
      minItems: 1,
      maxItems: 20,
      examples: [['openid', 'profile', 'email']],
      description: 'The OAuth scopes to request. They must include `openid`.',
    },
  ),
  ClientAuthentication: OneOf(['client_secret_basic', 'client_secret_post'], {
    description: 'How the client secret is sent to the provider.',
  }),
  LinkBy: Nullable(
    OneOf(['LoginID', 'Email'], {
      description:
        'How an account that signs in for the first time finds its user. `LoginID`: by the claim in `LoginIDClaim`. `Email`: by an address that the provider reports as verified and that only one user has. null: not at all. Afterwards, only the issuer and the subject count. A user who is linked to another provider is never linked.',
    }),
  ),
  LoginIDClaim: Text(255, {
    minLength: 1,
    description:
      'The claim that contains the LoginID, for linking and for new users. Choose one that users cannot change: `oid` at Entra ID, `sub` elsewhere.',
    examples: ['sub'],
  }),
  TrustEmail: Type.Boolean({
    description:
      'true: addresses count as verified even if the provider does not say so. Only for a directory that assigns the addresses itself; Entra ID never sends `email_verified`.',
  }),
  CreateUsers: Type.Boolean({
    description: 'Whether an account without a user gets one when it signs in for the first time.',
  }),
  Claims: Type.Partial(Fields({ FirstName: Claim, LastName: Claim, Email: Claim, GroupName: Claim }), {
    additionalProperties: false,
    examples: [{ FirstName: 'given_name', LastName: 'family_name', Email: 'email' }],
    description:
      'The claims from which fields of the user are filled at each sign-in. A claim that is not sent changes nothing. If the claim for GroupName is a list, its first entry by name counts.',
  }),
  GroupClaim: Nullable(
    Text(255, {
      minLength: 1,
      description: 'The claim that lists the groups of the account.',
      examples: ['groups'],
    }),
  ),
  AdministratorGroups: Type.Array(Text(255, { minLength: 1 }), {
    maxItems: 50,
    description:
      'Members of one of these groups are administrators, all others are not. This is decided at each sign-in if `GroupClaim` is sent. Empty: the role does not change.',
  }),
  Domains: Type.Array(
    Type.String({ maxLength: 253, pattern: '^[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)+$', examples: ['example.com'] }),
    {
      maxItems: 100,
      uniqueItems: true,
      description:
        'Email domains whose users sign in here if the tenant has several providers. If there are any, accounts with addresses in other domains are not linked by email.',
    },
  ),
  SignOut: Type.Boolean({ description: 'Whether signing out here also signs the user out at the provider.' }),
};

const fields = {
  Name: Text(100, {
    minLength: 1,
    description: 'Shown on the button of the sign-in page.',
    examples: ['Acme'],
  }),
  Issuer: Type.String({
    ...Address('The issuer, exactly as in the provider’s discovery document.'),
    examples: ['https://login.example.com/tenant/v2.0'],
  }),
  ClientID: Text(255, { minLength: 1, examples: ['lectern'] }),
  ...settings,
  Enabled: Type.Boolean({ description: 'Whether users can sign in with the provider.' }),
  RequiredForAdministrators: Type.Boolean({
    description:
      'true: administrators cannot sign in with a password alone. With a password and a passkey they can, for the day when the provider is down; at least one of them must have a passkey.',
  }),
};

export const IdentityProvider = Fields(
  {
    ProviderID,
    ...fields,
    HasClientSecret: Type.Boolean(),
    RedirectURI: Address('Register this URL at the provider.'),
    CreatedAt: Instant(),
    UpdatedAt: Instant(),
  },
  { title: 'IdentityProvider', description: 'An OpenID provider with which users of the tenant sign in.' },
);
export type IdentityProvider = Type.Static<typeof IdentityProvider>;

export const IdentityProviderChange = Type.Partial(
  Fields({
    ...fields,
    ClientSecret: Nullable(
      Text(1024, {
        minLength: 1,
        description: 'Stored encrypted and never returned. null: a public client, which has none.',
      }),
    ),
  }),
  { additionalProperties: false, title: 'IdentityProviderChange' },
);
export type IdentityProviderChange = Type.Static<typeof IdentityProviderChange>;

export type ProviderSettings = { [K in keyof typeof settings]: Type.Static<(typeof settings)[K]> };

export const defaultSettings: ProviderSettings = {
  Scopes: ['openid', 'profile', 'email'],
  ClientAuthentication: 'client_secret_basic',
  LinkBy: null,
  LoginIDClaim: 'sub',
  TrustEmail: false,
  CreateUsers: false,
  Claims: { FirstName: 'given_name', LastName: 'family_name', Email: 'email' },
  GroupClaim: null,
  AdministratorGroups: [],
  Domains: [],
  SignOut: false,
};

export const IdentityProviderList = PageOf(IdentityProvider);

/** The steps of a connection test, in order. */
export const testSteps = ['discovery', 'endpoints', 'keys', 'client'] as const;

export const ConnectionTest = Fields(
  {
    Passed: Type.Boolean(),
    Steps: Type.Array(
      Fields({
        Step: OneOf(testSteps),
        Passed: Type.Boolean(),
        Detail: Type.String({ description: 'What was found or, if the step failed, what to do.' }),
      }),
      { description: 'Ends with the first step that failed.' },
    ),
  },
  { title: 'ConnectionTest' },
);
export type ConnectionTest = Type.Static<typeof ConnectionTest>;

export const SignInProviders = Fields(
  { Items: Type.Array(Fields({ ProviderID, Name: fields.Name, StartURL: Address('Opens the sign-in.') })) },
  { title: 'SignInProviders', description: 'The buttons of a sign-in page.' },
);
