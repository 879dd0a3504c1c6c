import Type from 'typebox';
import { Address, Fields, Instant, Nullable, OneOf } from '../../platform/schema.ts';
import { Tenant } from '../tenants/schemas.ts';
import { LoginID, Password, User } from '../users/schemas.ts';

const Data = Type.String({ description: 'The kind of data; under this name it stands in the export.' });
const Records = Type.Integer({ minimum: 0, description: 'How many records of it there were.' });

export const Erasure = Fields(
  {
    ReceiptID: Nullable(Type.String({ description: 'Opaque; null in a plan.' })),
    LoginID,
    Plan: Type.Boolean({ description: 'True: nothing was changed, this is what would be done.' }),
    ErasedAt: Nullable(Instant()),
    Erased: Type.Array(Fields({ Data, Records, What: Type.String() })),
    Kept: Type.Array(Fields({ Data, Records, What: Type.String(), Why: Type.String() })),
  },
  { title: 'Erasure', description: 'What was erased of a person, what was kept, and why.' },
);
export type Erasure = Type.Static<typeof Erasure>;

/** Where people go when nothing else was said. */
export const consolePath = '/console/';

export const SignInRequest = Fields(
  {
    Path: Type.Optional(
      Type.String({
        maxLength: 2048,
        pattern: '^/(?![/\\\\])[^\\s\\u0000-\\u001F\\u007F-\\u009F\\\\]*$',
        default: consolePath,
        examples: [consolePath],
        description: 'The page of this service to open after signing in: a path that begins with one slash.',
      }),
    ),
  },
  { title: 'SignInRequest' },
);
export type SignInRequest = Type.Static<typeof SignInRequest>;

export const SignInLink = Fields(
  {
    SignInURL: Address('Open it in the browser of the user, before it expires. It signs in once.'),
    ExpiresAt: Instant(),
  },
  { title: 'SignInLink' },
);
export type SignInLink = Type.Static<typeof SignInLink>;

const { FirstName, LastName } = User.properties;
const { TenantID, Name, PasswordHash } = Tenant.properties;

export const Session = Fields(
  {
    Role: OneOf(['operator', 'administrator', 'learner'], {
      description:
        'What the session may do: act on every tenant, act on its own tenant, or read what is its own.',
    }),
    TenantID: Nullable(TenantID),
    TenantName: Nullable(Name),
    LoginID: Nullable(LoginID),
    FirstName,
    LastName,
    SignedInAt: Instant(),
    IdleUntil: Instant('Without a request until then, the session ends.'),
    ExpiresAt: Instant('The session ends then in any case.'),
  },
  {
    title: 'Session',
    description: 'Who is signed in in this browser; of the operator there is neither tenant nor name.',
  },
);
export type Session = Type.Static<typeof Session>;

export const PasswordSignIn = Fields({ TenantID, LoginID, Password }, { title: 'PasswordSignIn' });
export type PasswordSignIn = Type.Static<typeof PasswordSignIn>;

export const PasswordFunction = Fields({ PasswordHash }, { title: 'PasswordFunction' });
export type PasswordFunction = Type.Static<typeof PasswordFunction>;
