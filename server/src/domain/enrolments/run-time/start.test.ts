import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { movableClock } from '../../../../test/support/clock.ts';
import { click, post } from '../../../../test/support/player.ts';
import { startService } from '../../../../test/support/service.ts';
import { newCourse } from '../../../../test/support/tenant.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);

test('one ticket can start ten launches a minute, even if 300 are requested simultaneously', async () => {
  const enrolment = await service.enrol(await newCourse(service));
  const { location } = await click(enrolment.LaunchURL);
  const open = () => post(`${location}/session`);
  const responses = await Promise.all(Array.from({ length: 300 }, open));
  const opened = responses.filter(({ status }) => status === 201);
  assert.equal(opened.length, 10);
  for (const { status, headers, body } of responses.filter(({ status }) => status !== 201)) {
    assert.equal(status, 429, JSON.stringify(body));
    assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  }
  assert.equal((await enrolment.read()).Launches, 10);
  clock.advance({ seconds: 61 });
  assert.equal((await open()).status, 201);
  service.ctx.load.counts.clear();
  const again = await Promise.all(Array.from({ length: 9 }, open));
  assert.deepEqual(new Set(again.map(({ status }) => status)), new Set([201]));
  service.ctx.load.counts.clear();
  const onAnotherNode = await open();
  assert.equal(onAnotherNode.status, 429, 'another node counts launches in the database');
  assert.match(onAnotherNode.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  const other = await service.enrol(await newCourse(service));
  assert.equal((await post(`${(await click(other.LaunchURL)).location}/session`)).status, 201);
});
