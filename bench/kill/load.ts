import { randomUUID } from 'node:crypto';
import type { Answer, Client } from './client.ts';
import {
  type Acknowledged,
  type EnrolmentRecord,
  isCompleted,
  type Ledger,
  type UserDetails,
  type UserRecord,
} from './ledger.ts';

export type Target = { baseUrl: string; key: string };

export const courseId = 'walk';

/** Thrown if there was no definite response, so the write may or may not exist. */
class Unanswered extends Error {}

class Refused extends Error {}

async function write(client: Client, expected: number, ...args: Parameters<Client['call']>): Promise<Answer> {
  const answer = await client.call(...args).catch((error: Error) => {
    throw new Unanswered(error.message);
  });
  if (answer.status === expected) return answer;
  if (answer.status >= 500) throw new Unanswered(`${answer.status}`);
  throw new Refused(
    `${args[0]} ${args[1].split('?')[0]} returned ${answer.status}: ${JSON.stringify(answer.body)}`,
  );
}

let serial = 0;

function newUser(): UserDetails {
  const number = ++serial;
  return {
    LoginID: `learner ${process.pid}/${number}@walk.example`,
    FirstName: `Lee ${number}`,
    LastName: `O’Connor-${number % 97}`,
    GroupName: `group ${number % 20}`,
    Email: `lee.${number}@walk.example`,
  };
}

async function enrolOne(client: Client, { baseUrl, key }: Target, ledger: Ledger): Promise<EnrolmentRecord> {
  const details = newUser();
  const user: UserRecord = { details, answered: false, asked: null, touched: true };
  ledger.users.push(user);
  await write(client, 201, 'POST', `${baseUrl}/user`, details, key);
  user.answered = true;
  ledger.acknowledged.users += 1;
  const loginId = details.LoginID;
  const reference = `order ${serial}`;
  user.asked = { reference };
  const path = `/enrol/${encodeURIComponent(loginId)}/${courseId}`;
  const { body } = await write(client, 201, 'POST', baseUrl + path, { Reference: reference }, key);
  user.asked = null;
  ledger.acknowledged.enrolments += 1;
  const enrolment: EnrolmentRecord = {
    loginId,
    enrollId: body.EnrollID,
    launchUrl: body.LaunchURL,
    reference,
    launches: 0,
    commits: [],
    late: [],
    open: null,
    unanswered: null,
    touched: true,
  };
  ledger.enrolments.push(enrolment);
  return enrolment;
}

/** Acts as a learner's page: follows the link, exchanges the ticket for a session, and sends commits. */
async function playSession(
  client: Client,
  enrolment: EnrolmentRecord,
  { acknowledged }: Ledger,
): Promise<void> {
  const { open: superseded } = enrolment;
  const click = await write(client, 303, 'GET', enrolment.launchUrl);
  const page = click.location ?? '';
  enrolment.touched = true;
  enrolment.unanswered = { launch: true };
  const { body: session } = await write(client, 201, 'POST', `${page}/session`);
  enrolment.launches += 1;
  acknowledged.launches += 1;
  enrolment.unanswered = null;
  if (session.Launch !== enrolment.launches)
    throw new Refused(`launch ${session.Launch} was returned instead of ${enrolment.launches}`);
  const bookmark = session.Data.web?.['lectern.bookmark'];
  const last = enrolment.commits.at(-1);
  if (
    session.NextCommit !== enrolment.commits.length + 1 ||
    (last && bookmark !== undefined && bookmark !== last.bookmark)
  )
    throw new Refused(`launch ${session.Launch} begins at commit ${session.NextCommit} with ${bookmark}`);
  const address = `${new URL(page).origin}/play/${session.Session}/commit`;
  const wanted = 1 + Math.floor(Math.random() * 6);
  for (let nth = 1; nth <= wanted; nth++) {
    const number = session.NextCommit + nth - 1;
    const completed = isCompleted(enrolment) || (nth === wanted && Math.random() < 0.5);
    const text: Acknowledged = {
      number,
      launch: session.Launch,
      bookmark: `page ${number} ${'x'.repeat(Math.floor(Math.random() * 2000))}`,
      seconds: number * 10,
      completed,
    };
    enrolment.unanswered = { commit: text };
    const exits = nth === wanted && Math.random() < 0.25;
    enrolment.open = null;
    const receipt = await write(client, 200, 'POST', address, commitBody(text, exits));
    enrolment.commits.push(text);
    acknowledged.commits += 1;
    enrolment.unanswered = null;
    enrolment.open = exits ? null : { launch: session.Launch, address, next: number + 1 };
    checkReceipt(receipt, text);
    if (superseded && nth === 1) await sendLate(client, enrolment, superseded, acknowledged);
  }
}

