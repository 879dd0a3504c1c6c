import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Play, play, scorm12 } from '../../../../test/support/player.ts';
import { startService, type TestService } from '../../../../test/support/service.ts';
import { zipOf } from '../../../../test/support/zips.ts';

const manifest = `<manifest identifier="two" xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2"
  xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2">
  <metadata><schema>ADL SCORM</schema><schemaversion>1.2</schemaversion></metadata>
  <organizations default="o"><organization identifier="o"><title>Two</title>
    <item identifier="a" identifierref="ra"><title>A</title></item>
    <item identifier="b" identifierref="rb"><title>B</title></item>
  </organization></organizations>
  <resources>
    <resource identifier="ra" type="webcontent" adlcp:scormtype="sco" href="a.html"><file href="a.html"/></resource>
    <resource identifier="rb" type="webcontent" adlcp:scormtype="sco" href="b.html"><file href="b.html"/></resource>
  </resources></manifest>`;

let service: TestService;

before(async () => {
  service = await startService();
  const folder = await mkdtemp(join(tmpdir(), 'lectern-two-'));
  const zip = join(folder, 'two.zip');
  await writeFile(zip, await zipOf({ 'imsmanifest.xml': manifest, 'a.html': 'a', 'b.html': 'b' }));
  assert.equal((await service.importPackage('two', zip)).status, 201);
  await rm(folder, { recursive: true });
});
after(() => service.close());

async function begin() {
  const enrolment = await service.enrol('two');
  return { enrolment, page: await play(service, enrolment.LaunchURL) };
}

async function stored(enrolment: { LaunchURL: string }): Promise<Play['session']> {
  return (await play(service, enrolment.LaunchURL)).session;
}

test('a commit overtaken by a commit for another unit is stored, and its result counts', async () => {
  const { enrolment, page } = await begin();
  assert.equal((await page.commit({ Number: 2, UnitID: 'b', Data: scorm12('completed') })).status, 200);
  const late = await page.commit({ Number: 1, UnitID: 'a', Data: scorm12('completed', 80) });
  assert.equal(late.status, 200);
  assert.equal(late.body.Status, 'completed');
  const session = await stored(enrolment);
  assert.equal(session.Data.a?.['cmi.core.score.raw'], '80');
  assert.equal(session.LastUnitID, 'b');
  assert.equal(session.NextCommit, 3);
});

test("a commit older than the unit's latest commit can only improve the result", async () => {
  const { enrolment, page } = await begin();
  await page.commit({ Number: 2, UnitID: 'a', Data: { 'cmi.core.lesson_location': 'new' } });
  const stale = await page.commit({
    Number: 1,
    UnitID: 'a',
    Data: { ...scorm12('failed', 30), 'cmi.core.lesson_location': 'old' },
  });
  assert.equal(stale.status, 200);
  assert.equal(stale.body.Score, 30);
  assert.equal((await stored(enrolment)).Data.a?.['cmi.core.lesson_location'], 'new');
});

test('simultaneous commits are all accepted', async () => {
  const { enrolment, page } = await begin();
  const unit = (n: number) => (n % 2 === 0 ? 'a' : 'b');
  const numbers = [5, 1, 4, 2, 6, 3];
  const replies = await Promise.all(
    numbers.map((n) =>
      page.commit({ Number: n, UnitID: unit(n), Data: { 'cmi.core.lesson_location': String(n) } }),
    ),
  );
  assert.deepEqual(
    replies.map((reply) => reply.status),
    numbers.map(() => 200),
  );
  const { Data } = await stored(enrolment);
  assert.equal(Data.a?.['cmi.core.lesson_location'], '6');
  assert.equal(Data.b?.['cmi.core.lesson_location'], '5');
});

test('values in a commit are not coerced, and a missing score stays missing', async () => {
  const { enrolment, page } = await begin();
  const Root = { Completion: 'unknown', Success: 'unknown', Score: null, Progress: null } as const;
  assert.equal((await page.commit({ UnitID: 'a', Data: {}, Root })).status, 200);
  assert.equal((await enrolment.read()).Score, null);
  const numbers = { 'cmi.core.score.raw': 80 as unknown as string };
  assert.equal((await page.commit({ UnitID: 'a', Data: numbers })).status, 422);
});
