import Type from 'typebox';
import { PageOf, pageQuery } from '../../platform/http/pagination.ts';
import { ok, route } from '../../platform/http/routes.ts';
import { Fields, OneOf } from '../../platform/http/schema.ts';
import { mailStatuses } from '../mail/kinds.ts';
import { Mail } from '../mail/schemas.ts';
import { listMails } from './list-mails.ts';
import { LoginID } from './schemas.ts';

export const mailRoutes = [
  route({
    method: 'GET',
    path: '/mail',
    name: 'listMails',
    mayBeStale: true,
    summary: 'List e-mails to users',
    description:
      'Newest first, with the answers of the mail server. The list never contains their links. If `SMTP_URL` is not set, no e-mails are sent.',
    tag: 'Invitations',
    access: 'tenant',
    scope: 'users:read',
    query: Fields({
      ...pageQuery,
      LoginID: Type.Optional(LoginID),
      Status: Type.Optional(OneOf(mailStatuses)),
    }),
    answers: { 200: { description: 'A page of e-mails.', schema: PageOf(Mail) } },
    handle: async (ctx, { query }) => ok(await listMails(ctx, query)),
  }),
];
