import Type from 'typebox';
import { Address, Fields, Instant, Nullable } from '../../platform/schema.ts';
import { LoginID, User } from '../users/schemas.ts';

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

export const SignInRequest = Fields(
  {
    Path: Type.Optional(
      Type.String({
        maxLength: 2048,
        pattern: '^/(?![/\\\\])[^\\s\\p{Cc}\\\\]*$',
        default: '/session',
        description: 'The page of this service to open after signing in: a path that begins with one slash.',
      }),
    ),
  },
  { title: 'SignInRequest' },
);
export type SignInRequest = Type.Static<typeof SignInRequest>;

export const SignInLink = Fields(
  {
    SignInURL: Address('Open it in the browser of the user, within a minute. It signs in once.'),
    ExpiresAt: Instant(),
  },
  { title: 'SignInLink' },
);
export type SignInLink = Type.Static<typeof SignInLink>;

const { FirstName, LastName, IsAdmin } = User.properties;

export const UserSession = Fields(
  {
    TenantID: Type.String(),
    LoginID,
    FirstName,
    LastName,
    IsAdmin,
    SignedInAt: Instant(),
    IdleUntil: Instant('Without a request until then, the session ends.'),
    ExpiresAt: Instant('The session ends then in any case.'),
  },
  { title: 'UserSession' },
);
export type UserSession = Type.Static<typeof UserSession>;
