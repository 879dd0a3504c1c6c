import Type from 'typebox';
import { route } from '../../http/routes.ts';
import { EnrollID } from '../enrolments/record/schemas.ts';
import { LoginID } from '../users/schemas.ts';
import { createOffer } from './offers.ts';
import { WalletOffer } from './schemas.ts';

export const walletRoutes = [
  route('POST /enrolment/{LoginID}/{EnrollID}/certificate/offer', 'offerCertificate', {
    tag: 'Certificates',
    access: 'tenant',
    scope: 'enrolments:write',
    summary: 'Offer a certificate to a wallet',
    description:
      'A pre-authorised offer (OpenID4VCI 1.0), with which the wallet of the learner gets the newest certificate of the enrolment as an SD-JWT VC. Show the URL only to the learner, because the first person to use it gets the certificate. It is valid for five minutes, and once.',
    allowsLearners: true,
    params: Type.Object({ LoginID, EnrollID }),
    responses: { 201: { description: 'The offer.', schema: WalletOffer } },
    problems: ['enrolment_not_found', 'certificate_not_found', 'certificate_not_valid'],
    events: [],
    audits: ['certificate.offered'],
    handle: async (ctx, { params }) => ({
      status: 201,
      body: await createOffer(ctx, { loginId: params.LoginID, enrollId: params.EnrollID }),
      headers: { 'Cache-Control': 'no-store' },
    }),
  }),
];
