import assert from 'node:assert/strict';
import { createWriteStream } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { after, test } from 'node:test';
import { ZipFile } from 'yazl';
import { au, block, courseStructure } from '../../../../../../standards/cmi5/test-support.ts';
import type { Unit } from '../../../../../../standards/types.ts';
import { ask } from '../../../../../test/support/ask.ts';
import { openAu } from '../../../../../test/support/au.ts';
import { packFiles } from '../../../../../test/support/packages.ts';
import { startService } from '../../../../../test/support/service.ts';
import { expectStatus, newTenant, unique } from '../../../../../test/support/tenant.ts';

const service = await startService();
after(service.close);
const { api, user, key } = await newTenant(service);
const page = '<!doctype html><title>AU</title>';

async function enrolled(zip: string) {
  const [LoginID, CourseID] = [await user(), unique('cmi5')];
  const imported = await service.importPackage(CourseID, zip);
  expectStatus(imported, 201);
  expectStatus(await service.api('PUT', `/course/${CourseID}/option/open`, {}), 201);
  const { EnrollID, LaunchURL } = (await api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  const address = `/enrolment/${LoginID}/${EnrollID}`;
  const read = async () => (await api('GET', address)).body;
  return { release: imported.body, LaunchURL, EnrollID, address, read };
}

async function begun(launchUrl: string, UnitID: string) {
  const opened = await openAu(service, launchUrl, { UnitID });
  expectStatus(await opened.preferences(), 404);
  expectStatus(await opened.send(opened.defined('initialized')), 204);
  return opened;
}

/** The objects of the statements with which the service reports that something is satisfied. */
async function satisfiedObjects(registration: string): Promise<{ id: string; type?: string }[]> {
  const query = new URLSearchParams({
    ...{ registration, verb: 'https://w3id.org/xapi/adl/verbs/satisfied', ascending: 'true' },
  });
  const response = await ask(`${service.baseUrl}/xapi/statements?${query}`, {
    headers: { authorization: `Bearer ${key}`, 'x-experience-api-version': '1.0.3' },
  });
  const { statements } = (await response.json()) as {
    statements: {
      object: { definition?: { type?: string } };
      context: { contextActivities: { grouping: { id: string }[] } };
    }[];
  };
  return statements.map(({ object, context }) => ({
    id: context.contextActivities.grouping[0]?.id ?? '',
    type: object.definition?.type?.split('/').at(-1) ?? '',
  }));
}

/** Writes a zip in the format for large files, in which sizes and positions have 64 bits. */
async function packZip64(files: Record<string, string>): Promise<string> {
  const zip = new ZipFile();
  for (const [at, [name, text]] of Object.entries(files).entries()) {
    // Programs that do not know the size in advance write it after the file.
    if (at % 2) zip.addReadStream(Readable.from([text]), name, { forceZip64Format: true });
    else zip.addBuffer(Buffer.from(text), name, { forceZip64Format: true });
  }
  zip.end({ forceZip64Format: true, comment: '' });
  const file = join(await mkdtemp(join(tmpdir(), 'lectern-')), 'course.zip');
  await pipeline(zip.outputStream, createWriteStream(file));
  return file;
}

test('a course in the zip64 format is imported and played', async () => {
  const media = Object.fromEntries(['a', 'b', 'c'].map((name) => [`media/${name}.txt`, name.repeat(70_000)]));
  const structure = courseStructure(au({ attributes: 'moveOn="Completed"' }));
  const zip = await packZip64({ 'cmi5.xml': structure, 'index.html': page, ...media });
  const { release, LaunchURL, read } = await enrolled(zip);
  assert.deepEqual([release.Standard, release.Warnings], ['cmi5', []]);
  const opened = await begun(LaunchURL, 'https://example.com/au');
  assert.equal(await (await ask(opened.url.href)).text(), page);
  for (const [name, text] of Object.entries(media))
    assert.equal(await (await ask(new URL(name, opened.url).href)).text(), text);
  expectStatus(await opened.send(opened.defined('completed'), opened.defined('terminated')), 204);
  const { Status, Completion } = await read();
  assert.deepEqual([Status, Completion], ['completed', 'completed']);
});

const [blocks, each] = [10, 100];
const numbered = (blockAt: number, at: number) => `https://example.com/au/${blockAt * each + at}`;

/** A course with 1,000 AUs in ten blocks. `moveOn` says what each AU requires. */
function thousand(moveOn: (blockAt: number, at: number) => string): Promise<string> {
  const inner = Array.from({ length: blocks }, (_, blockAt) =>
    block(
      `https://example.com/block/${blockAt}`,
      Array.from({ length: each }, (_, at) =>
        au({
          id: numbered(blockAt, at),
          url: `index.html?au=${blockAt * each + at}`,
          attributes: `moveOn="${moveOn(blockAt, at)}" masteryScore="0.5"`,
          title: `<langstring lang="en">Part ${blockAt * each + at}</langstring>`,
        }),
      ).join(''),
    ),
  );
  return packFiles({ 'cmi5.xml': courseStructure(inner.join('')), 'index.html': page });
}

const ausIn = (units: readonly Unit[]): Unit[] =>
  units.flatMap((unit) => (unit.AssignableUnit ? [unit] : ausIn(unit.Children)));

test('a course with 1,000 AUs is imported, and satisfied by the last one that requires anything', async () => {
  const last = numbered(blocks - 1, each - 1);
  const isLast = (blockAt: number, at: number) => numbered(blockAt, at) === last;
  const zip = await thousand((...at) => (isLast(...at) ? 'CompletedAndPassed' : 'NotApplicable'));
  const { release, LaunchURL, EnrollID, address, read } = await enrolled(zip);
  assert.deepEqual([release.Standard, release.Warnings], ['cmi5', []]);
  const opened = await begun(LaunchURL, last);
  assert.equal(opened.url.searchParams.get('au'), '999');
  const { Units } = opened.playing.session.Tree as { Units: Unit[] };
  const contents = ausIn(Units);
  assert.deepEqual([Units.length, contents.length, contents.at(-1)?.Title], [blocks, 1_000, 'Part 999']);
  assert.equal((await satisfiedObjects(EnrollID)).length, blocks - 1);

  expectStatus(await opened.send(opened.defined('completed')), 204);
  assert.equal((await read()).Completion, 'incomplete');
  const passed = opened.defined('passed', { score: { scaled: 0.9 } });
  expectStatus(await opened.send(passed, opened.defined('terminated')), 204);
  const { Completion, Success, Score, Progress } = await read();
  assert.deepEqual([Completion, Success, Score, Progress], ['completed', 'passed', 90, 100]);
  assert.deepEqual((await satisfiedObjects(EnrollID)).slice(blocks - 1), [
    { id: `https://example.com/block/${blocks - 1}`, type: 'block' },
    { id: 'https://example.com/course', type: 'course' },
  ]);
  const { Units: explained } = (await api('GET', `${address}/explain`)).body;
  assert.equal(explained.length, 1_000);
  assert.ok(explained.every(({ Satisfied }: { Satisfied: boolean }) => Satisfied));
});

test('a course with 1,000 AUs of which all are required shows how many are missing', async () => {
  const { LaunchURL, EnrollID, address, read } = await enrolled(await thousand(() => 'Completed'));
  const one = await begun(LaunchURL, numbered(0, 0));
  expectStatus(await one.send(one.defined('completed'), one.defined('terminated')), 204);
  for (let at = 1; at < each; at++) {
    const body = { UnitID: numbered(0, at), Reason: 'Administrative' };
    expectStatus(await api('POST', `${address}/waive`, body), 200);
  }
  assert.deepEqual(await satisfiedObjects(EnrollID), [{ id: 'https://example.com/block/0', type: 'block' }]);
  const { Completion, Progress } = await read();
  assert.deepEqual([Completion, Progress], ['incomplete', 10]);
  const { Units } = (await api('GET', `${address}/explain`)).body;
  assert.equal(Units.filter(({ Satisfied }: { Satisfied: boolean }) => Satisfied).length, each);
});
