import Type from 'typebox';
import { CountedPageOf, countQuery, pageQuery } from '../../http/pagination.ts';
import { created, ok, route } from '../../http/routes.ts';
import { Fields, OneOf } from '../../http/validation/schema.ts';
import { Mail, mailStatuses } from '../mail/kinds.ts';
import { listMails } from './list-mails.ts';
import { LoginID } from './schemas.ts';
import { sendTestMail } from './test-mail.ts';

export const mailRoutes = [
  route('GET /mail', 'listMails', {
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
  route('POST /mail/test', 'sendTestMail', {
    summary: 'Send a test email',
    description:
      'Sends an email without a link to the user, to show that email works. `GET /mail` shows the response from the mail server, usually within two seconds. While a test email is waiting, another call returns the same one. As with other emails, an address gets at most 10 within an hour.',
    tag: 'Invitations',
    access: 'tenant',
    scope: 'users:write',
    additionalScopes: ['users:read'],
    body: Fields({ LoginID }, { title: 'TestMail' }),
    responses: { 201: { description: 'The queued email.', schema: Mail } },
    problems: ['user_not_found', 'mail_not_configured'],
    events: [],
    audits: ['mail.test_requested'],
    handle: async (ctx, { body }) => created(await sendTestMail(ctx, body.LoginID), '/mail'),
  }),
];
