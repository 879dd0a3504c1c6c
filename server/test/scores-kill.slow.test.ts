import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openClient } from '../../bench/kill/client.ts';
import { claim, login, platformAt, startPlatform } from './support/lti-platform.ts';
import { packUnits } from './support/packages.ts';
import { type Play, play, scorm12 } from './support/player.ts';
import {
  bootstrapKey,
  cleanUp,
  databaseSettings,
  freePorts,
  runProcess,
  startProcess,
  stopProcess,
  temporaryFolder,
} from './support/process.ts';
import { readJournal } from './support/score-keeper.ts';
import { until } from './support/until.ts';

after(cleanUp);

const rounds = Number(process.env.KILL_ROUNDS ?? 4);
const minutes = Number(process.env.KILL_MINUTES ?? 5);
const learners = 6;

test('no score is lost or doubled, even if the service or the platform is killed while it is delivered', async () => {
  const journal = join(await temporaryFolder(), 'scores');
  const [port = 0] = await freePorts(1);
  const keeper = async () => {
    const file = join(import.meta.dirname, 'support/score-keeper.ts');
    const run = runProcess(process.execPath, [file, String(port), journal], {});
    const answers = () =>
      fetch(`http://127.0.0.1:${port}/token`).then(
        () => true,
        () => false,
      );
    await until('the platform listens', answers, 60);
    return run;
  };
  let platform = await keeper();
  const issuer = await startPlatform(() => new Date());
  const home = { ...(await databaseSettings()), WEBHOOK_ALLOW: '127.0.0.1' };
  let service = await startProcess(home);
  const client = openClient(learners);
  const call = (method: string, path: string, body?: unknown, key = bootstrapKey) =>
    client.call(method, service.baseUrl + path, body, key);
  await call('POST', '/tenant', { TenantID: 'kill' });
  const { Secret: key } = (await call('POST', '/tenant/kill/key', { Name: 'kill' })).body;
  await call('PUT', '/course/fire-safety', { Title: 'Fire safety' });
  const sent = await fetch(`${service.baseUrl}/course/fire-safety/package`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${bootstrapKey}`, 'content-type': 'application/zip' },
    body: await readFile(await packUnits(1)),
  });
  assert.equal(sent.status, 201, await sent.text());
  assert.ok((await call('PUT', '/course/fire-safety/option/open', {})).status < 300);
  const made = await call(
    'POST',
    '/platform',
    { ...platformAt(issuer.origin), TokenURL: `http://127.0.0.1:${port}/token` },
    key,
  );
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const hook = `/webhook/${made.body.PlatformID}`;
  const scope = (name: string) => `https://purl.imsglobal.org/spec/lti-ags/scope/${name}`;
  const people = Array.from({ length: learners }, (_, n) => ({ sub: `learner-${n}`, path: '' }));
  const playing: Play[] = [];
  for (const [n, person] of people.entries()) {
    const { nonce, post } = await login(service.baseUrl, issuer);
    const payload = issuer.claims(nonce, {
      sub: person.sub,
      [claim('custom')]: { course: 'fire-safety' },
      'https://purl.imsglobal.org/spec/lti-ags/claim/endpoint': {
        scope: ['score', ...(n % 2 === 0 ? ['result.readonly'] : [])].map(scope),
        lineitem: `http://127.0.0.1:${port}/items/link/lineitem`,
      },
    });
    assert.equal((await post({ id_token: await issuer.sign(payload) })).status, 303);
    const loginId = encodeURIComponent(`lti:${issuer.origin.replace('http://', '')}:${person.sub}`);
    const [enrolment] = (await call('GET', `/enrolment/${loginId}`, undefined, key)).body.Items;
    person.path = `/enrolment/${loginId}/${enrolment.EnrollID}`;
    const { LaunchURL } = (await call('GET', person.path, undefined, key)).body;
    playing.push(await play(service, LaunchURL));
  }

  /** Like the player, repeats commits without a response. */
  const commitAll = (score: number, isOver: () => boolean) =>
    Promise.all(
      playing.map(async (one) => {
        for (;;) {
          const reply = await one.commit({ Data: scorm12('incomplete', score) }).catch(() => null);
          if (reply?.status === 200) return;
          if (reply && reply.status < 500) throw new Error(JSON.stringify(reply.body));
          if (isOver()) throw new Error('The service is running, but a commit has no response.');
          await pause(50);
        }
      }),
    );
  const hasArrived = async () => {
    const grades = new Map(readJournal(journal).map((one) => [one.userId, one.scoreGiven]));
    const scores = await Promise.all(
      people.map(async ({ path }) => (await call('GET', path, undefined, key)).body.Score),
    );
    return people.every(({ sub }, n) => (grades.get(sub) ?? null) === scores[n]);
  };
  const end = performance.now() + minutes * 60_000;
  let kills = 0;
  for (let round = 1; round <= rounds && performance.now() < end; round++) {
    const late = performance.now() + 90_000;
    const committing = commitAll((round * 90) / rounds, () => performance.now() > late);
    const killService = async () => {
      await pause(Math.random() * 900);
      service.child.kill('SIGKILL');
      await service.exited;
      service = await startProcess(service.env);
    };
    const killPlatform = async () => {
      await pause(Math.random() * 900);
      platform.child.kill('SIGKILL');
      await platform.exited;
      await pause(Math.random() * 300);
      platform = await keeper();
    };
    await Promise.all([killService(), killPlatform(), committing]);
    kills += 2;
    // Pending deliveries become due.
    for (const Status of ['disabled', 'enabled']) await call('PUT', hook, { Status }, key);
    await until(`the scores of round ${round} arrive`, hasArrived, 90);
    if (round % 10 === 0) console.log(`${kills} kills, ${readJournal(journal).length} scores`);
  }
  await commitAll(100, () => true);
  await until('the last scores arrive', hasArrived, 90);
  const kept = readJournal(journal);
  const keys = kept.map(
    ({ userId, scoreGiven, activityProgress }) => `${userId} ${scoreGiven} ${activityProgress}`,
  );
  const doubled = keys.filter((one, n) => keys.indexOf(one) !== n);
  assert.deepEqual(doubled, []);
  const { Items } = (await call('GET', `${hook}/delivery?Status=failed`, undefined, key)).body;
  assert.deepEqual(Items, []);
  console.log(
    `${kills} kills of the service and of the platform: ${kept.length} scores accepted, 0 lost, 0 doubled`,
  );
  client.close();
  platform.child.kill('SIGKILL');
  await platform.exited;
  await issuer.close();
  await stopProcess(service);
});
