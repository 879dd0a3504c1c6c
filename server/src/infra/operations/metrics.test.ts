import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { packCourse } from '../../../../test/journeys/course-packages.ts';
import { movableClock } from '../../../test/support/clock.ts';
import { growthOf, readMetrics } from '../../../test/support/metrics.ts';
import { observed, serve } from '../../../test/support/nodes.ts';
import { click, play, post, scorm12 } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import { expectStatus, newCourse, newTenant } from '../../../test/support/tenant.ts';
import { slackSeconds, until, untilMatching } from '../../../test/support/until.ts';

const clock = movableClock();
const service = await startService({ now: clock.now, env: { RATE_LIMIT: '60' } });
after(service.close);
const tenant = await newTenant(service);
const password = 'a'.repeat(64);

/** Requests within a second share one response. */
function metricsNow() {
  clock.advance({ seconds: 1 });
  return readMetrics(service);
}

const rejected = (limit: string) => `lectern_rejections_total{limit="${limit}"}`;

const bulkHeaders = (key: string) => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/x-ndjson',
});

/** A bulk call that has sent only its first row so far. */
function beginBulk(key: string) {
  const call = request(`${service.baseUrl}/user/bulk`, { method: 'POST', headers: bulkHeaders(key) });
  call.on('error', () => {});
  call.write('{"LoginID":"row"}\n');
  return call;
}

/** Repeats the call, because a new minute may have begun in the meantime. */
async function untilRejected(call: () => Promise<number>): Promise<void> {
  for (let sent = 0; sent < 1_000; sent++) if ((await call()) === 429) return;
}

test('metrics count rejections by limit', async () => {
  const { key, api } = await newTenant(service);
  const { LaunchURL } = await service.enrol(await newCourse(service));
  const grown = await growthOf(metricsNow, async () => {
    const { alive } = await play(service, LaunchURL);
    await untilRejected(alive);
    await untilRejected(async () => (await post(`${(await click(LaunchURL)).location}/session`)).status);
    await untilRejected(async () => (await api('GET', '/user')).status);
  });
  assert.equal(grown(rejected('commits')), 1);
  assert.equal(grown(rejected('launches')), 1);
  assert.equal(grown(rejected('calls_of_key')), 1);
  clock.advance({ seconds: 61 });
  const calls = [1, 2, 3, 4].map(() => beginBulk(key));
  await until('four are in progress', () =>
    [...service.ctx.load.open].some(([name, n]) => name.startsWith('bulk_calls') && n === 4),
  );
  const bulk = await growthOf(metricsNow, () =>
    service.api('POST', '/user/bulk', '{"LoginID":"x"}\n', key, {
      'content-type': 'application/x-ndjson',
    }),
  );
  assert.equal(bulk(rejected('bulk_calls')), 1);
  for (const call of calls) call.destroy();
});

test("metrics show a node's current work: requests, bulk calls, imports", async () => {
  const metric = async (name: string) => (await metricsNow()).get(name) ?? Number.NaN;
  for (const name of ['lectern_bulk_calls_running', 'lectern_imports_waiting'])
    await untilMatching(
      () => metric(name),
      (value) => value === 0,
    );
  const call = beginBulk(tenant.key);
  const headers = { authorization: `Bearer ${service.operatorKey}`, 'content-type': 'application/zip' };
  const course = await newCourse(service, { URL: null });
  const upload = request(`${service.baseUrl}/course/${course}/package`, { method: 'PUT', headers });
  upload.on('error', () => {});
  upload.write('PK');
  for (const name of ['lectern_bulk_calls_running', 'lectern_imports_waiting'])
    await untilMatching(
      () => metric(name),
      (value) => value === 1,
    );
  // Probes, such as the request for the metrics, are not counted.
  assert.equal(await metric('lectern_http_requests_in_flight{origin="api"}'), 2);
  call.destroy();
  upload.destroy();
  for (const name of ['lectern_bulk_calls_running', 'lectern_imports_waiting'])
    await untilMatching(
      () => metric(name),
      (value) => value === 0,
    );
});

