import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cpuMilliseconds } from '../../scorm/test-support/cpu-time.ts';
import type { PackageRejection } from '../rejection.ts';
import type { Unit } from '../types.ts';
import { createWarnings } from '../warnings.ts';
import { readAiccCourse } from './course.ts';
import { findCourseFiles } from './course-files.ts';
import { aiccCourse } from './test-support.ts';

function read(content: Record<string, string | Uint8Array>) {
  const paths = Object.keys(content);
  const found = findCourseFiles(paths);
  assert.ok(found);
  const warnings = createWarnings();
  const bytes = new Map(Object.entries(content).map(([path, text]) => [path, Buffer.from(text as string)]));
  const has = (path: string) => paths.includes(path);
  const files = { has, find: (path: string) => (has(path) ? path : null) };
  const course = readAiccCourse({ found, bytes, files, warn: warnings.warn });
  return { ...course, warnings: warnings.list().map(({ Message }) => Message) };
}

function rejected(content: Record<string, string>): PackageRejection {
  try {
    read(content);
  } catch (error) {
    return error as PackageRejection;
  }
  throw new Error('the course was accepted');
}

const outline = (units: readonly Unit[]): unknown[] =>
  units.map(({ UnitID, Children }) => (Children.length > 0 ? [UnitID, ...outline(Children)] : UnitID));

const three = (more: Record<string, string> = {}) =>
  aiccCourse({
    'course.au': 'system_id,file_name\nA1,unit.html\nA2,unit.html?part=2\nA3,unit.html\n',
    'course.des': 'title,system_id\nOne,a1\nTwo,A2\nA block,B1\n',
    ...more,
  });

