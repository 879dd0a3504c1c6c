import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { manifest12, manifest2004, oneItem, oneResource } from '../../../../../standards/test-support.ts';
import { importBytes, type RawEntry, rawZip, rejected } from '../../../../test/support/zips.ts';

const page: RawEntry = { name: 'index.html', data: '<title>Fine</title>' };
const course = (manifest: string | Buffer, ...more: RawEntry[]) =>
  rawZip([page, { name: 'imsmanifest.xml', data: manifest }, ...more]);
const good = manifest12(oneItem, oneResource);

/** The archive with modified bytes in its end record or first directory entry. */
function patched(change: (bytes: Buffer, end: number, directory: number) => void): Buffer {
  const bytes = course(good);
  const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  change(bytes, end, bytes.readUInt32LE(end + 16));
  return bytes;
}

/** A zip64 end record and locator that contradict the archive. */
function zip64(entries: bigint, size: bigint, offset: bigint): Buffer {
  const bytes = course(good);
  const at = bytes.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  const record = Buffer.alloc(56);
  record.write('PK\x06\x06', 'latin1');
  record.writeBigUInt64LE(44n, 4);
  for (const [place, value] of [
    [24, entries],
    [32, entries],
    [40, size],
    [48, offset],
  ] as const)
    record.writeBigUInt64LE(value, place);
  const locator = Buffer.alloc(20);
  locator.write('PK\x06\x07', 'latin1');
  locator.writeBigUInt64LE(BigInt(at), 8);
  locator.writeUInt32LE(1, 16);
  const end = Buffer.from(bytes.subarray(at));
  end.fill(0xff, 8, 20);
  return Buffer.concat([bytes.subarray(0, at), record, locator, end]);
}

const bomb = deflateRawSync(Buffer.alloc(50_000_000));

describe('inconsistent archives are rejected, and nothing is left on disk', () => {
  const cases: [string, () => Buffer, string][] = [
    [
      'a zip bomb inside a zip bomb',
      () => course(good, { name: 'a.zip', data: Buffer.concat([bomb, Buffer.alloc(30_000_000)]) }),
      'package_unsafe',
    ],
    [
      '65,535 entries',
      () => rawZip(Array.from({ length: 65_535 }, (_, index) => ({ name: `${index}`, method: 0 }))),
      'package_too_large',
    ],
    [
      'more entries declared than present',
      () => patched((bytes, end) => bytes.fill(0x7f, end + 8, end + 12)),
      'package_too_large',
    ],
    [
      'a directory beyond the file',
      () => patched((bytes, end) => bytes.writeUInt32LE(0x7fffffff, end + 16)),
      'package_not_zip',
    ],
    [
      'a directory that starts within itself',
      () => patched((bytes, end, directory) => bytes.writeUInt32LE(directory + 7, end + 16)),
      'package_not_zip',
    ],
    ['zip64 with endless entries', () => zip64(0xffffffffffffffffn, 100n, 0n), 'package_too_large'],
    ['zip64 with a directory beyond the file', () => zip64(2n, 100n, 0x7fffffffffffffn), 'package_not_zip'],
    ['several disks', () => patched((bytes, end) => bytes.writeUInt16LE(3, end + 4)), 'package_not_zip'],
    ['strong encryption', () => course(good, { name: 'a.js', data: 'x', flags: 0x841 }), 'package_not_zip'],
    ['an NTFS name with a stream', () => course(good, { name: 'a.js:evil', data: 'x' }), 'package_unsafe'],
    [
      'names that differ by a trailing dot',
      () => course(good, { name: 'a.js' }, { name: 'a.js.' }),
      'package_unsafe',
    ],
    ['a reserved Windows name', () => course(good, { name: 'COM1', data: 'x' }), 'package_unsafe'],
    [
      'a link to a folder, and a file in it',
      () => course(good, { name: 'a', data: '/tmp', attributes: 0o120777 << 16 }, { name: 'a/b', data: 'x' }),
      'package_unsafe',
    ],
    [
      'an entry that hides another',
      () => course(good, { name: 'imsmanifest.xml', data: 'x' }),
      'package_unsafe',
    ],
    [
      'a second manifest whose name differs only by case',
      () => course(good, { name: 'IMSMANIFEST.XML', data: 'x' }),
      'package_unsafe',
    ],
  ];
  for (const [what, make, code] of cases)
    it(what, async () => assert.equal((await rejected(make())).code, code));
});

const declared = (rest: string, doctype: string) => rest.replace('?>', `?>${doctype}`);
const entities = Array.from(
  { length: 20 },
  (_, index) => `<!ENTITY e${index + 1} "${`&e${index};`.repeat(10)}">`,
).join('');
const deep = (levels: number) =>
  `${'<item identifier="i"><title>T</title>'.repeat(levels)}${'</item>'.repeat(levels)}`;
