import { type Client, readAgain } from './client.ts';
import {
  type Acknowledged,
  type EnrolmentRecord,
  type Findings,
  isCompleted,
  type Ledger,
  type StatementsRecord,
  type UserRecord,
} from './ledger.ts';
import type { Target } from './load.ts';

// biome-ignore lint/suspicious/noExplicitAny: records of the API
type Entry = any;

const concurrency = 16;

async function each<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

export async function readAll(client: Client, { baseUrl, key }: Target, path: string): Promise<Entry[]> {
  const items: Entry[] = [];
  let cursor: string | null = null;
  do {
    const query: string = `?Limit=200${cursor === null ? '' : `&Cursor=${encodeURIComponent(cursor)}`}`;
    const { status, body } = await readAgain(client, 'GET', baseUrl + path + query, undefined, key);
    if (status !== 200) throw new Error(`GET ${path} returned ${status}: ${JSON.stringify(body)}`);
    items.push(...body.Items);
    cursor = body.NextCursor;
  } while (cursor !== null);
  return items;
}

/** Whether the numbers run from 1 without a gap. */
const inSequence = (numbers: number[]) => numbers.every((number, index) => number === index + 1);

const count = (entries: Entry[], type: string) => entries.filter(({ Type }) => Type === type).length;

/**
 * Reads back all writes since the last check (with `all`, all writes ever made) and compares them with the
 * acknowledged writes. A write without a response must be either complete or absent. The ledger records which
 * of the two it is, and later checks start from that state.
 */
export async function check(
  client: Client,
  target: Target,
  ledger: Ledger,
  options: { all: boolean },
): Promise<Findings> {
  const findings: Findings = { lost: [], torn: [] };
  const due = <T extends { touched: boolean }>(items: T[]) =>
    items.filter((item) => options.all || item.touched);
  await each(due(ledger.users), (user) => checkUser(client, target, user, findings));
  ledger.users = ledger.users.filter(({ answered, touched }) => answered || touched);
  await each(due(ledger.enrolments), (enrolment) => checkEnrolment(client, target, enrolment, findings));
  await each(due(ledger.statements), (sent) => checkStatements(client, target, sent, findings));
  ledger.statements = ledger.statements.filter(({ answered }) => answered);
  return findings;
}

async function checkStatements(
  client: Client,
  { baseUrl, key }: Target,
  sent: StatementsRecord,
  findings: Findings,
): Promise<void> {
  const found: string[] = [];
  for (const id of sent.ids) {
    const address = `${baseUrl}/xapi/statements?statementId=${id}`;
    const { status, body } = await readAgain(client, 'GET', address, undefined, key);
    if (status !== 200 && status !== 404)
      throw new Error(`GET ${address} returned ${status}: ${JSON.stringify(body)}`);
    if (status === 200 && body.id === id) found.push(id);
  }
  sent.touched = false;
  if (sent.answered && found.length < sent.ids.length)
    findings.lost.push(`${sent.ids.length - found.length} of ${sent.ids.length} statements`);
  if (!sent.answered && found.length > 0 && found.length < sent.ids.length)
    findings.torn.push(`${found.length} of ${sent.ids.length} unanswered statements`);
  sent.answered = found.length > 0;
}

async function checkUser(
  client: Client,
  target: Target,
  user: UserRecord,
  findings: Findings,
): Promise<void> {
  const { details } = user;
  const path = encodeURIComponent(details.LoginID);
  const address = `${target.baseUrl}/user/${path}`;
  const { status, body } = await readAgain(client, 'GET', address, undefined, target.key);
  user.touched = false;
  if (status === 404 && !user.answered) return;
  const same = status === 200 && Object.entries(details).every(([name, value]) => body[name] === value);
  if (!same) findings[user.answered ? 'lost' : 'torn'].push(`user ${details.LoginID}: ${status}`);
  user.answered = true;
  if (!user.asked) return;
  const enrolments = await readAll(client, target, `/enrolment/${path}`);
  const whole = enrolments.every(({ Reference }) => Reference === user.asked?.reference);
  if (enrolments.length > 1 || !whole)
    findings.torn.push(`unanswered enrolment of ${details.LoginID}: ${JSON.stringify(enrolments)}`);
  for (const { EnrollID } of enrolments) {
    const timeline = await readAll(client, target, `/enrolment/${path}/${EnrollID}/timeline`);
    if (count(timeline, 'enrolment.created') !== 1)
      findings.torn.push(`unanswered enrolment ${EnrollID} does not have exactly one enrolment.created`);
  }
  user.asked = null;
}

