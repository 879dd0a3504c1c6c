import { sendMails } from '../../src/domain/mail/send.ts';
import { leavePasskey } from './passkeys.ts';
import type { Showcase } from './showcase.ts';
import type { TestMailServer } from './smtp.ts';
import { expectStatus } from './tenant.ts';

/** Sends invitations, one of them to a mailbox that does not exist, and a link for a forgotten password. */
export async function sendShowcaseMails(
  { service, tenant, learner }: Showcase,
  mailServer: TestMailServer,
): Promise<{ invitationUrl: string; resetUrl: string }> {
  const invite = async (LoginID: string) => {
    const reply = await tenant.api('POST', '/invitation', { LoginID });
    expectStatus(reply, 201);
    return reply.body.InvitationURL;
  };
  mailServer.reply.rcpt = { code: 550, text: '5.1.1 No such mailbox' };
  await invite('E-1046');
  await sendMails(service.ctx);
  mailServer.reply.rcpt = null;
  for (const LoginID of ['E-1042', 'E-1043', learner]) await invite(LoginID);
  const newcomer = {
    LoginID: 'E-2208',
    FirstName: 'Ida',
    LastName: 'Novak',
    Email: 'ida.novak@northwind.example',
  };
  expectStatus(await tenant.api('POST', '/user', newcomer), 201);
  const invitationUrl = await invite(newcomer.LoginID);
  const forgotten = { TenantID: tenant.TenantID, LoginID: 'E-1045' };
  const Password = '4104d36f8da2c254349f85836793ebe029e0c957063a34c91c2e9203187b5631';
  expectStatus(await tenant.api('PUT', `/user/password/${forgotten.LoginID}`, { Password }), 204);
  expectStatus(await service.api('POST', '/session/reset', forgotten, ''), 204);
  await sendMails(service.ctx);
  const [resetUrl = ''] = mailServer.mails.flatMap(
    ({ text }) => /http:\S+\/console\/reset\S+/.exec(text)?.[0] ?? [],
  );
  return { invitationUrl, resetUrl };
}

/** Statements from a course and from a simulator. */
export async function storeShowcaseStatements({ service, tenant }: Showcase): Promise<void> {
  const adl = 'http://adlnet.gov/expapi/verbs';
  const by = (name: string) => ({ account: { homePage: service.baseUrl, name } });
  const about = (id: string, en: string) => ({
    id: `https://northwind.example/${id}`,
    definition: { name: { en } },
  });
  const exit = about('quiz/exit', 'Which exit do you take if the stairs are full of smoke?');
  const press = about('simulator/press', 'Hydraulic press simulator');
  const answers = ['the lift', 'the stairs', 'the window', 'the stairs'];
  const statements = ['E-1041', 'E-1042', 'E-1043', 'E-1044'].flatMap((login, at) => [
    { actor: by(login), verb: { id: `${adl}/launched` }, object: press },
    {
      ...{ actor: by(login), verb: { id: `${adl}/answered` }, object: exit },
      result: { success: at % 2 === 1, response: answers[at], duration: `PT${12 + 7 * at}S` },
    },
    {
      ...{ actor: by(login), verb: { id: `${adl}/${at === 2 ? 'failed' : 'passed'}` }, object: press },
      result: {
        success: at !== 2,
        score: { scaled: [0.85, 0.92, 0.4, 0.77][at] },
        duration: `PT${9 + at}M3${at}S`,
      },
    },
  ]);
  const version = { 'X-Experience-API-Version': '2.0.0' };
  expectStatus(await tenant.api('POST', '/xapi/statements', statements, version), 200);
}

export async function addShowcasePasskeys({ service, tenant, administrator }: Showcase): Promise<void> {
  const names = { TenantID: tenant.TenantID, LoginID: administrator };
  for (const name of ['Work laptop', 'Phone']) await leavePasskey(service, names, name);
}
