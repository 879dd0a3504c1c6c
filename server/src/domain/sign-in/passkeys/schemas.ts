import Type from 'typebox';
import { Fields, Instant, Nullable, OneOf, Text } from '../../../http/validation/schema.ts';

/** Maximum passkeys of a person. */
export const maxPasskeys = 20;

const PasskeyID = Type.String({ format: 'uuid' });
const Name = Text(100, { minLength: 1, description: 'Chosen by the user, such as "Laptop".' });

export const PasskeyParams = Type.Object({ PasskeyID });

export const Passkey = Fields(
  { PasskeyID, Name, CreatedAt: Instant(), LastUsedAt: Nullable(Instant()) },
  { title: 'Passkey', description: "A user's second factor. Lectern stores only its public key." },
);
export type Passkey = Type.Static<typeof Passkey>;

export const PasskeyList = Fields(
  { Items: Type.Array(Passkey, { description: `All of them, oldest first; at most ${maxPasskeys}.` }) },
  { title: 'PasskeyList' },
);

export const PasskeyName = Fields({ Name }, { title: 'PasskeyName' });

/** Base64url without padding, as in the JSON forms of WebAuthn. */
const Encoded = (maxLength: number, example: string, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[A-Za-z0-9_-]+$', examples: [example], description });

/** WebAuthn allows credential IDs of up to 1,023 bytes. */
const CredentialID = Encoded(1364, 'AZp3cGtleS1pZC1leGFtcGxl', 'ID of the credential, in base64url.');
const Transports = Type.Array(Type.String({ maxLength: 20, pattern: '^[a-z-]+$', examples: ['internal'] }), {
  maxItems: 10,
  description: 'How the browser can reach the authenticator.',
});

export const PasskeyPurpose = Fields(
  { Purpose: OneOf(['add', 'use'], { description: 'Whether to add a passkey or to use one.' }) },
  { title: 'PasskeyPurpose' },
);
export type PasskeyPurpose = Type.Static<typeof PasskeyPurpose>;

export const PasskeyChallenge = Fields(
  {
    Challenge: Type.String({
      examples: ['Zk3q0m8uY2hhbGxlbmdlLWV4YW1wbGU'],
      description: 'In base64url. It can be used once, by this session.',
    }),
    ExpiresAt: Instant(),
    RelyingPartyID: Type.String({
      examples: ['lms.example'],
      description: 'The host name to which passkeys are bound.',
    }),
    UserHandle: Type.String({ examples: ['MDE5OTRhNWUtN2MwMC03MDAw'], description: 'In base64url.' }),
    UserName: Type.String({ examples: ['ada'] }),
    DisplayName: Type.String({ examples: ['Ada Lovelace'] }),
    Credentials: Type.Array(Fields({ CredentialID, Transports }), {
      description:
        "The user's passkeys. With the purpose `use`, one of them must be used; with `add`, none of them can be added again.",
    }),
  },
  { title: 'PasskeyChallenge', description: 'What a page needs to call WebAuthn in the browser.' },
);
export type PasskeyChallenge = Type.Static<typeof PasskeyChallenge>;

const ClientData = Encoded(8192, 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0', 'clientDataJSON, in base64url.');

export const NewPasskey = Fields(
  {
    Name,
    CredentialID,
    ClientData,
    AttestationObject: Encoded(16_384, 'o2NmbXRkbm9uZWdhdHRTdG10oA', 'In base64url.'),
    Transports: Type.Optional(Transports),
  },
  { title: 'NewPasskey', description: "The browser's answer to a challenge with the purpose `add`." },
);
export type NewPasskey = Type.Static<typeof NewPasskey>;

export const PasskeyAnswer = Fields(
  {
    CredentialID,
    ClientData,
    AuthenticatorData: Encoded(8192, 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ', 'In base64url.'),
    Signature: Encoded(4096, 'MEUCIQDsZXhhbXBsZQIgc2lnbmF0dXJl', 'In base64url.'),
  },
  { title: 'PasskeyAnswer', description: "The browser's answer to a challenge with the purpose `use`." },
);
export type PasskeyAnswer = Type.Static<typeof PasskeyAnswer>;
