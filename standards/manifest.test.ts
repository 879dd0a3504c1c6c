import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFileIndex } from '../server/src/domain/catalogue/packages/file-index.ts';
import { readManifest } from './manifest.ts';
import { PackageRejection } from './rejection.ts';
import { manifest12, oneItem, oneResource } from './test-support.ts';
import { createWarnings } from './warnings.ts';

function read(text: string | Uint8Array, paths = ['index.html', 'imsmanifest.xml']) {
  const warnings = createWarnings();
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const warn = warnings.warn('imsmanifest.xml');
  const report = readManifest(bytes, 'imsmanifest.xml', createFileIndex(paths), warn);
  return { ...report, warnings: warnings.list(), unit: report.Tree.Units[0] };
}

function refusalOf(text: string | Uint8Array): PackageRejection {
  try {
    read(text);
  } catch (error) {
    if (error instanceof PackageRejection) return error;
    throw error;
  }
  throw new Error('the manifest was accepted');
}

const plain = manifest12(oneItem, oneResource);
const resource = (attributes: string) => `<resource identifier="r" type="webcontent" ${attributes}/>`;

describe('a manifest', () => {
  it('long titles are truncated', () => {
    const long = 'x'.repeat(50_000);
    const { Title, unit } = read(plain.replaceAll(/<title>[^<]*<\/title>/g, `<title>${long}</title>`));
    assert.deepEqual([Title?.length, unit?.Title.length], [1_000, 1_000]);
  });

  it('a manifest can be written in any common encoding', () => {
    const title = plain.replace('Safety first', 'Sécurité');
    const utf16 = Buffer.from(`\ufeff${title.replace('UTF-8', 'UTF-16')}`, 'utf16le');
    const swapped = Buffer.from(utf16).swap16();
    const latin1 = Buffer.from(title.replace('UTF-8', 'ISO-8859-1'), 'latin1');
    for (const bytes of [title, `\ufeff${title}`, utf16, swapped, latin1, title.replace('UTF-8', 'UTF-16')]) {
      assert.equal(read(bytes).Title, 'Sécurité');
    }
  });

  it('a manifest that declares UTF-8 but contains Latin-1 is accepted with a warning', () => {
    const { Title, warnings } = read(Buffer.from(plain.replace('Safety first', 'Sécurité'), 'latin1'));
    assert.equal(Title, 'Sécurité');
    assert.match(warnings[0]?.Message ?? '', /not valid utf-8/);
  });

  it('a manifest with a DOCTYPE is rejected in every encoding', () => {
    const text = plain.replace(
      '<manifest',
      '<!-- c --><!DOCTYPE m [<!ENTITY x SYSTEM "file:///etc/passwd">]><manifest',
    );
    for (const bytes of [text, Buffer.from(`\ufeff${text}`, 'utf16le')]) {
      const problem = refusalOf(bytes);
      assert.equal(problem.code, 'package_unsafe');
      assert.match(problem.message, /imsmanifest\.xml/);
    }
  });

  it('a manifest can lack namespaces or use undeclared prefixes', () => {
    const text = plain.replace(/ xmlns[^=]*="[^"]*"/g, '');
    const { unit, Standard, warnings } = read(text);
    assert.deepEqual([Standard, unit?.Kind], ['scorm12', 'sco']);
    assert.ok(
      warnings.some(({ Message }) => /namespace is not declared correctly at ".*adlcp/.test(Message)),
    );
  });

  it('a manifest without a schema version is read according to its namespaces, otherwise as SCORM 1.2', () => {
    const { Standard, warnings } = read(manifest12(oneItem, oneResource, ''));
    assert.equal(Standard, 'scorm12');
    assert.match(warnings[0]?.Message ?? '', /played as SCORM 1\.2/);
  });

  it('a manifest is rejected if it follows another IMS specification', () => {
    const text = `<manifest xmlns="http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1"><metadata><schema>IMS Common Cartridge</schema><schemaversion>1.1.0</schemaversion></metadata><organizations/><resources/></manifest>`;
    const problem = refusalOf(text);
    assert.equal(problem.code, 'package_unsupported');
    assert.match(problem.message, /Common Cartridge/);
  });

  it('a malformed manifest is rejected with the line number', () => {
    assert.match(refusalOf(plain.replace('</organizations>', '')).message, /line \d+.*malformed/);
    assert.match(refusalOf('').message, /empty or not XML/);
    assert.match(refusalOf('<html/>').message, /<html>/);
  });

  it('the place of an error is quoted from the file, without messages of the parser', () => {
    const lines = '\n'.repeat(70_000);
    const far = plain.replace('</organizations>', `${lines}</wrong>`);
    const { message, place } = refusalOf(far);
    assert.match(message, /the XML is malformed at "<\/wrong>/);
    assert.equal(place.line, far.slice(0, far.indexOf('</wrong>')).split('\n').length);
    assert.doesNotMatch(message, /mismatch|Premature|tag/);
  });

  it('a line beyond 65,535 is right or absent', () => {
    const far = plain.replace('<resource ', `${'\n'.repeat(70_000)}<resource wrong="1" `);
    const { warnings } = read(far);
    assert.ok(warnings.length > 0);
    for (const { Line } of warnings)
      assert.ok(Line === null || Line === undefined || Line < 65_535, String(Line));
    const short = read(plain.replace('<resource ', '<resource wrong="1" ')).warnings;
    assert.match(short[0]?.Message ?? '', /<resource> cannot have the attribute "wrong"/);
    assert.ok(Number(short[0]?.Line) > 0);
  });

  it('the first usable organization is read', () => {
    const { warnings, unit } = read(plain.replace('default="o"', 'default="gone"'));
    assert.equal(unit?.UnitID, 'i');
    assert.match(warnings[0]?.Message ?? '', /"gone" cannot be used; learners get "Safety first"/);
  });

  it('a manifest is rejected if it contains nothing that can be opened', () => {
    for (const [items, resources] of [
      ['', oneResource],
      ['<item identifier="i"/>', oneResource],
      ['<item identifier="i" identifierref="gone"/>', oneResource],
      [oneItem, resource('adlcp:scormtype="sco"')],
      [oneItem, resource('adlcp:scormtype="sco" href="javascript:alert(1)"')],
      [oneItem, resource('adlcp:scormtype="sco" href="../../x.html"')],
    ] as const) {
      const problem = refusalOf(manifest12(items, resources));
      assert.equal(problem.code, 'package_invalid');
      assert.match(problem.message, /imsmanifest\.xml, line \d+/);
    }
  });

  it('a page that is missing from the package is kept, with a warning', () => {
    const { unit, warnings } = read(plain, ['imsmanifest.xml']);
    assert.equal(unit?.Href, 'index.html');
    assert.match(warnings[0]?.Message ?? '', /index\.html.*not in the package; learners/);
  });

  it('schema violations cause warnings with line numbers', () => {
    const { warnings } = read(plain.replace('<item ', '<wrong/>\n<item '));
    assert.match(warnings[0]?.Message ?? '', /scorm12 schema: <wrong> is not allowed here/);
    assert.equal(warnings[0]?.File, 'imsmanifest.xml');
    assert.ok((warnings[0]?.Line ?? 0) > 0);
  });

  it('duplicate identifiers are renamed', () => {
    const { Tree, warnings } = read(manifest12(oneItem + oneItem, oneResource));
    assert.deepEqual(
      Tree.Units.map(({ UnitID }) => UnitID),
      ['i', 'i-2'],
    );
    assert.ok(warnings.some(({ Message }) => /used twice/.test(Message)));
  });

  it('a SCORM 1.2 item can both open a page and group other items', () => {
    const items = `<item identifier="g" identifierref="r"><title>G</title>${oneItem}</item>`;
    const { unit } = read(manifest12(items, oneResource));
    assert.deepEqual([unit?.Href, unit?.Children[0]?.Href], ['index.html', 'index.html']);
  });

  it('items can be nested up to 64 levels deep', () => {
    const nested = (depth: number) => `${'<item identifierref="r">'.repeat(depth)}${'</item>'.repeat(depth)}`;
    assert.ok(read(manifest12(nested(64), oneResource)).unit);
    assert.match(refusalOf(manifest12(nested(65), oneResource)).message, /deeper than 64/);
  });

  it('a manifest can have up to 5,000 items', () => {
    const items = (count: number) => '<item identifierref="r"/>'.repeat(count);
    assert.equal(read(manifest12(items(5_000), oneResource)).Tree.Units.length, 5_000);
    assert.match(refusalOf(manifest12(items(5_001), oneResource)).message, /more than 5000 items/);
  });

  it('the SCORM 1.2 settings of items are read', () => {
    const details =
      '<adlcp:prerequisites type="aicc_script">a&amp;b</adlcp:prerequisites><adlcp:maxtimeallowed>00:30:00</adlcp:maxtimeallowed><adlcp:timelimitaction>exit,message</adlcp:timelimitaction><adlcp:datafromlms>x=1</adlcp:datafromlms><adlcp:masteryscore>80</adlcp:masteryscore>';
    const { unit, warnings } = read(manifest12(oneItem.replace('</item>', `${details}</item>`), oneResource));
    assert.deepEqual(
      warnings.map(({ Message }) => Message),
      ['The prerequisites of "Start" refer to "a", which does not exist, so they block nothing'],
    );
    assert.deepEqual(
      [
        unit?.Prerequisites,
        unit?.MaxTimeAllowed,
        unit?.TimeLimitAction,
        unit?.DataFromLMS,
        unit?.MasteryScore,
      ],
      ['a&b', '00:30:00', 'exit,message', 'x=1', 80],
    );
  });

  it('invisible items are hidden, and an unusable mastery score is ignored', () => {
    const item = oneItem.replace('identifierref', 'isvisible="false" identifierref');
    const scored = item.replace('</item>', '<adlcp:masteryscore>many</adlcp:masteryscore></item>');
    const { unit, warnings } = read(manifest12(scored, oneResource));
    assert.deepEqual([unit?.Visible, unit?.MasteryScore], [false, null]);
    assert.match(warnings[0]?.Message ?? '', /mastery score "many"/);
  });
});
