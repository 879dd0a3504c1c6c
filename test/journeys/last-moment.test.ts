import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { arrives, type LastMoment, openStage } from './last-moment.ts';

let stage: Awaited<ReturnType<typeof openStage>>;

before(async () => {
  stage = await openStage();
});

after(() => stage?.close());

const cases: LastMoment[] = [
  { event: 'unload', ending: 'close', framed: false, bytes: 200_000 },
  { event: 'unload', ending: 'close', framed: true, bytes: 200_000 },
  { event: 'unload', ending: 'close', framed: true, bytes: 20_000, isWithoutWorkers: true },
];

for (const [event, ending] of [
  ['unload', 'exit'],
  ['onunload', 'close'],
] as const)
  test(`results reported in ${event} arrive although the framing page forbids the event: ${ending}`, async () => {
    const tried = { event, ending, framed: true, bytes: 1_000, policy: 'unload=()' };
    assert.ok(await arrives(stage, tried));
  });

for (const tried of cases) {
  const { event, ending, framed, bytes, isWithoutWorkers } = tried;
  const where = framed ? 'framed by another site' : 'in its own tab';
  const how = isWithoutWorkers ? ', as a beacon' : '';
  test(`${bytes} bytes reported in ${event} arrive${how}: ${ending}, ${where}`, async () => {
    assert.ok(await arrives(stage, tried));
  });
}
