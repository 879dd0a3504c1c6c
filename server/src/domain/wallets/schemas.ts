import Type from 'typebox';
import { Fields, Instant } from '../../http/validation/schema.ts';

export const WalletOffer = Fields(
  {
    OfferURL: Type.String({
      examples: [
        'openid-credential-offer://?credential_offer=%7B%22credential_issuer%22%3A%22https%3A%2F%2Flectern.example.com%2Fissuer%2Facme%22%7D',
      ],
      description: 'A credential offer (OpenID4VCI 1.0 §4.1). Show it as a QR code, or as a link on a phone.',
    }),
    ExpiresAt: Instant(
      'When the offer ends. It also ends when a wallet uses it, or when another one is made.',
    ),
  },
  { title: 'WalletOffer', description: 'Anyone with the URL can add the certificate to a wallet, once.' },
);
export type WalletOffer = Type.Static<typeof WalletOffer>;
