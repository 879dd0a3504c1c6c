import Type from 'typebox';
import { ok, route } from '../../../http/routes.ts';
import { LoginID } from '../schemas.ts';
import { clearBounce, reportBounce } from './bounces.ts';
import { BounceReport, RecordedBounce } from './schemas.ts';

export const bounceRoutes = [
  route('POST /mail/bounce', 'reportBounce', {
    summary: 'Report an email that bounced',
    description:
      'Call this when your mail provider reports that it could not deliver an email. After a permanent bounce, the service sends no email to this address for the tenant, until the address of the user changes or the bounce is cleared. Repeating a report is safe.',
    example: ['MessageID', 'EmailAddress', 'Reason'],
    tag: 'Invitations',
    access: 'either',
    scope: 'users:write',
    body: BounceReport,
    responses: { 200: { description: 'The bounce has been recorded.', schema: RecordedBounce } },
    problems: ['tenant_required', 'mail_not_found'],
    events: ['mail.bounced'],
    audits: ['mail.bounced'],
    handle: async (ctx, { body }) => ok(await reportBounce(ctx, body)),
  }),
  route('DELETE /user/{LoginID}/bounce', 'clearBounce', {
    summary: "Clear the bounce of a user's email address",
    description:
      'The service sends email to the address again, also for other users of the tenant with the same address. If your mail provider keeps a suppression list, remove the address from it too.',
    tag: 'Users',
    access: 'tenant',
    scope: 'users:write',
    params: Type.Object({ LoginID }),
    responses: { 204: { description: 'Emails can be sent to the address again.' } },
    problems: ['user_not_found'],
    events: ['user.updated'],
    audits: ['mail.bounce_cleared'],
    handle: async (ctx, { params }) => {
      await clearBounce(ctx, { loginId: params.LoginID });
      return { status: 204 };
    },
  }),
];
