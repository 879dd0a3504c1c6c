import { setTimeout as pause } from 'node:timers/promises';
import { type Client, openClient } from '../kill/client.ts';
import type { Dataset, OpenSession } from '../operation.ts';
import { operationNamed } from '../operations.ts';

export type LearnersOrder = {
  dataset: Dataset;
  origins: Record<'api' | 'content', string[]>;
  learners: number;
  seconds: number;
};

export type LearnersFigure = {
  commits: number;
  launches: number;
  /** Response times of all calls, in milliseconds. */
  p50: number;
  p95: number;
  p99: number;
  slowest: number;
  wrong: number;
  firstWrong: string | null;
};

const commitEvery = 20_000;

/**
 * Runs learners who each have a connection, commit every 20 s, and restart the course once during the
 * measurement.
 */
export async function learners(order: LearnersOrder): Promise<LearnersFigure> {
  const { dataset, origins, seconds } = order;
  const latencies: number[] = [];
  const wrongs: string[] = [];
  const counts = { commits: 0, launches: 0 };
  const end = performance.now() + seconds * 1000;
  const { request } = operationNamed('commit');

  const timed = async (client: Client, expected: number, ...args: Parameters<Client['call']>) => {
    const began = performance.now();
    const response = await client
      .call(...args)
      .catch((error: Error) => ({ status: 0, location: null, body: error.message }));
    latencies.push(performance.now() - began);
    if (response.status !== expected)
      wrongs.push(`${args[0]} returned ${response.status} ${JSON.stringify(response.body)}`);
    return response;
  };

  async function relaunch(client: Client, session: OpenSession, n: number): Promise<OpenSession> {
    const origin = origins.api[n % origins.api.length] ?? '';
    const click = await timed(client, 303, 'GET', origin + session.link);
    const content = origins.content[n % origins.content.length] ?? '';
    const page = new URL(click.location ?? '', content).pathname;
    await timed(client, 200, 'GET', content + page);
    const { body } = await timed(client, 201, 'POST', `${content + page}/session`);
    counts.launches += 1;
    return { ...session, path: `/play/${body.Session}` };
  }

  async function playUntilEnd(n: number): Promise<void> {
    let session = dataset.sessions[n] as OpenSession;
    const client = openClient(2);
    const content = origins.content[n % origins.content.length] ?? '';
    const relaunchAt = performance.now() + Math.random() * seconds * 1000;
    let launched = false;
    let commits = 0;
    await pause(Math.random() * commitEvery);
    while (performance.now() < end) {
      if (!launched && performance.now() >= relaunchAt) {
        launched = true;
        session = await relaunch(client, session, n);
      }
      // Creates the operation's request for this learner only. The number of the request is the commit
      // number.
      const { path, body } = request({ ...dataset, sessions: [session] }, commits++);
      await timed(client, 200, 'POST', content + path, JSON.parse(body ?? '{}'));
      counts.commits += 1;
      await pause(Math.min(commitEvery, Math.max(0, end - performance.now())));
    }
    client.close();
  }

  await Promise.all(Array.from({ length: order.learners }, (_, n) => playUntilEnd(n)));
  latencies.sort((a, b) => a - b);
  const at = (part: number) => latencies[Math.floor(latencies.length * part)] ?? 0;
  return {
    ...counts,
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    slowest: latencies.at(-1) ?? 0,
    wrong: wrongs.length,
    firstWrong: wrongs[0] ?? null,
  };
}