async function checkEnrolment(
  client: Client,
  target: Target,
  enrolment: EnrolmentRecord,
  { lost, torn }: Findings,
): Promise<void> {
  const path = `/enrolment/${encodeURIComponent(enrolment.loginId)}`;
  const name = `enrolment ${enrolment.enrollId}`;
  const items = await readAll(client, target, path);
  const found = items.find(({ EnrollID }) => EnrollID === enrolment.enrollId);
  enrolment.touched = false;
  if (!found || found.Reference !== enrolment.reference) {
    lost.push(`${name} of ${enrolment.loginId}`);
    return;
  }
  const reportTorn = (what: string) => torn.push(`${name}: ${what}`);
  if (items.length > 1) reportTorn(`${items.length} enrolments instead of one`);
  const timeline = await readAll(client, target, `${path}/${enrolment.enrollId}/timeline`);
  const launches = timeline.filter(({ Kind }) => Kind === 'launch').map(({ Launch }) => Launch);
  const all = timeline.filter(({ Kind }) => Kind === 'commit').sort((a, b) => a.Commit - b.Commit);
  checkLate(enrolment, all, (what) => lost.push(`${name}: ${what}`));
  const commits = all.filter((entry) => !enrolment.late.some((commit) => isEntryOf(commit, entry)));

  const { unanswered } = enrolment;
  if (unanswered && 'launch' in unanswered && launches.length === enrolment.launches + 1)
    enrolment.launches += 1;
  if (unanswered && 'commit' in unanswered && commits.length === enrolment.commits.length + 1)
    enrolment.commits.push(unanswered.commit);
  enrolment.unanswered = null;

  if (launches.length < enrolment.launches) lost.push(`${name}: launch ${enrolment.launches}`);
  if (launches.length > enrolment.launches) reportTorn(`launch ${launches.length} was never requested`);
  if (commits.length < enrolment.commits.length) lost.push(`${name}: commit ${enrolment.commits.length}`);
  if (commits.length > enrolment.commits.length) reportTorn(`commit ${commits.length} was never sent`);
  for (const [index, { number, launch, seconds, completed }] of enrolment.commits.entries()) {
    const kept = commits[index];
    const { TotalSeconds, Completion } = kept?.Data ?? {};
    const same = kept?.Commit === number && kept.Launch === launch && TotalSeconds === seconds;
    if (kept && (!same || (Completion === 'completed') !== completed))
      lost.push(`${name}: values of commit ${number}`);
  }

  const last = enrolment.commits.at(-1);
  const status = isCompleted(enrolment) ? 'completed' : enrolment.launches > 0 ? 'in_progress' : 'enrolled';
  const completed = status === 'completed';
  if (!inSequence(launches.sort((a, b) => a - b))) reportTorn('the launch numbers have a gap');
  if (!inSequence(commits.map(({ Commit }) => Commit))) reportTorn('the commit numbers have a gap');
  if (found.Launches !== launches.length) reportTorn(`Launches is ${found.Launches} of ${launches.length}`);
  if (found.Status !== status) reportTorn(`Status is ${found.Status} instead of ${status}`);
  if (found.TotalSeconds !== (last?.seconds ?? 0)) reportTorn(`TotalSeconds is ${found.TotalSeconds}`);
  if ((found.CompletedAt !== null) !== completed) reportTorn(`CompletedAt is ${found.CompletedAt}`);
  if (count(timeline, 'enrolment.created') !== 1) reportTorn('not exactly one enrolment.created');
  if (count(timeline, 'enrolment.launched') !== launches.length)
    reportTorn('not exactly one enrolment.launched per launch');
  if (count(timeline, 'enrolment.completed') !== (completed ? 1 : 0))
    reportTorn('enrolment.completed and Status disagree');
}

const isEntryOf = ({ launch, number }: Acknowledged, entry: Entry) =>
  entry.Launch === launch && entry.Commit === number;

/**
 * Checks that all late commits are stored completely. A late commit without a response may also be absent.
 */
function checkLate(enrolment: EnrolmentRecord, commits: Entry[], reportLost: (what: string) => void): void {
  const { unanswered, late } = enrolment;
  if (unanswered && 'late' in unanswered && commits.some((entry) => isEntryOf(unanswered.late, entry)))
    late.push(unanswered.late);
  for (const commit of late) {
    const kept = commits.find((entry) => isEntryOf(commit, entry));
    const { TotalSeconds, Completion } = kept?.Data ?? {};
    if (!kept || TotalSeconds < commit.seconds || (commit.completed && Completion !== 'completed'))
      reportLost(`late commit ${commit.number} of launch ${commit.launch}`);
  }
}