/** Sends one statement or a batch, as an activity provider does. */
async function sendStatements(client: Client, { baseUrl, key }: Target, ledger: Ledger): Promise<void> {
  const ids = Array.from({ length: Math.random() < 0.5 ? 1 : 20 }, () => randomUUID() as string);
  const statements = ids.map((id) => ({
    id,
    actor: { mbox: `mailto:lee.${serial % 100}@walk.example` },
    verb: { id: 'https://walk.example/verbs/walked' },
    object: { id: `https://walk.example/activities/${serial % 20}` },
    result: { response: 'x'.repeat(Math.floor(Math.random() * 500)) },
  }));
  const record = { ids, answered: false, touched: true };
  ledger.statements.push(record);
  await write(client, 200, 'POST', `${baseUrl}/xapi/statements`, statements, key);
  record.answered = true;
  ledger.acknowledged.statements += ids.length;
}

/**
 * Sends a commit from another device, which does not know about the newer launch and uses the same commit
 * numbers.
 */
async function sendLate(
  client: Client,
  enrolment: EnrolmentRecord,
  { launch, address, next: number }: NonNullable<EnrolmentRecord['open']>,
  acknowledged: Ledger['acknowledged'],
): Promise<void> {
  const completed = isCompleted(enrolment) || Math.random() < 0.3;
  const text: Acknowledged = { number, launch, bookmark: 'stale', seconds: number * 10, completed };
  enrolment.unanswered = { late: text };
  const receipt = await write(client, 200, 'POST', address, commitBody(text, false));
  enrolment.late.push(text);
  acknowledged.late += 1;
  enrolment.unanswered = null;
  checkReceipt(receipt, text);
  if (receipt.body.Ended !== 'session_superseded')
    throw new Refused(`a superseded launch's commit returned ${JSON.stringify(receipt.body)}`);
}

function checkReceipt({ body }: Answer, { number, completed }: Acknowledged): void {
  const status = completed ? 'completed' : 'in_progress';
  if (body.Number !== number || body.Status !== status)
    throw new Refused(`commit ${number} returned ${JSON.stringify(body)}`);
}

function commitBody(text: Acknowledged, exit: boolean) {
  return {
    Number: text.number,
    UnitID: 'web',
    Data: {
      'lectern.completion': text.completed ? 'completed' : 'incomplete',
      'lectern.seconds': String(text.seconds),
      'lectern.bookmark': text.bookmark,
    },
    ...(exit ? { Exit: true } : {}),
  };
}

/**
 * Runs learners in parallel, some new and some returning, until `over` returns true. A learner whose request
 * gets no response is abandoned. Returns the rejections, which are errors in the service.
 */
export async function runLearners(
  target: Target,
  ledger: Ledger,
  options: { client: Client; concurrency: number; onlyStatements?: boolean; over: () => boolean },
): Promise<string[]> {
  const faults: string[] = [];
  const back = ledger.enrolments.filter(({ unanswered }) => unanswered === null);
  const step = async () => {
    await sendStatements(options.client, target, ledger);
    if (options.onlyStatements) return;
    const again =
      Math.random() < 0.5 ? back.splice(Math.floor(Math.random() * back.length), 1)[0] : undefined;
    const enrolment = again ?? (await enrolOne(options.client, target, ledger));
    await playSession(options.client, enrolment, ledger);
    if (!again) back.push(enrolment);
  };
  const worker = async () => {
    while (!options.over())
      await step().catch(async (error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        ledger.failures.push(message);
        if (!(error instanceof Unanswered)) faults.push(message);
        await new Promise((resolve) => setTimeout(resolve, 20));
      });
  };
  await Promise.all(Array.from({ length: options.concurrency }, worker));
  return faults;
}