test('metrics count wrong credentials by kind', async () => {
  const { TenantID } = tenant;
  const LoginID = await tenant.user({ Password: password });
  const grown = await growthOf(metricsNow, async () => {
    await Promise.all(
      Array.from({ length: 6 }, (_, at) =>
        service.api('POST', '/session', { TenantID, LoginID: `nobody ${at}`, Password: password }, ''),
      ),
    );
    await service.api('GET', '/user', undefined, 'wrong-but-long-enough');
    await service.api(
      'POST',
      '/oauth/token',
      { grant_type: 'client_credentials', client_id: tenant.keyId, client_secret: 'wrong' },
      '',
    );
    await tenant.api('POST', `/user/check/${LoginID}`, { Password: 'b'.repeat(64) });
    await tenant.api('POST', `/user/check/${LoginID}`, { Password: password });
    const { SignInURL } = (await tenant.api('POST', `/user/session/${LoginID}`)).body;
    const body = new URLSearchParams({ token: new URL(SignInURL).searchParams.get('token') ?? '' });
    for (const status of [303, 410])
      assert.equal(
        (
          await fetch(`${service.baseUrl}/session/sign-in`, {
            method: 'POST',
            body,
            redirect: 'manual',
          })
        ).status,
        status,
      );
  });
  const failures = (kind: string) => grown(`lectern_sign_in_failures_total{kind="${kind}"}`);
  assert.deepEqual(['password', 'key', 'check', 'link'].map(failures), [6, 2, 1, 1]);
});

test('metrics count rejected commits by code, and late commits', async () => {
  expectStatus(await service.importPackage('metered', await packCourse('phishing')), 201);
  const enrolment = await service.enrol('metered');
  const laptop = await play(service, enrolment.LaunchURL);
  await play(service, enrolment.LaunchURL);
  const grown = await growthOf(metricsNow, async () => {
    expectStatus(await laptop.commit({ Data: scorm12('incomplete', 10) }), 200);
    expectStatus(await laptop.commit({ Number: 5_000, Data: scorm12('incomplete', 10) }), 409);
    const { LoginID, EnrollID } = enrolment;
    await service.api('PUT', `/enrolment/${LoginID}/${EnrollID}`, { Withdrawn: true });
    expectStatus(await laptop.commit({ Data: scorm12('passed', 90) }), 403);
  });
  assert.equal(grown('lectern_late_commits_total'), 1);
  assert.equal(grown('lectern_commits_rejected_total{code="commit_number_ahead"}'), 1);
  assert.equal(grown('lectern_commits_rejected_total{code="enrolment_withdrawn"}'), 1);
});

test('metrics show the free disk space and the size of the write-ahead log', async () => {
  clock.advance({ seconds: 61 });
  const found = await untilMatching(
    () => readMetrics(service),
    (metrics) => metrics.has('lectern_database_wal_bytes') && metrics.has('lectern_disk_free_bytes'),
  );
  const value = (name: string) => found.get(name) ?? 0;
  assert.ok(value('lectern_database_wal_bytes') >= 1024 ** 2);
  assert.ok(value('lectern_disk_free_bytes') > 0);
  assert.ok(value('lectern_disk_size_bytes') > value('lectern_disk_free_bytes'));
  assert.equal(value('lectern_figures_up{group="disk"}'), 1);
  assert.equal(value('lectern_figures_up{group="wal"}'), 1);
});

