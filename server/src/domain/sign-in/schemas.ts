import Type from 'typebox';
import { Address, Fields, Instant, Nullable, OneOf, Text } from '../../http/validation/schema.ts';
import { scopes } from '../../infra/context/scopes.ts';
import { PageBranding } from '../tenants/branding.ts';
import { knownHashes, Tenant } from '../tenants/schemas.ts';
import { LoginID, User } from '../users/schemas.ts';

const Data = Type.String({ description: 'The kind of data; also its name in the export.' });
/** A plan counts each kind of data up to this number, because it uses a single statement per kind. */
export const maxPlanned = 1_000;

const Records = Type.Integer({ minimum: 0, description: 'Number of records.' });
const More = Type.Boolean({
  description: `true if the plan stopped counting at ${maxPlanned} records. A receipt counts all of them.`,
});

export const Erasure = Fields(
  {
    ReceiptID: Nullable(Type.String({ description: 'Opaque ID; null in a plan.' })),
    LoginID,
    Plan: Type.Boolean({
      description: 'true if this is a plan of what would be erased, and nothing was changed.',
    }),
    ErasedAt: Nullable(Instant()),
    Erased: Type.Array(Fields({ Data, Records, More, What: Type.String() })),
    Kept: Type.Array(
      Fields({
        ...{ Data, Records, More, What: Type.String(), Why: Type.String() },
        Until: Nullable(Instant('When it is deleted, too; null: this is not planned.')),
      }),
    ),
    Holds: Type.Array(Type.String({ description: 'A HoldID.' }), {
      examples: [[]],
      description: 'The legal holds on the person. In a plan: what prevents the erasure. In a receipt: none.',
    }),
  },
  { title: 'Erasure', description: 'Which data about a person was erased, which was kept, and why.' },
);
export type Erasure = Type.Static<typeof Erasure>;

/** The page to which users are sent if they requested none. */
export const consolePath = '/console/';

export const SignInRequest = Fields(
  {
    Path: Type.Optional(
      Type.String({
        maxLength: 2048,
        pattern: '^/(?![/\\\\])[^\\s\\u0000-\\u001F\\u007F-\\u009F\\\\]*$',
        default: consolePath,
        examples: [consolePath],
        description: 'The page to open after signing in: a path that begins with a single slash.',
      }),
    ),
  },
  { title: 'SignInRequest' },
);
export type SignInRequest = Type.Static<typeof SignInRequest>;

export const SignInLink = Fields(
  {
    SignInURL: Address("Redirect the user's browser to this URL before it expires. The link works once."),
    ExpiresAt: Instant(),
  },
  { title: 'SignInLink' },
);
export type SignInLink = Type.Static<typeof SignInLink>;

const { FirstName, LastName } = User.properties;
const { TenantID, Name, TimeZone } = Tenant.properties;
const PasswordHash = OneOf(knownHashes, {
  title: 'KnownPasswordHash',
  description: 'The function with which the page hashes passwords.',
});

export const Session = Fields(
  {
    Role: OneOf(['operator', 'administrator', 'learner'], {
      description:
        'The operator can manage every tenant, an administrator only their own. A learner can read their own data.',
    }),
    TenantID: Nullable(TenantID),
    TenantName: Nullable(Name),
    TimeZone: Nullable({
      ...TimeZone,
      description: "The tenant's time zone: what falls due or ends, does so at the end of a day there.",
    }),
    LoginID: Nullable(LoginID),
    FirstName,
    LastName,
    Scopes: Type.Array(OneOf(scopes, { title: 'Scope' }), {
      description:
        'The scopes of the session: all scopes of its role, unless a key with fewer scopes created the sign-in link or set the password.',
    }),
    NextStep: Nullable(
      OneOf(['use_passkey', 'add_passkey'], {
        description:
          'What the user has to do first: `use_passkey` if they have a passkey but have not used it in this session, and `add_passkey` if they need one but have none. Until then, the session has no scopes.',
      }),
    ),
    Now: Instant('The present time for the tenant: the clock of a test tenant may be ahead.'),
    SignedInAt: Instant(),
    IdleUntil: Instant('The session ends at this time unless it is used.'),
    ExpiresAt: Instant('The session ends at this time at the latest.'),
    SignOutURL: Nullable(
      Address(
        'After signing out here, open this page to sign out at the identity provider too; null if the user did not sign in there, or if the tenant does not want it.',
      ),
    ),
    Branding: PageBranding,
  },
  {
    title: 'Session',
    description: 'The user who is signed in to this browser. For the operator, tenant and name are null.',
  },
);
export type Session = Type.Static<typeof Session>;

const HashedPassword = Text(1024, {
  minLength: 1,
  description:
    'The password, hashed in the browser with the function that the service reported for the tenant.',
});

const TenantName = Text(255, {
  minLength: 1,
  description:
    'TenantID or Name of the tenant, ignoring case. A Name that several tenants share does not work.',
});

export const PasswordSignIn = Fields(
  { TenantID: TenantName, LoginID, Password: HashedPassword },
  { title: 'PasswordSignIn' },
);
export type PasswordSignIn = Type.Static<typeof PasswordSignIn>;

export const PasswordFunction = Fields({ PasswordHash }, { title: 'PasswordFunction' });
export type PasswordFunction = Type.Static<typeof PasswordFunction>;

export const PasswordForgotten = Fields({ TenantID: TenantName, LoginID }, { title: 'PasswordForgotten' });

const Token = Text(2048, { description: 'The part of the link after #.' });

export const InvitationToken = Fields({ Token }, { title: 'InvitationToken' });

export const OpenInvitation = Fields(
  {
    TenantID,
    TenantName: Name,
    LoginID,
    FirstName,
    LastName,
    ExpiresAt: Instant(),
    PasswordHash,
    Branding: PageBranding,
  },
  {
    title: 'OpenInvitation',
    description: 'The information shown on the page of an invitation or password reset.',
  },
);
export type OpenInvitation = Type.Static<typeof OpenInvitation>;

export const InvitationAcceptance = Fields(
  { Token, Password: HashedPassword },
  { title: 'InvitationAcceptance' },
);

export const OwnPasswordChange = Fields(
  { OldPassword: HashedPassword, Password: HashedPassword },
  { title: 'OwnPasswordChange' },
);
