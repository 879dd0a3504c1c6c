import Type from 'typebox';
import { CountedPageOf, countQuery, pageQuery } from '../../http/pagination.ts';
import { ok, route } from '../../http/routes.ts';
import { Fields, OneOf } from '../../http/validation/schema.ts';
import { Mail, mailStatuses } from '../mail/kinds.ts';
import { listMails } from './list-mails.ts';
import { LoginID } from './schemas.ts';

export const mailRoutes = [
  route({
    method: 'GET',
    path: '/mail',
    name: 'listMails',
    summary: 'List emails to users',
    description:
      'Newest first, with the responses from the mail server. The list never contains links. If `SMTP_URL` is not set, no emails are sent.',
    tag: 'Invitations',
    access: 'tenant',
    scope: 'users:read',
    query: Fields({
      ...pageQuery,
      ...countQuery,
      LoginID: Type.Optional(LoginID),
      Status: Type.Optional(OneOf(mailStatuses, { title: 'MailStatus' })),
    }),
    responses: { 200: { description: 'A page of emails.', schema: CountedPageOf(Mail) } },
    handle: async (ctx, { query }) => ok(await listMails(ctx, query)),
  }),
];
