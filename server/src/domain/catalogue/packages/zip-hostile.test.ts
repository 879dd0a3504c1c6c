import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  importBytes,
  importedReport,
  type RawEntry,
  rawZip,
  rejected,
} from '../../../../test/support/zips.ts';

const page: RawEntry = { name: 'index.html', data: '<title>Fine</title>' };

const families: [string, RawEntry[], string, RegExp][] = [
  ['a path that leaves the folder', [{ name: '../evil.html' }], 'package_unsafe', /\.\.\/evil\.html/],
  [
    'a path with ".." in the middle that leaves the folder',
    [{ name: 'a/../../evil.html' }],
    'package_unsafe',
    /points outside/,
  ],
  ['an absolute path', [{ name: '/etc/evil' }], 'package_unsafe', /absolute/],
  ['a drive letter', [{ name: 'C:evil.html' }], 'package_unsafe', /drive letter/],
  [
    'too many combining marks',
    [{ name: `a${'\u0316\u0315'.repeat(16)}.html` }],
    'package_unsafe',
    /combining marks/,
  ],
  [
    'backslashes that leave the folder',
    [{ name: 'a\\..\\..\\evil.html' }],
    'package_unsafe',
    /points outside/,
  ],
  ['an absolute path with a backslash', [{ name: '\\\\server\\evil' }], 'package_unsafe', /absolute/],
  ['a drive letter and a backslash', [{ name: 'c:\\evil.html' }], 'package_unsafe', /drive letter/],
  ['a Windows device name after a backslash', [{ name: 'js\\NUL.txt' }], 'package_unsafe', /Windows/],
  [
    'a name with slashes and with backslashes',
    [{ name: 'a/b.js' }, { name: 'a\\b.js' }],
    'package_unsafe',
    /same name/,
  ],
  ['a NUL in a name', [{ name: 'a\0.html' }], 'package_unsafe', /control character/],
  ['a Windows device name', [{ name: 'js/NUL.txt' }], 'package_unsafe', /Windows/],
  [
    'folders that are nested too deeply',
    [{ name: `${'a/'.repeat(32)}x` }],
    'package_unsafe',
    /deeper than 32/,
  ],
  [
    'a path of one kilobyte',
    [{ name: `${`${'a'.repeat(99)}/`.repeat(10)}${'x'.repeat(25)}` }],
    'package_unsafe',
    /1,024/,
  ],
  ['a name too long for a file system', [{ name: 'a'.repeat(300) }], 'package_unsafe', /255 bytes/],
  [
    'a symbolic link',
    [{ name: 'a', data: '/etc/passwd', attributes: 0o120777 << 16 }],
    'package_unsafe',
    /symbolic link/,
  ],
  ['a device', [{ name: 'a', attributes: 0o020777 << 16 }], 'package_unsafe', /device/],
  ['a duplicate name', [{ name: 'a.js' }, { name: 'a.js' }], 'package_unsafe', /same name/],
  ['names that differ by case', [{ name: 'a.js' }, { name: 'A.js' }], 'package_unsafe', /same name/],
  [
    'names that differ by Unicode form',
    [{ name: '\u00e9.js' }, { name: 'e\u0301.js' }],
    'package_unsafe',
    /same name/,
  ],
  [
    'a file that is also a folder',
    [{ name: 'a', data: 'x' }, { name: 'A/b.js' }],
    'package_unsafe',
    /same name/,
  ],
  ['a folder with content', [{ name: 'a/', data: 'x' }], 'package_unsafe', /folder that contains data/],
  [
    'entries that share bytes',
    [
      { name: 'a.js', data: 'x' },
      { name: 'a.js', offset: 61 },
    ],
    'package_unsafe',
    /overlaps|own header|cannot be found/,
  ],
  [
    'a declared size that is too small',
    [{ name: 'a.js', data: 'x'.repeat(50), size: 5 }],
    'package_unsafe',
    /larger than/,
  ],
  [
    'a declared size that is too large',
    [{ name: 'a.js', data: 'x', size: 500 }],
    'package_unsafe',
    /smaller than/,
  ],
  [
    'a stored file with a wrong size',
    [{ name: 'a.js', data: 'xyz', method: 0, size: 1 }],
    'package_unsafe',
    /larger than/,
  ],
  ['a wrong checksum', [{ name: 'a.js', data: 'x', checksum: 1 }], 'package_unsafe', /checksum/],
  ['a zip bomb', [{ name: 'a.js', data: Buffer.alloc(20_000_000) }], 'package_unsafe', /zip bomb/],
  ['encryption', [{ name: 'a.js', data: 'x', flags: 0x801 }], 'package_unsafe', /encrypted/],
  ['an unknown compression method', [{ name: 'a.js', data: 'x', method: 12 }], 'package_unsafe', /method 12/],
  [
    'a different name in the local header',
    [{ name: 'a.js', localName: 'b.js' }],
    'package_unsafe',
    /different name/,
  ],
  ['a missing header', [{ name: 'a.js', offset: 9_999 }], 'package_unsafe', /cannot be found/],
];

