import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { calls, observed, serve } from '../../../../test/support/nodes.ts';
import { packUnits } from '../../../../test/support/packages.ts';
import { play, scorm12 } from '../../../../test/support/player.ts';
import { startService } from '../../../../test/support/service.ts';
import { expectProblem, expectStatus } from '../../../../test/support/tenant.ts';
import type { Statement } from '../../../db/engine/engine.ts';

// After a commit, a node caches the enrolment, so that the next commit needs no read. Changes made
// in the meantime must still take effect.

const statements: Statement[] = [];
const service = await startService();
const node = await serve(observed(service.ctx, (statement) => void statements.push(statement)));
after(async () => {
  await node.close();
  await service.close();
});
expectStatus(await service.importPackage('units', await packUnits(1)), 201);

/** Starts a course as a learner and sends one commit to the node. */
async function begin() {
  const enrolment = await service.enrol('units');
  const { session } = await play(service, enrolment.LaunchURL);
  const commit = async (nth: number, Data = scorm12('incomplete', nth)) => {
    const url = `/play/${session.Session}/commit`;
    const payload = { Number: nth, UnitID: 'unit-0', Data };
    const { statusCode: status, headers, body } = await node.content.inject({ method: 'POST', url, payload });
    return { status, headers: new Headers(headers as Record<string, string>), body: JSON.parse(body) };
  };
  expectStatus(await commit(1), 200);
  statements.length = 0;
  const path = `/enrolment/${enrolment.LoginID}/${enrolment.EnrollID}`;
  return { ...enrolment, path, commit };
}

const progressReads = () => statements.filter(({ text }) => text.includes(') end as taken_by')).length;

test('the next commit of a session takes one statement', async () => {
  const { commit, read } = await begin();
  expectStatus(await commit(2, scorm12('incomplete', 40)), 200);
  expectStatus(await commit(3, scorm12('completed', 70)), 200);
  assert.equal(progressReads(), 0);
  assert.equal(statements.filter((statement) => calls(statement, 'write_progress')).length, 2);
  const { Status, Score } = await read();
  assert.deepEqual([Status, Score], ['completed', 70]);
});

test('a repeated commit is still recognised, as is a number already used by another commit', async () => {
  const { commit } = await begin();
  const data = scorm12('incomplete', 40);
  const [first, repeated] = [await commit(2, data), await commit(2, data)];
  assert.deepEqual(repeated.body, first.body);
  expectProblem(await commit(2, scorm12('incomplete', 41)), 409, 'commit_number_ahead');
});

test('a withdrawal, a disabled user and an override take effect at the next commit', async () => {
  const withdrawn = await begin();
  await service.api('PUT', withdrawn.path, { Withdrawn: true });
  expectProblem(await withdrawn.commit(2), 403, 'enrolment_withdrawn');
  const disabled = await begin();
  await service.api('PUT', `/user/${disabled.LoginID}`, { Enabled: false });
  expectProblem(await disabled.commit(2), 409, 'user_disabled');
  const overridden = await begin();
  await service.api('PUT', overridden.path, { Override: { Score: 99, Reason: 'Recognised' } });
  assert.equal((await overridden.commit(2)).body.Score, 99);
});

test("a newer launch supersedes the session, even on another node, and the older launch's result is merged", async () => {
  const { commit, LaunchURL, read } = await begin();
  const other = await play(service, LaunchURL);
  expectStatus(await other.commit({ Data: scorm12('completed', 90) }), 200);
  const late = await commit(2, scorm12('incomplete', 10));
  expectStatus(late, 200);
  assert.deepEqual([late.body.Ended, late.body.Status], ['session_superseded', 'completed']);
  assert.equal((await read()).Score, 90);
});

test('no further commits are accepted for an erased person', async () => {
  const { commit, LoginID } = await begin();
  expectStatus(await service.api('DELETE', `/user/${LoginID}`), 200);
  assert.equal((await commit(2)).status, 410);
});
