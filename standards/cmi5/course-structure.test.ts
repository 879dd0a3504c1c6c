import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFileIndex } from '../../server/src/domain/catalogue/packages/file-index.ts';
import { PackageRejection } from '../rejection.ts';
import { createWarnings } from '../warnings.ts';
import { readCourseStructure } from './course-structure.ts';
import { au, block, courseStructure } from './test-support.ts';

function read(text: string, paths: string[] | null = ['index.html', 'two/page.html']) {
  const warnings = createWarnings();
  const files = paths && createFileIndex(paths);
  const structure = readCourseStructure(Buffer.from(text), 'cmi5.xml', files, warnings.warn('cmi5.xml'));
  return { ...structure, warnings: warnings.list() };
}

function rejectionOf(text: string, paths?: string[] | null): string {
  try {
    read(text, paths);
  } catch (error) {
    if (error instanceof PackageRejection) return error.message;
    throw error;
  }
  throw new Error('the course structure was accepted');
}

describe('cmi5 course structure', () => {
  it('a course structure is read as a tree of blocks and AUs', () => {
    const structure = read(
      courseStructure(
        au({ id: 'https://example.com/au/1', url: 'index.html' }) +
          block('https://example.com/block/1', au({ id: 'https://example.com/au/2', url: 'two/page.html' })),
      ),
    );
    const [first, group] = structure.Tree.Units;
    assert.deepEqual(
      [structure.Title, structure.Tree.Identifier],
      ['A course', 'https://example.com/course'],
    );
    assert.deepEqual(
      [first?.UnitID, first?.Href, first?.Kind],
      ['https://example.com/au/1', 'index.html', 'au'],
    );
    assert.deepEqual([group?.Href, group?.Kind, group?.Children[0]?.Href], [null, null, 'two/page.html']);
    assert.deepEqual(structure.warnings, []);
  });

  it('the URL of an AU may contain brackets', () => {
    const { Tree } = read(courseStructure(au({ url: 'page[1].html?a[]=2' })), ['page[1].html']);
    assert.equal(Tree.Units[0]?.Href, 'page%5B1%5D.html?a%5B%5D=2');
  });

  it('a violation of the schema is described without messages of the validator', () => {
    for (const [attributes, wanted] of [
      ['masteryScore="1.1"', /<au> cannot have the value "1.1" in the attribute "masteryScore"/],
      ['moveOn="Later"', /<au> cannot have the value "Later" in the attribute "moveOn"/],
      ['other="1"', /<au> cannot have the attribute "other"/],
    ] as const)
      assert.match(rejectionOf(courseStructure(au({ attributes }))), wanted);
    assert.match(rejectionOf(courseStructure('')), /<courseStructure> lacks <.*au/);
  });

  it('a course can have at most 500 blocks', () => {
    const blocks = (count: number) =>
      courseStructure(
        Array.from({ length: count }, (_, at) =>
          block(`https://example.com/block/${at}`, au({ id: `https://example.com/au/${at}` })),
        ).join(''),
      );
    assert.equal(read(blocks(500)).Tree.Units.length, 500);
    assert.match(rejectionOf(blocks(501)), /more than 500 blocks/);
  });

  it('all data needed to launch an AU is kept', () => {
    const attributes =
      'moveOn="CompletedAndPassed" masteryScore="0.85" launchMethod="OwnWindow" activityType="https://example.com/type"';
    const more = '<launchParameters> a=1,b=2 </launchParameters><entitlementKey> key </entitlementKey>';
    const [unit] = read(courseStructure(au({ attributes, more }))).Tree.Units;
    assert.deepEqual(unit?.AssignableUnit, {
      ...{ MoveOn: 'CompletedAndPassed', MasteryScore: 0.85, OwnWindow: true },
      ...{ LaunchParameters: 'a=1,b=2', EntitlementKey: 'key', ActivityType: 'https://example.com/type' },
      Objectives: [],
    });
  });

  it("missing values get the specification's defaults", () => {
    const details = read(courseStructure(au({}))).Tree.Units[0]?.AssignableUnit;
    assert.deepEqual(
      [details?.MoveOn, details?.OwnWindow, details?.MasteryScore],
      ['NotApplicable', false, null],
    );
  });

  it('titles are kept in all languages, and the first one is shown', () => {
    const title = '<langstring lang="de">Ein Teil</langstring><langstring lang="en">A part</langstring>';
    const [unit] = read(courseStructure(au({ title }))).Tree.Units;
    assert.deepEqual([unit?.Title, unit?.Names], ['Ein Teil', { de: 'Ein Teil', en: 'A part' }]);
  });

  it('elements of other namespaces are accepted', () => {
    const more = '<vendor:extra xmlns:vendor="https://example.com/vendor" vendor:a="1"/>';
    assert.equal(read(courseStructure(au({ more }))).Tree.Units.length, 1);
  });

  it('a course structure with or without a package can refer to pages on other sites', () => {
    const text = courseStructure(au({ url: 'https://content.example.com/au.html?a=1' }));
    for (const paths of [[], null])
      assert.equal(read(text, paths).Tree.Units[0]?.Href, 'https://content.example.com/au.html?a=1');
  });

  it('a course structure can have 1,000 AUs', () => {
    const many = Array.from({ length: 1_000 }, (_, n) =>
      au({ id: `https://example.com/au/${n}`, url: `https://example.com/${n}` }),
    );
    assert.equal(read(courseStructure(many.join('')), null).Tree.Units.length, 1_000);
  });

  it('undeclared objectives cause a warning', () => {
    const objectives = '<objectives><objective idref="https://example.com/objective"/></objectives>';
    assert.match(read(courseStructure(au({ objectives }))).warnings[0]?.Message ?? '', /not declared/);
  });

  const twice = au({}) + au({});
  const declared = (id: string) =>
    `<objective id="${id}"><title><langstring>T</langstring></title><description><langstring>D</langstring></description></objective>`;
  const objective = declared('https://example.com/o');
  for (const [section, why, text, paths] of [
    ['3.0', /not an absolute IRI/, courseStructure(au({ id: 'example.com/au' }))],
    ['3.0', /not an absolute IRI/, courseStructure(au({}), { id: 'course' })],
    ['3.0', /not an absolute IRI/, courseStructure(block('example.com/block', au({})))],
    ['3.0', /not an absolute IRI/, courseStructure(`<objectives>${declared('o')}</objectives>${au({})}`)],
    ['8.1', /reserves for the launch/, courseStructure(au({ url: 'index.html?endpoint=x' }))],
    [
      '13.1.2',
      /used twice/,
      courseStructure(block('https://example.com/b', block('https://example.com/b', au({})))),
    ],
    ['13.1.3', /used twice/, courseStructure(`<objectives>${objective}${objective}</objectives>${au({})}`)],
    ['13.1.4', /used twice/, courseStructure(twice)],
    ['13.1.4', /not a valid address/, courseStructure(au({ url: 'http://example.com index.html' }))],
    ['13.1.4', /violates the cmi5 schema/, courseStructure(au({ attributes: 'masteryScore="1.1"' }))],
    ['13.1.4', /violates the cmi5 schema/, courseStructure(au({ attributes: 'moveOn="Later"' }))],
    ['14.0', /violates the cmi5 schema/, courseStructure('')],
    ['14.0', /root is <course>/, '<course/>'],
    ['14.0', /namespace "https:\/\/example.com"/, '<courseStructure xmlns="https://example.com"/>'],
    ['14.1', /not in the package/, courseStructure(au({ url: 'missing.html' }))],
    ['14.2', /has no package/, courseStructure(au({ url: 'index.html' })), null],
  ] as const)
    it(`a course structure is rejected by section ${section}: ${why.source}`, () => {
      assert.match(rejectionOf(text, paths), why);
    });

  it('a rejection includes the line of the violation', () => {
    assert.match(rejectionOf(courseStructure('\n<unknown/>')), /cmi5\.xml, line \d+: it violates/);
  });
});
