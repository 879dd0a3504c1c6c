// Compares the CPU time of launches from a learning platform (login and launch) with that of clicks on a LaunchURL, and
// that of commits in dispatched courses with that of other commits:
//   npx node scripts/run.js ../bench/platform-launch [--launches 4000] [--learners 500]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { platformAt, startPlatform } from '../server/test/support/lti-platform.ts';
import { cleanUp } from '../server/test/support/process.ts';
import { openClient } from './kill/client.ts';
import { median } from './median.ts';
import { operationNamed } from './operations.ts';
import { startTarget } from './service.ts';
import { cpuOf, serversCpu } from './usage.ts';

const { values } = parseArgs({
  options: {
    launches: { type: 'string', default: '4000' },
    learners: { type: 'string', default: '500' },
    connections: { type: 'string', default: '64' },
  },
});
const launches = Number(values.launches);
const learners = Number(values.learners);
const connections = Number(values.connections);
const form = 'application/x-www-form-urlencoded';
const json = 'application/json';

type Answer = { status: number; location: string; cookie: string; text: string };

const agent = new Agent({ keepAlive: true, maxSockets: connections });

function ask(address: string, cookie = '', body?: string, type = form): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...(cookie && { cookie }),
      ...(body !== undefined && { 'content-type': type, 'content-length': Buffer.byteLength(body) }),
    };
    const method = body === undefined ? 'GET' : 'POST';
    const sent = request(address, { agent, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          location: response.headers.location ?? '',
          cookie: response.headers['set-cookie']?.[0]?.split(';')[0] ?? '',
          text,
        }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** As many at a time as there are connections. */
async function each<T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const n = next++;
      results[n] = await work(n);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  return results;
}

const platform = await startPlatform(() => new Date());
const target = await startTarget({
  name: 'postgres',
  engine: 'postgres',
  nodes: 1,
  root: join(import.meta.dirname, '..'),
  sizes: { tenants: 0, users: 0, enrolments: 0 },
  sessions: learners,
  env: { WEBHOOK_ALLOW: '127.0.0.1' },
  say: () => {},
});
try {
  const pid = target.nodes[0]?.child.pid ?? 0;
  const folders = target.database?.folders ?? [];
  const [[api = ''], [content = '']] = [target.origins.api, target.origins.content];
  const { key, sessions } = target.dataset;
  const made = await fetch(`${api}/platform`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(platformAt(platform.origin)),
  });
  if (!made.ok) throw new Error(await made.text());

  async function measure(
    name: string,
    count: number,
    expected: number,
    work: (n: number) => Promise<Answer>,
  ) {
    const [service, server] = [cpuOf(pid), serversCpu(folders)];
    const began = performance.now();
    const answers = await each(count, work);
    const wrong = answers.find(({ status }) => status !== expected);
    if (wrong) throw new Error(`${name}: ${wrong.status} ${wrong.text.slice(0, 500)}`);
    const used = {
      service: ((cpuOf(pid) - service) * 1e6) / count,
      server: ((serversCpu(folders) - server) * 1e6) / count,
    };
    const rate = (count * 1_000) / (performance.now() - began);
    console.log(
      `${name}: service ${used.service.toFixed(0)} µs, server ${used.server.toFixed(0)} µs, ${rate.toFixed(0)}/s`,
    );
    return { answers, micros: used.service + used.server };
  }
  const click = (n: number) => ask(api + (sessions[n % sessions.length]?.link ?? ''));
  const login = () =>
    ask(
      `${api}/lti/login?${new URLSearchParams({ iss: platform.origin, client_id: 'lectern', login_hint: '3', target_link_uri: `${api}/lti/launch`, lti_message_hint: '17' })}`,
    );
  /** The platform's answers to logins. Signing them is not measured. */
  const signed = (answers: Answer[]) =>
    each(answers.length, async (n) => {
      const { location, cookie } = answers[n] as Answer;
      const asked = new URL(location).searchParams;
      const payload = platform.claims(asked.get('nonce') ?? '', {
        sub: `learner-${n % learners}`,
        given_name: 'Lee',
        family_name: `Learner ${n % learners}`,
        email: `learner-${n % learners}@platform.example`,
        'https://purl.imsglobal.org/spec/lti/claim/custom': { course: 'phishing' },
        'https://purl.imsglobal.org/spec/lti-ags/claim/endpoint': {
          scope: ['https://purl.imsglobal.org/spec/lti-ags/scope/score'],
          lineitem: `${platform.origin}/items/1/lineitem`,
        },
      });
      const id_token = await platform.sign(payload);
      return { cookie, body: new URLSearchParams({ state: asked.get('state') ?? '', id_token }).toString() };
    });
  async function launch(name: string, count: number) {
    const logins = await measure(`${name}: login`, count, 303, login);
    const forms = await signed(logins.answers);
    const launched = await measure(`${name}: launch`, count, 303, (n) => {
      const { cookie, body } = forms[n] ?? { cookie: '', body: '' };
      return ask(`${api}/lti/launch`, cookie, body);
    });
    return logins.micros + launched.micros;
  }
  /** Sessions that learners of another LMS have opened through a package. */
  async function dispatched() {
    const client = openClient(16);
    const made = await client.call(
      'POST',
      `${api}/dispatch`,
      { CourseID: 'phishing', DurationID: 'year', Standard: 'scorm12' },
      key,
    );
    const file = await fetch(`${api}/dispatch/${made.body.DispatchID}/package`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const folder = mkdtempSync(join(tmpdir(), 'lectern-dispatch-'));
    const path = join(folder, 'package.zip');
    writeFileSync(path, Buffer.from(await file.arrayBuffer()));
    const page = execFileSync('unzip', ['-p', path, 'index.html'], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    const secret = /"key":"([^"]+)"/.exec(page)?.[1] ?? '';
    const opened = await each(learners, async (n) => {
      const learner = new URLSearchParams({
        key: secret,
        learner: String(n),
        first: 'Lee',
        last: `Learner ${n}`,
      });
      const { text } = await ask(`${api}/dispatch/open`, '', learner.toString());
      const { body } = await client.call('POST', `${JSON.parse(text).PlayerURL}/session`);
      return {
        link: '',
        page: '',
        file: '',
        path: `/play/${body.Session}`,
        unit: Object.keys(body.Data)[0] ?? '',
      };
    });
    client.close();
    return opened;
  }
  const commit = operationNamed('commit');
  const commits = (name: string, of: typeof sessions, from: number) =>
    measure(name, launches, 200, (n) => {
      const { path, body } = commit.request({ ...target.dataset, sessions: of }, from + n);
      return ask(content + path, '', body, json);
    });
  const others = await dispatched();
  const commitRatios = [];
  for (let round = 0; round <= 5; round++) {
    const direct = await commits('commit', sessions, round * launches);
    const sent = await commits('dispatched commit', others, round * launches);
    if (round > 0) commitRatios.push(sent.micros / direct.micros);
  }
  console.log(`dispatched commit: ${median(commitRatios).toFixed(2)} × a commit`);
  await each(launches, click);
  const first = await launch('first launch', learners);
  const ratios = [];
  for (let round = 1; round <= 3; round++) {
    const clicks = await measure('click', launches, 303, click);
    const again = await launch('later launch', launches);
    ratios.push(again / clicks.micros);
    console.log(
      `login and launch: ${(again / clicks.micros).toFixed(2)} × a click; first ${(first / clicks.micros).toFixed(2)} ×`,
    );
  }
} finally {
  agent.destroy();
  await platform.close();
  await target.stop();
  await cleanUp();
}
