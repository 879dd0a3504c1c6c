// Lets many learners open a course within a minute: npx node scripts/run.js ../bench/storm [--clicks 20000] [--rate 333] [--engine pglite]
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { cleanUp } from '../server/test/support/process.ts';
import { startTarget } from './service.ts';
import { cpuOf, serversCpu } from './usage.ts';

const { values } = parseArgs({
  options: {
    clicks: { type: 'string', default: '20000' },
    rate: { type: 'string', default: '333' },
    engine: { type: 'string', default: 'postgres' },
    root: { type: 'string', default: `${import.meta.dirname}/..` },
  },
});

const clicks = Number(values.clicks);
const rate = Number(values.rate);
const engine = values.engine === 'pglite' ? 'pglite' : 'postgres';

type Answer = { status: number; location: string | undefined; retryAfter: number; body: string };

const browser = { accept: 'text/html,application/xhtml+xml', 'sec-fetch-mode': 'navigate' };

function ask(agent: Agent, method: string, address: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(address, { agent, method, headers: method === 'GET' ? browser : {} }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          location: response.headers.location,
          retryAfter: Number(response.headers['retry-after'] ?? 1),
          body: Buffer.concat(parts).toString(),
        }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}

const counts = { retries: 0, resets: 0, errors: 0, unfinished: 0 };
const times: number[] = [];

/** A page or the player asks again after 429 and 503, as a browser would. */
async function patiently(agent: Agent, method: string, address: string, until: number): Promise<Answer> {
  for (;;) {
    const answer = await ask(agent, method, address);
    if (answer.status !== 429 && answer.status !== 503) {
      if (answer.status >= 500) counts.errors += 1;
      return answer;
    }
    counts.retries += 1;
    if (performance.now() + answer.retryAfter * 1_000 > until) return answer;
    await pause(answer.retryAfter * 1_000);
  }
}

/** Opens the link in a browser of its own: click, page, session, first file. */
async function open(link: string): Promise<void> {
  const began = performance.now();
  const until = began + 30_000;
  const agent = new Agent({ keepAlive: true });
  try {
    const click = await patiently(agent, 'GET', link, until);
    const page = click.location ?? '';
    if ((await patiently(agent, 'GET', page, until)).status !== 200) throw new Error('no page');
    const session = await patiently(agent, 'POST', `${page}/session`, until);
    const { ContentPath } = JSON.parse(session.body) as { ContentPath: string };
    const file = await patiently(agent, 'GET', `${new URL(page).origin}${ContentPath}index.html`, until);
    if (file.status !== 200) throw new Error('no file');
    times.push(performance.now() - began);
  } catch (error) {
    if ((error as { code?: string }).code === 'ECONNRESET') counts.resets += 1;
    counts.unfinished += 1;
  } finally {
    agent.destroy();
  }
}

const target = await startTarget({
  name: engine,
  engine,
  nodes: 1,
  root: values.root,
  sizes: { tenants: 0, users: 0, enrolments: 0 },
  sessions: Math.min(clicks, 5_000),
  say: console.log,
});
try {
  const pid = target.nodes[0]?.child.pid ?? 0;
  const folders = target.database?.folders ?? [];
  const [origin = ''] = target.origins.api;
  const { sessions } = target.dataset;
  const [service, server] = [cpuOf(pid), serversCpu(folders)];
  const opening: Promise<void>[] = [];
  const began = performance.now();
  for (let n = 0; n < clicks; n++) {
    const wait = began + (n * 1_000) / rate - performance.now();
    if (wait > 1) await pause(wait);
    opening.push(open(origin + (sessions[n % sessions.length]?.link ?? '')));
  }
  await Promise.all(opening);
  const at = (part: number) => times.toSorted((a, b) => a - b)[Math.floor(times.length * part)]?.toFixed(0);
  console.log(
    `${times.length} of ${clicks} opened the course at ${rate}/s: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, slowest ${at(0.99999)} ms; retries ${counts.retries}, connections reset ${counts.resets}, other 5xx ${counts.errors}, not opened ${counts.unfinished}; CPU per launch: service ${((cpuOf(pid) - service) * 1e6) / clicks} µs, server ${((serversCpu(folders) - server) * 1e6) / clicks} µs`,
  );
} finally {
  await target.stop();
  await cleanUp();
}
