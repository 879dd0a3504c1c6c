import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { movableClock } from '../../../test/support/clock.ts';
import { play } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import { allPages, newCourse, newTenant } from '../../../test/support/tenant.ts';
import { until } from '../../../test/support/until.ts';
import { isDistributed } from '../../db/distribute.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
const { api, user } = await newTenant(service);

async function enrol(course: string): Promise<{ EnrollID: string; LaunchURL: string }> {
  return (await api('POST', `/enrol/${await user()}/${course}`)).body;
}

const updated = ['enrolment', 'attempt_unit'];
const tables = [...updated, 'launch', 'attempt'];

type Updates = { table: string; all: number; inPlace: number };

const onServer = `select relname as "table", n_tup_upd::integer as "all", n_tup_hot_upd::integer as "inPlace"
from pg_stat_user_tables where relname = any($1)`;

/** On Citus, the workers count the updates of each shard. */
const onWorkers = `select name as "table", sum((counted.result::json ->> 'all')::integer)::integer as "all",
  sum((counted.result::json ->> 'inPlace')::integer)::integer as "inPlace"
from unnest($1::text[]) as name cross join lateral run_command_on_shards(name,
  $$select json_build_object('all', n_tup_upd, 'inPlace', n_tup_hot_upd) from pg_stat_user_tables where relid = '%s'::regclass$$
) counted group by name`;

const updatesText = (await isDistributed(service.ctx.engine)) ? onWorkers : onServer;

/** The number of updates of each of these tables, and how many of them added no index entries. */
async function updatesOf(): Promise<Map<string, Updates>> {
  await service.ctx.engine.query({ text: 'select pg_stat_force_next_flush()', values: [] });
  const { rows } = await service.ctx.engine.query<Updates>({
    text: `/* across tenants: a test counts updates */ ${updatesText}`,
    values: [tables],
  });
  return new Map(rows.map((row) => [row.table, row]));
}

async function changedAfter(since: string): Promise<string[]> {
  const { items } = await allPages((address) => api('GET', address), `/enrolment?ChangedAfter=${since}`);
  return items.map(({ EnrollID }) => EnrollID);
}

test('a commit that changes only its unit updates two rows and adds no entry to any index on them', async () => {
  const course = await newCourse(service);
  const sessions = [];
  for (let n = 0; n < 4; n++) sessions.push(await play(service, (await enrol(course)).LaunchURL));
  for (const { commit } of sessions) await commit({ Data: { 'cmi.suspend_data': 'begun' } });
  const before = await updatesOf();
  const rounds = 20;
  for (let round = 0; round < rounds; round++)
    for (const { commit } of sessions) await commit({ Data: { 'cmi.suspend_data': `page ${round}` } });
  const expected = rounds * sessions.length;
  let added = new Map<string, Omit<Updates, 'table'>>();
  await until(
    () => `${expected} updates of ${updated.join(' and ')}, not ${JSON.stringify([...added])}`,
    async () => {
      const now = await updatesOf();
      const difference = (table: string, which: 'all' | 'inPlace') =>
        (now.get(table)?.[which] ?? 0) - (before.get(table)?.[which] ?? 0);
      added = new Map(
        tables.map((table) => [
          table,
          { all: difference(table, 'all'), inPlace: difference(table, 'inPlace') },
        ]),
      );
      return updated.every((table) => (added.get(table)?.all ?? 0) >= expected);
    },
  );
  assert.deepEqual([added.get('launch')?.all, added.get('attempt')?.all], [0, 0]);
  // PostgreSQL moves a row to another page when its own page is full, so not all updates are in
  // place.
  for (const [table, { all, inPlace }] of added)
    assert.ok(inPlace >= all * 0.8, `${table}: ${inPlace} of ${all} updates`);
});

test('ChangedAfter finds progress that did not move the enrolment in the list', async () => {
  const course = await newCourse(service);
  const { EnrollID, LaunchURL } = await enrol(course);
  const { commit } = await play(service, LaunchURL);
  for (const seconds of [20, 200, 400, 20]) {
    clock.advance({ seconds });
    const since = clock.now().toISOString();
    assert.ok(!(await changedAfter(since)).includes(EnrollID), `before the commit after ${seconds} s`);
    clock.advance({ seconds: 1 });
    await commit({ Data: { 'cmi.suspend_data': String(seconds) } });
    assert.deepEqual(await changedAfter(since), [EnrollID], `after ${seconds} s`);
  }
});

test('a commit that completes the course moves the enrolment to the end of the list', async () => {
  const course = await newCourse(service);
  const [one, other] = [await enrol(course), await enrol(course)];
  const since = new Date(clock.now().getTime() - 1).toISOString();
  const { commit } = await play(service, one.LaunchURL);
  clock.advance({ seconds: 1 });
  await play(service, other.LaunchURL);
  clock.advance({ seconds: 1 });
  const ofBoth = async () =>
    (await changedAfter(since)).filter((id) => [one.EnrollID, other.EnrollID].includes(id));
  await commit({ Data: { 'cmi.suspend_data': 'begun' } });
  assert.deepEqual(await ofBoth(), [one.EnrollID, other.EnrollID]);
  await commit({ Data: { 'lectern.completion': 'completed' } });
  assert.deepEqual(await ofBoth(), [other.EnrollID, one.EnrollID]);
});
