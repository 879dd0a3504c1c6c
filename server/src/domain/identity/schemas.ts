import Type from 'typebox';
import { Fields, Identifier, Instant, Nullable, OneOf, Text } from '../../http/validation/schema.ts';
import { scopes } from '../../infra/context/scopes.ts';

const common = {
  KeyID: Type.String({ description: 'ID of the key; also the `client_id` in OAuth client credentials.' }),
  TenantID: Nullable(Identifier('The tenant that the key belongs to; null for an operator key.')),
  Name: Text(255, { minLength: 1, description: 'What the key is for.' }),
  Scopes: Type.Array(OneOf(scopes, { title: 'Scope' }), {
    uniqueItems: true,
    description: 'The operations that the key may call.',
  }),
  CreatedAt: Instant(),
  CreatedBy: Nullable(
    OneOf(['administrator', 'operator'], {
      description: 'Who created the key; null if it is older than the audit trail.',
    }),
  ),
  CreatorLoginID: Nullable(
    Identifier(
      'The administrator who created the key; null if the operator did, or if the administrator has been erased.',
    ),
  ),
  ExpiresAt: Nullable(Instant('When the key expires; null means never.')),
  LastUsedAt: Nullable(Instant('When the key was last used, accurate to one minute.')),
  RevokedAt: Nullable(Instant()),
};

export const Key = Fields(common, { title: 'Key' });
export type Key = Type.Static<typeof Key>;

export const NewKey = Fields(
  {
    Name: common.Name,
    Scopes: Type.Optional(common.Scopes),
    ExpiresAt: Type.Optional(common.ExpiresAt),
  },
  { title: 'NewKey' },
);
export type NewKey = Type.Static<typeof NewKey>;

export const KeyWithSecret = Fields(
  {
    ...common,
    Secret: Type.String({
      description: 'Shown only once: the bearer token and the `client_secret` in OAuth client credentials.',
    }),
  },
  { title: 'KeyWithSecret' },
);
export type KeyWithSecret = Type.Static<typeof KeyWithSecret>;

export const TokenRequest = Type.Object(
  {
    grant_type: Text(64),
    client_id: Type.Optional(Text(255)),
    client_secret: Type.Optional(Text(512)),
    scope: Type.Optional(
      Text(1024, { description: 'Scopes separated by spaces. Default: all scopes of the key.' }),
    ),
  },
  { title: 'TokenRequest', additionalProperties: true },
);

export const AccessToken = Fields(
  {
    access_token: Type.String(),
    token_type: OneOf(['Bearer']),
    expires_in: Type.Integer({ description: 'Lifetime in seconds.' }),
    scope: Type.String(),
  },
  { title: 'AccessToken', description: 'RFC 6749 §5.1.' },
);

export const TokenError = Type.Object(
  { error: Type.String(), error_description: Type.String() },
  { title: 'TokenError', description: 'RFC 6749 §5.2.' },
);