const utf16 = (text: string, bom: boolean) =>
  Buffer.from(`${bom ? '\ufeff' : ''}${text.replace('UTF-8', 'UTF-16')}`, 'utf16le');

describe('malicious manifests are rejected with a reason, and nothing is left on disk', () => {
  const cases: [string, string | Buffer, RegExp][] = [
    [
      'an external entity (XXE)',
      declared(good, '<!DOCTYPE m [<!ENTITY x SYSTEM "file:///etc/passwd">]>').replace('Start', '&x;'),
      /DOCTYPE/,
    ],
    ['an external DTD', declared(good, '<!DOCTYPE m SYSTEM "http://127.0.0.1:9/x.dtd">'), /DOCTYPE/],
    [
      'a parameter entity',
      declared(good, '<!DOCTYPE m [<!ENTITY % p SYSTEM "http://127.0.0.1:9/p"> %p;]>'),
      /DOCTYPE/,
    ],
    [
      'a billion laughs',
      declared(good, `<!DOCTYPE m [<!ENTITY e0 "lol">${entities}]>`).replace('Start', '&e20;'),
      /DOCTYPE/,
    ],
    ['a doctype in UTF-16', utf16(declared(good, '<!DOCTYPE m [<!ENTITY x "y">]>'), true), /DOCTYPE/],
    ['100,000 nested items', manifest12(deep(100_000), oneResource), /./],
    ['a wrong encoding declaration', Buffer.concat([Buffer.from(good), Buffer.from([0xff, 0xfe])]), /./],
    ['nothing', '', /./],
    ['another root element', '<?xml version="1.0"?><html/>', /./],
    ['17 MiB', manifest12(`${oneItem}<!--${'x'.repeat(17 * 1_048_576)}-->`, oneResource), /./],
  ];
  for (const [what, manifest, reason] of cases)
    it(what, async () => {
      const problem = await rejected(course(manifest));
      assert.match(problem.code, /^package_/);
      assert.match(problem.message, reason);
      assert.doesNotMatch(problem.message, /root:x:|node_modules|\/src\//);
    });
});

describe('unusual manifests are either read or rejected with a reason', () => {
  const cyclic = manifest12(
    oneItem,
    `${oneResource.replace('<file', '<dependency identifierref="r2"/><file')}<resource identifier="r2" type="webcontent" adlcp:scormtype="asset" href="index.html"><dependency identifierref="r"/></resource>`,
  );
  const sequencing = '<imsss:sequencing IDRef="s"/>';
  const cases: [string, string | Buffer][] = [
    ['resources that depend on each other', cyclic],
    [
      'a sequencing collection that refers to itself',
      manifest2004(
        oneItem.replace('</item>', `${sequencing}</item>`),
        `<imsss:sequencingCollection><imsss:sequencing ID="s" IDRef="s"/></imsss:sequencingCollection>`,
      ),
    ],
    [
      'a resource that is its own dependency',
      manifest12(oneItem, oneResource.replace('<file', '<dependency identifierref="r"/><file')),
    ],
    [
      'an attribute of a megabyte',
      manifest12(
        oneItem.replace('identifier="i"', `identifier="i" x="${'y'.repeat(1_048_576)}"`),
        oneResource,
      ),
    ],
    ['a title of a megabyte', manifest12(oneItem.replace('Start', 'y'.repeat(1_048_576)), oneResource)],
    [
      'a title that contains a script',
      manifest12(oneItem.replace('Start', '&lt;script&gt;alert(1)&lt;/script&gt;'), oneResource),
    ],
    ['UTF-16 with a byte order mark', utf16(good, true)],
    ['UTF-16 without a byte order mark', utf16(good, false)],
    [
      'declared Latin-1',
      Buffer.from(good.replace('UTF-8', 'ISO-8859-1').replace('Start', 'Größe'), 'latin1'),
    ],
    ['undeclared Latin-1', Buffer.from(good.replace('Start', 'Größe'), 'latin1')],
    ['a byte order mark', `\ufeff${good}`],
    ['an unknown encoding', good.replace('UTF-8', 'EBCDIC-CP-XX')],
    ['the namespace of another edition', good.replaceAll('imscp_rootv1p1p2', 'imscp_v1p1')],
    ['no namespace at all', good.replaceAll(/ xmlns(:\w+)?="[^"]*"/g, '')],
    ['500 nested items', manifest12(deep(500), oneResource)],
  ];
  for (const [what, manifest] of cases)
    it(what, async () => {
      const { report, problem, names } = await importBytes(course(manifest));
      if (problem) {
        assert.match(problem.code, /^package_/);
        assert.deepEqual(names, []);
      } else assert.ok((report?.Title ?? '').length <= 500 && names.includes('out/index.html'));
    });
});