describe('hostile archives', () => {
  for (const [what, entries, code, reason] of families) {
    it(`archives are rejected for ${what}, leaving nothing on disk`, async () => {
      const problem = await rejected(rawZip([page, ...entries]));
      assert.equal(problem.code, code);
      assert.match(problem.message, reason);
    });
  }

  it('archives are rejected if two entries share the same bytes', async () => {
    const problem = await rejected(rawZip([page, { ...page, name: 'other.html', offset: 0 }]));
    assert.match(problem.message, /overlaps another entry/);
  });

  it('archives are rejected if the deflate data is damaged', async () => {
    const bytes = rawZip([page]);
    bytes.fill(0xff, 42, 50);
    assert.equal((await rejected(bytes)).code, 'package_unsafe');
  });

  it('archives are rejected if they exceed the limits on bytes and entries', async () => {
    const bytes = rawZip([page, { name: 'a.js', data: 'x'.repeat(100) }]);
    assert.equal((await rejected(bytes, { bytes: 100 })).code, 'package_too_large');
    assert.equal((await rejected(bytes, { entries: 1 })).code, 'package_too_large');
  });

  it('archives are rejected if the folders implied by paths exceed the entry limit', async () => {
    const deep = Array.from({ length: 10 }, (_, index) => ({
      name: `${`${index}/`.repeat(30)}x`,
      data: 'x',
    }));
    assert.equal((await rejected(rawZip([page, ...deep]), { entries: 300 })).code, 'package_too_large');
    assert.equal((await importedReport(rawZip([page, ...deep]), { entries: 311 })).Files, 11);
  });

  it('archives are distinguished from other files', async () => {
    for (const bytes of [Buffer.alloc(0), Buffer.from('%PDF-1.7'), rawZip([page]).subarray(0, -30)]) {
      assert.equal((await rejected(bytes)).code, 'package_not_zip');
    }
  });
});

describe('harmless archives', () => {
  it('archives may contain small blank files with a high compression ratio', async () => {
    const report = await importedReport(rawZip([page, { name: 'blank.txt', data: Buffer.alloc(900_000) }]));
    assert.equal(report.Files, 2);
  });

  it('files that operating systems add are removed', async () => {
    const junk = [{ name: '__MACOSX/._index.html' }, { name: '.DS_Store' }, { name: 'img/Thumbs.db' }];
    const { names } = await importBytes(rawZip([page, ...junk]));
    assert.deepEqual(names, ['out', 'out/index.html']);
  });

  it('a folder may be listed twice, even with different capitalisation', async () => {
    const entries = [{ name: 'js/' }, { name: 'js/' }, { name: 'js/a.js' }, { name: 'JS/b.js' }];
    assert.equal((await importedReport(rawZip([page, ...entries]))).Files, 3);
  });

  it('names encoded in code page 437 and in undeclared UTF-8 are kept', async () => {
    const old = { name: Buffer.from([0x81, 0x2e, 0x6a, 0x73]), flags: 0 };
    const { names } = await importBytes(rawZip([page, old, { name: 'ä.js', flags: 0 }]));
    assert.deepEqual(names, ['out', 'out/index.html', 'out/ä.js', 'out/ü.js']);
  });
});