test('if the database hangs, all other metrics are returned within a second, without outdated values', async () => {
  const { engine } = service.ctx;
  const isServer = engine.kind === 'postgres';
  const held = Promise.withResolvers<void>();
  const idle = await readMetrics(service);
  // The embedded database has one connection; a PostgreSQL server has ten per node.
  const holding = Array.from({ length: isServer ? 10 : 1 }, () =>
    engine.transaction(async (connection) => {
      await connection.query({ text: 'select 1', values: [] });
      await held.promise;
    }),
  );
  try {
    await until('all connections are in use', () => engine.load().inUse === holding.length);
    clock.advance({ seconds: 61 });
    for (const _ of [1, 2]) {
      const begun = performance.now();
      const metrics = await readMetrics(service);
      assert.ok(
        performance.now() - begun < 1_000 * (1 + slackSeconds),
        `the response took ${performance.now() - begun} ms`,
      );
      assert.equal(metrics.get('lectern_database_in_use'), holding.length);
      assert.ok((metrics.get('lectern_database_waiting') ?? 0) >= 1);
      assert.ok(
        (metrics.get('lectern_database_waits_total') ?? 0) > (idle.get('lectern_database_waits_total') ?? 0),
      );
      assert.equal(metrics.get('lectern_figures_up{group="wal"}'), 0);
      assert.equal(metrics.has('lectern_database_wal_bytes'), false);
      assert.equal(metrics.get('lectern_figures_up{group="disk"}'), 1);
    }
  } finally {
    held.resolve();
    await Promise.all(holding);
  }
  clock.advance({ seconds: 16 });
  await untilMatching(
    () => readMetrics(service),
    (metrics) => metrics.get('lectern_figures_up{group="wal"}') === 1,
  );
});

test('database metrics are read at most once every 15 s, however often metrics are scraped', async () => {
  const seen: string[] = [];
  const node = await serve(observed(service.ctx, ({ text }) => void seen.push(text)));
  after(node.close);
  const ask = () => node.api.inject({ url: '/metrics' });
  const reads = () => seen.filter((text) => text.includes('pg_ls_waldir')).length;
  for (let asked = 0; asked < 5; asked++) assert.equal((await ask()).statusCode, 200);
  await until('the values were read', () => reads() > 0);
  assert.equal(reads(), 1);
  clock.advance({ seconds: 16 });
  await Promise.all([ask(), ask(), ask()]);
  // On a busy machine, the first read may have ended only after these requests.
  await until('the values were read again', async () => (await ask()).statusCode === 200 && reads() > 1);
  assert.equal(reads(), 2);
});

test('metrics contain no tenant, person, key, course or address', async () => {
  const text = await (await fetch(`${service.baseUrl}/metrics`)).text();
  assert.doesNotMatch(text, /tenant-\d|learner-|user-\d|course-\d|192\.0\.2|metered|nobody/);
});

test('docs/guide/monitoring.md and the Grafana dashboard show each of our metrics, and alerts use only these', async () => {
  const read = (path: string) => readFile(join(import.meta.dirname, '../../../..', path), 'utf8');
  const text = await (await fetch(`${service.baseUrl}/metrics`)).text();
  const shown = [...text.matchAll(/^# TYPE (lectern_\w+)/gm)].map(([, name]) => name).sort();
  const namesIn = (page: string, pattern: RegExp) =>
    [...new Set([...page.matchAll(pattern)].map(([, name]) => name))].sort();
  assert.deepEqual(namesIn(await read('docs/guide/monitoring.md'), /`(lectern_\w+)`/g), shown);
  const alerts = namesIn(await read('deploy/alerts.yaml'), /(lectern_\w+)/g);
  const alerting = alerts.map((name) => name?.replace(/(_seconds)_count$/, '$1'));
  assert.deepEqual(
    alerting.filter((name) => !shown.includes(name)),
    [],
    'alerts use existing metrics',
  );
  const dashboard = JSON.parse(await read('deploy/grafana-dashboard.json'));
  const queries = JSON.stringify(dashboard.panels).replaceAll(/(_seconds)_(count|bucket)/g, '$1');
  assert.deepEqual(namesIn(queries, /(lectern_\w+)/g), shown);
});
