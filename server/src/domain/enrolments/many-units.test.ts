import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { onEngine, serve } from '../../../test/support/nodes.ts';
import { packUnits } from '../../../test/support/packages.ts';
import { play, scorm12 } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import type { Connection, Rows, Statement } from '../../db/engine/engine.ts';

const service = await startService();
/** The number of units that each statement read. */
const read: number[] = [];
const { engine } = service.ctx;
const recordReads: Connection['query'] = async <R>(statement: Statement, name?: string): Promise<Rows<R>> => {
  const response = await engine.query<R & { units?: object | null; unit_id?: string }>(statement, name);
  const units = response.rows.map((row) => (row.unit_id ? 1 : Object.keys(row.units ?? {}).length));
  read.push(units.reduce((total, one) => total + one, 0));
  return response;
};
const node = await serve(onEngine(service.ctx, { ...engine, query: recordReads }));
after(async () => {
  await node.close();
  await service.close();
});

const units = 1_200;

async function startedInAllUnits(course: string) {
  const { EnrollID, LaunchURL } = await service.enrol(course);
  const { session } = await play(service, LaunchURL);
  const text = `insert into attempt_unit (tenant_id, enroll_id, unit_id, launch, commit_number, data, bytes, evidence, updated_at)
    select 'test', $1, 'unit-' || n, 1, 1, '{}', 2,
      '{"Completion":"completed","Success":"unknown","Score":null,"Progress":100,"TotalSeconds":1}', now()
    from generate_series(1, ${units - 1}) n`;
  await engine.query({ text: `/* across tenants: a test fills a table */ ${text}`, values: [EnrollID] });
  return session.Session;
}

test('concurrent commits to courses of 1,200 units read at most 2,000 units per statement', async () => {
  assert.equal((await service.importPackage('units', await packUnits(units))).status, 201);
  const sessions = [];
  for (let learner = 0; learner < 6; learner++) sessions.push(await startedInAllUnits('units'));
  read.length = 0;
  const commit = (session: string, UnitID: string) =>
    node.content.inject({
      method: 'POST',
      url: `/play/${session}/commit`,
      payload: { Number: UnitID === 'unit-1' ? 1 : 2, UnitID, Data: scorm12('completed') },
    });
  const first = await Promise.all(sessions.map((session) => commit(session, 'unit-1')));
  const last = await Promise.all(sessions.map((session) => commit(session, 'unit-0')));
  assert.deepEqual(
    [...first, ...last].map((response) => [response.statusCode, response.json().Completion]),
    [...sessions.map(() => [200, 'incomplete']), ...sessions.map(() => [200, 'completed'])],
  );
  assert.ok(Math.max(...read) <= 2_000, `units per statement: ${read}`);
});
