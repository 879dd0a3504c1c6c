import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { check } from '../../bench/kill/check.ts';
import { type Client, openClient } from '../../bench/kill/client.ts';
import { checkServer } from '../../bench/kill/consistency.ts';
import { emptyLedger } from '../../bench/kill/ledger.ts';
import { runLearners } from '../../bench/kill/load.ts';
import { prepareTarget } from '../../bench/kill/rounds.ts';
import { bootstrapKey, type Running, stopProcess } from '../../server/test/support/process.ts';
import { until } from '../../server/test/support/until.ts';
import { packCourse } from '../journeys/course-packages.ts';
import { startTwoNodes } from './two-nodes.ts';

/** `.ci/run full` kills more often. */
const kills = Number(process.env.NODE_KILLS ?? 2);
const closing: (() => unknown)[] = [];
after(async () => {
  for (const close of closing.reverse()) await close();
});

/** The pages of the course, as a learner's browser gets them through the balancer. It repeats what was refused. */
async function playCourse(client: Client, baseUrl: string, key: string, loginId: string): Promise<string> {
  const call: Client['call'] = async (...request) => {
    for (let attempt = 1; ; attempt++) {
      const answer = await client.call(...request);
      if (answer.status < 500 || attempt === 20) return answer;
      await pause(500);
    }
  };
  await call('POST', `${baseUrl}/user`, { LoginID: loginId }, key);
  const { body } = await call('POST', `${baseUrl}/enrol/${loginId}/phishing`, {}, key, `enrol-${loginId}`);
  const { location } = await call('GET', body.LaunchURL);
  const { body: session } = await call('POST', `${location}/session`);
  const file = await call('GET', `${new URL(location ?? '').origin}${session.ContentPath}index.html`);
  assert.equal(file.status, 200);
  return file.body;
}

test('with the recipe, two nodes with an object store lose no acknowledged write and no course when one is killed', async () => {
  const { baseUrl, nodeUrl, databaseUrl, nodes, restart, close } = await startTwoNodes();
  closing.push(close);
  const client = openClient(64);
  closing.push(client.close);

  const target = await prepareTarget(client, baseUrl);
  await client.call('PUT', `${baseUrl}/course/phishing`, { Title: 'Phishing' }, bootstrapKey);
  const imported = await fetch(`${nodeUrl}/course/phishing/package`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${bootstrapKey}`, 'content-type': 'application/zip' },
    body: new Uint8Array(readFileSync(await packCourse('phishing'))),
  });
  assert.equal(imported.status, 201, await imported.text());
  await client.call('PUT', `${baseUrl}/course/phishing/option/standard`, {}, bootstrapKey);
  const page = await playCourse(client, baseUrl, target.key, 'before');

  const ledger = emptyLedger();
  for (let kill = 0; kill < kills; kill++) {
    let isOver = false;
    const load = runLearners(target, ledger, { client, concurrency: 16, over: () => isOver });
    const { commits } = ledger.acknowledged;
    await until('writes are acknowledged', () => ledger.acknowledged.commits > commits + 50);
    // The first one that dies is the one that imported the course.
    const victim = nodes[kill % 2] as Running;
    await stopProcess(victim, 'SIGKILL');
    const dead = ledger.acknowledged.commits;
    await until('the other node continues', () => ledger.acknowledged.commits > dead + 50);
    if (kill < 2) assert.equal(await playCourse(client, baseUrl, target.key, `during-${kill}`), page);
    await restart(kill % 2);
    isOver = true;
    assert.deepEqual(await load, []);
    assert.deepEqual(await check(client, target, ledger, { all: kill === kills - 1 }), {
      lost: [],
      torn: [],
    });
  }
  assert.deepEqual(await checkServer(databaseUrl), []);
  console.log(`${kills} nodes killed, ${JSON.stringify(ledger.acknowledged)} acknowledged, none lost`);
});