describe('an AICC course', () => {
  it('is read as a tree of units with their limits', () => {
    const { Title, Tree, warnings } = read(aiccCourse());
    assert.deepEqual([Title, warnings], ['A course', []]);
    const {
      UnitID,
      Title: title,
      Href,
      Kind,
      MasteryScore,
      MaxTimeAllowed,
      TimeLimitAction,
      DataFromLMS,
    } = Tree.Units[0] as Unit;
    assert.deepEqual([UnitID, title, Href, Kind], ['A1', 'First unit', 'unit.html', 'au']);
    assert.deepEqual(
      [MasteryScore, MaxTimeAllowed, TimeLimitAction, DataFromLMS],
      [80, '01:00:00', 'C,N', 'a=1'],
    );
  });

  it('can have columns in any order and case, any quoting, and values that span several lines', () => {
    const { Tree, Title, warnings } = read(
      aiccCourse({
        'course.crs': '[COURSE]\ncourse_TITLE = Work = life\n\n[Course_Description]\nCourse_Title=no\n',
        'course.au':
          'Web_Launch, FILE_NAME ,Core_Vendor,System_ID\n"?b=2&c=3","unit.html?a=1","first\r\nsecond ""quoted""",A1,extra\n\n',
        'course.des': 'Description,Title,System_ID\n"Several\nlines, with a comma","Title, too",A1\n',
      }),
    );
    const [unit] = Tree.Units;
    assert.deepEqual([Title, unit?.Title, warnings], ['Work = life', 'Title, too', []]);
    assert.equal(unit?.Href, 'unit.html?a=1&b=2&c=3');
    assert.equal(unit?.DataFromLMS, 'first\r\nsecond "quoted"');
    assert.deepEqual([unit?.MasteryScore, unit?.MaxTimeAllowed], [null, null]);
  });

  it('can be encoded as Windows-1252, UTF-8 with a byte order mark, or UTF-16', () => {
    const des = 'system_id,title\nA1,Prüfung\n';
    for (const [bytes, warned] of [
      [Buffer.from(des, 'latin1'), 1],
      [Buffer.from(`\ufeff${des}`), 0],
      [Buffer.from(`\ufeff${des}`, 'utf16le'), 0],
    ] as const) {
      const { Tree, warnings } = read({ ...aiccCourse(), 'course.des': bytes });
      assert.deepEqual([Tree.Units[0]?.Title, warnings.length], ['Prüfung', warned]);
    }
  });

  it('can have remote units, units in the same folder as the course files, and a URL in command_line', () => {
    const { Tree, warnings } = read(
      aiccCourse({
        'course.au':
          'system_id,file_name,command_line,web_launch\nA1,https://content.example/a?k=1,,x=2\nA2,,unit.html,\nA3,gone.html,,\nA4,,,\n',
        'course.cst': 'block,member\nroot,A1\nroot,A2\nroot,A3\n',
      }),
    );
    assert.deepEqual(
      Tree.Units.map(({ Href }) => Href),
      ['https://content.example/a?k=1&x=2', 'unit.html', 'gone.html'],
    );
    assert.match(warnings.join('\n'), /gone\.html.*not in the package[\s\S]*|"A4" has no file_name/);
    assert.equal(warnings.length, 2);
  });

  it('can have nested blocks whose members are listed in any number of columns and rows', () => {
    const { Tree, warnings } = read(three({ 'course.cst': 'block,member\nROOT,B1,a3\nb1,A1\nB1,A2\n' }));
    assert.deepEqual(outline(Tree.Units), [['b1', 'A1', 'A2'], 'A3']);
    assert.deepEqual([Tree.Units[0]?.Title, Tree.Units[0]?.Href, warnings], ['A block', null, []]);
    const columns = read(three({ 'course.cst': 'block,member,member,prerequisites\nroot,A1,A2,A3\n' }));
    assert.deepEqual(outline(columns.Tree.Units), ['A1', 'A2']);
    const unitAsBlock = read(three({ 'course.cst': 'block,member\nroot,A1\nA1,A2\nA1,A3\n' }));
    assert.deepEqual(outline(unitAsBlock.Tree.Units), [['A1', 'A2', 'A3']]);
    assert.equal(unitAsBlock.Tree.Units[0]?.Kind, 'au');
  });

  it('is imported even if its structure is missing or unusual', () => {
    const { 'course.cst': _, 'course.des': __, ...bare } = three();
    assert.deepEqual(outline(read(bare).Tree.Units), ['A1', 'A2', 'A3']);
    for (const [cst, expected, warned] of [
      ['block,member\nmain,A1\nmain,A2\nmain,A3\n', ['A1', 'A2', 'A3'], /^$/],
      [
        'block,member\nroot,A1\nroot,nothing\nroot,A1\n',
        ['A1'],
        /no unit or block "nothing"[\s\S]*A2, A3[\s\S]*used twice/,
      ],
      [
        'block,member\nroot,B1\nB1,B2\nB2,B1\nB2,A1\nB2,A2\nB2,A3\n',
        [['B1', ['B2', 'A1', 'A2', 'A3']]],
        /"B1" is used twice/,
      ],
      ['block,member\nroot,B9\n', ['A1', 'A2', 'A3'], /contains no unit/],
      ['', ['A1', 'A2', 'A3'], /contains no unit/],
    ] as const) {
      const { Tree, warnings } = read(three({ 'course.cst': cst }));
      assert.deepEqual(outline(Tree.Units), expected);
      assert.match(warnings.join('\n'), warned);
    }
  });

  it('causes warnings about prerequisites and unusable mastery scores', () => {
    const { warnings } = read(
      aiccCourse({
        'course.pre': 'structure_element,prerequisite\nA2,A1\n',
        'course.cmp': 'structure_element,requirement\n',
        'course.au': 'system_id,file_name,mastery_score\nA1,unit.html,high\n',
      }),
    );
    assert.match(warnings.join('\n'), /mastery score "high"[\s\S]*not enforced/);
    assert.equal(warnings.length, 2);
  });

  it('is rejected if its units cannot be read', () => {
    const quote = rejected(aiccCourse({ 'course.au': 'system_id,file_name\n"A1,unit.html\n' }));
    assert.match(quote.message, /^course\.au.*quotation mark/);
    assert.equal(quote.code, 'package_invalid');
    const messages = {
      '': /system_id/,
      'name,file\nA1,unit.html\n': /system_id/,
      'system_id,file_name\n,unit.html\n': /line 2.*missing/,
      'system_id,file_name\nA1,unit.html\na1,unit.html\n': /used twice/,
      'system_id,file_name\nA1,../../etc/passwd\n': /outside the package/,
      'system_id,file_name\nA1,javascript:alert(1)\n': /not a file/,
      'system_id,file_name\nA1,\n': /no unit has a page/,
    };
    for (const [au, message] of Object.entries(messages))
      assert.match(rejected(aiccCourse({ 'course.au': au })).message, message);
    const deep = Array.from({ length: 200 }, (_, at) => `${at === 0 ? 'root' : `B${at}`},B${at + 1}`);
    const cst = `block,member\n${deep.join('\n')}\nB200,A1\n`;
    assert.match(rejected(aiccCourse({ 'course.cst': cst })).message, /nested more than/);
  });

  it('is read in time proportional to its size, whatever its files contain', () => {
    const many = 10_000;
    const started = cpuMilliseconds();
    const cst = `block,member\n${Array.from({ length: many }, (_, at) => `B${at % 100},X${at}`).join('\n')}`;
    read(aiccCourse({ 'course.cst': cst, 'course.crs': '[\n'.repeat(50_000) }));
    read(aiccCourse({ 'course.cst': `block,member\nroot${',A1'.repeat(50_000)}` }));
    rejected(aiccCourse({ 'course.au': `system_id,file_name\n${'"a"b"'.repeat(25_000)}` }));
    const wide = rejected(
      aiccCourse({ 'course.cst': `${'member,'.repeat(25_000)}\n${'a\n'.repeat(25_000)}` }),
    );
    assert.match(wide.message, /more than 2000 columns/);
    assert.ok(cpuMilliseconds() - started < 10_000);
  });
});

describe('finding AICC courses', () => {
  it('requires a .crs file and an .au file in the same folder', () => {
    assert.equal(findCourseFiles(['a.au', 'b/b.crs', 'index.html']), null);
    const found = findCourseFiles(['x/sound.au', 'x/A.AU', 'x/A.CRS', 'x/a.cst', 'x/other.des', 'x/a.pre']);
    assert.deepEqual(found, {
      ...{ crs: 'x/A.CRS', au: 'x/A.AU', des: 'x/other.des', cst: 'x/a.cst' },
      ignored: ['x/a.pre'],
    });
  });
});
