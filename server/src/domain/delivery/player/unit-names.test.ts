import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { play, scorm12 } from '../../../../test/support/player.ts';
import { startService } from '../../../../test/support/service.ts';
import { zipOf } from '../../../../test/support/zips.ts';

const service = await startService();
after(service.close);

test('a unit may have the name of a property that every JavaScript object has', async () => {
  const names = ['__proto__', 'constructor', 'toString'];
  const items = names.map(
    (name) => `<item identifier="${name}" identifierref="r"><title>${name}</title></item>`,
  );
  const manifest = `<manifest identifier="m" xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2"
    xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2">
    <organizations default="o"><organization identifier="o"><title>Names</title>${items.join('')}</organization></organizations>
    <resources><resource identifier="r" type="webcontent" adlcp:scormtype="sco" href="a.html"/></resources></manifest>`;
  const folder = await mkdtemp(join(tmpdir(), 'lectern-names-'));
  const zip = join(folder, 'names.zip');
  await writeFile(zip, await zipOf({ 'imsmanifest.xml': manifest, 'a.html': 'a' }));
  assert.equal((await service.importPackage('names', zip)).status, 201);
  await rm(folder, { recursive: true });
  const { LaunchURL } = await service.enrol('names');
  const page = await play(service, LaunchURL);
  for (const [index, UnitID] of names.entries()) {
    const Data = { ...scorm12('completed', 80 + index), 'cmi.core.lesson_location': `page ${index}` };
    assert.equal((await page.commit({ UnitID, Data })).status, 200);
  }
  const { session } = await play(service, LaunchURL);
  assert.deepEqual(
    names.map(
      (name) => Object.getOwnPropertyDescriptor(session.Data, name)?.value['cmi.core.lesson_location'],
    ),
    ['page 0', 'page 1', 'page 2'],
  );
  assert.equal(session.Receipt.Status, 'completed');
});
