import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { aiccCourse } from '../../../../../standards/aicc/test-support.ts';
import { au, courseStructure } from '../../../../../standards/cmi5/test-support.ts';
import { manifest12, manifest2004, oneItem, oneResource } from '../../../../../standards/test-support.ts';
import {
  importBytes,
  importedReport,
  limits,
  realPackages,
  rejected,
  zipOf,
} from '../../../../test/support/zips.ts';
import { readPackage } from './read-package.ts';

const scorm12 = { 'imsmanifest.xml': manifest12(oneItem, oneResource), 'index.html': '<p>Hello</p>' };

describe('readPackage', () => {
  it('reads a SCORM 1.2 course', async () => {
    const report = await importedReport(await zipOf(scorm12));
    assert.equal(report.Standard, 'scorm12');
    assert.equal(report.Title, 'Safety first');
    assert.deepEqual(report.Warnings, []);
    const [unit] = report.Tree.Units;
    assert.deepEqual([unit?.UnitID, unit?.Href, unit?.Kind], ['i', 'index.html', 'sco']);
    assert.equal(report.Files, 2);
  });

  for (const [edition, standard] of [
    ['2004 3rd Edition', 'scorm2004-3rd'],
    ['2004 4th Edition', 'scorm2004-4th'],
    ['CAM 1.3', 'scorm2004-2nd'],
  ] as const) {
    it(`reads a SCORM ${edition} course`, async () => {
      const files = { 'imsmanifest.xml': manifest2004(oneItem, '', edition), 'index.html': '' };
      const report = await importedReport(await zipOf(files));
      assert.equal(report.Standard, standard);
      assert.equal(report.Tree.ObjectivesGlobalToSystem, false);
      assert.deepEqual(report.Warnings, []);
    });
  }

  it('reads a course inside a wrapper folder, with a warning', async () => {
    const wrapped = Object.entries(scorm12).map(([name, content]) => [`My course/${name}`, content]);
    const { report, names } = await importBytes(await zipOf(Object.fromEntries(wrapped)));
    assert.deepEqual(names, ['out', 'out/imsmanifest.xml', 'out/index.html']);
    assert.match(report?.Warnings[0]?.Message ?? '', /My course\//);
  });

  it('reports where the manifest is if there are other files next to its folder', async () => {
    const zip = await zipOf({ 'readme.txt': '', 'course/imsmanifest.xml': scorm12['imsmanifest.xml'] });
    assert.match((await rejected(zip)).message, /course\/imsmanifest\.xml/);
  });

  it('reads a plain web page as a course with one unit', async () => {
    const zip = await zipOf({ 'Index.htm': '<html><TITLE>Fire &amp; smoke</TITLE>', 'a.css': '' });
    const report = await importedReport(zip);
    assert.deepEqual([report.Standard, report.Title], ['web', 'Fire & smoke']);
    assert.deepEqual([report.Tree.Units[0]?.UnitID, report.Tree.Units[0]?.Href], ['web', 'Index.htm']);
  });

  it('reads a cmi5 course from a zip or from a course structure file', async () => {
    const remote = courseStructure(au({ url: 'https://content.example.com/' }));
    const zipped = await importedReport(
      await zipOf({ 'cmi5.xml': courseStructure(au({})), 'index.html': '' }),
    );
    assert.deepEqual([zipped.Standard, zipped.Title, zipped.Files], ['cmi5', 'A course', 2]);
    for (const bytes of [Buffer.from(remote), Buffer.from(`\ufeff\n${remote.slice(remote.indexOf('\n'))}`)]) {
      const { report, names } = await importBytes(bytes);
      assert.deepEqual([report?.Standard, report?.Files, names], ['cmi5', 1, ['out', 'out/cmi5.xml']]);
    }
    assert.match((await rejected(Buffer.from(courseStructure(au({}))))).message, /no package/);
  });

  it('reads an xAPI course', async () => {
    const tincan =
      '<tincan><activities><activity id="urn:a"><name>A course</name><launch>index.html</launch></activity></activities></tincan>';
    const report = await importedReport(await zipOf({ 'tincan.xml': tincan, 'index.html': '' }));
    assert.deepEqual([report.Standard, report.Title, report.Warnings], ['xapi', 'A course', []]);
  });

  it('reads an AICC course', async () => {
    const report = await importedReport(await zipOf(aiccCourse()));
    assert.deepEqual([report.Standard, report.Title, report.Warnings], ['aicc', 'A course', []]);
    assert.equal(report.Tree.Units[0]?.Href, 'unit.html');
    const inFolder = Object.entries(aiccCourse()).map(([name, text]) => [`aicc/${name}`, text]);
    const nested = await importedReport(await zipOf({ ...Object.fromEntries(inFolder), 'readme.txt': '' }));
    assert.equal(nested.Tree.Units[0]?.Href, 'aicc/unit.html');
    const two = await rejected(await zipOf({ ...aiccCourse(), 'b/b.crs': '', 'b/b.au': '' }));
    assert.match(two.message, /2 AICC courses \(course\.crs, b\/b\.crs\)/);
    const web = await importedReport(await zipOf({ 'index.html': '', 'sound.au': '', 'a.txt': '' }));
    assert.equal(web.Standard, 'web');
  });

  it('reports which unsupported standard a package follows', async () => {
    for (const [files, name] of [[{ 'h5p.json': '{}', 'index.html': '' }, /H5P/]] as const) {
      const problem = await rejected(await zipOf(files));
      assert.equal(problem.code, 'package_unsupported');
      assert.match(problem.message, name);
    }
  });

  it('rejects a zip without a course', async () => {
    assert.equal((await rejected(await zipOf({ 'a.txt': '' }))).code, 'package_invalid');
    assert.equal((await rejected(await zipOf({}))).code, 'package_invalid');
  });

  it('leaves an existing folder unchanged', async () => {
    const base = await mkdtemp(join(tmpdir(), 'lectern-standards-'));
    const folder = join(base, 'out');
    await mkdir(folder);
    await writeFile(join(folder, 'precious'), 'x');
    await writeFile(join(base, 'course.zip'), await zipOf(scorm12));
    await assert.rejects(readPackage({ file: join(base, 'course.zip'), folder, limits }), { code: 'EEXIST' });
    assert.equal(await readFile(join(folder, 'precious'), 'utf8'), 'x');
    await rm(base, { recursive: true });
  });

  it('does not leak file handles', async () => {
    const before = (await readdir('/proc/self/fd').catch(() => [])).length;
    const zip = await zipOf(scorm12);
    for (let round = 0; round < 20; round += 1) await importBytes(zip);
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok((await readdir('/proc/self/fd').catch(() => [])).length <= before + 3);
  });
});

describe('packages from other tools', () => {
  const expected: Record<string, string> = {
    'bad-scorm12-malformed-xml.zip': 'package_invalid',
    'bad-scorm12-missing-launch.zip': 'package_invalid',
    'bad-scorm12-missing-files.zip': 'scorm12',
  };

  it('third-party packages are either imported or rejected with the reason', async (context) => {
    const real = await realPackages(context);
    for (const name of real?.names ?? []) {
      const { report, problem, names } = await importBytes(await readFile(join(real?.folder ?? '', name)));
      const known = /^aicc|^cmi5|^xapi|scorm2004-(3rd|4th)|scorm12/.exec(name)?.[0];
      assert.equal(report?.Standard ?? problem?.code, expected[name] ?? known, name);
      if (problem) assert.deepEqual(names, [], name);
      const more = report?.Warnings.filter(({ Message }) => !Message.includes(' declared as '));
      if (/^(golf|cmi5|xapi)/.test(name)) assert.deepEqual(more, [], name);
    }
  });

  it('errors contain the line of malformed XML and the missing href', async (context) => {
    const real = await realPackages(context);
    if (!real) return;
    const read = (name: string) => readFile(join(real.folder, name));
    assert.match(
      (await rejected(await read('bad-scorm12-malformed-xml.zip'))).message,
      /line 27: the XML is malformed at "<\/organization>"/,
    );
    assert.match((await rejected(await read('bad-scorm12-missing-launch.zip'))).message, /line 30.*no href/);
  });
});
