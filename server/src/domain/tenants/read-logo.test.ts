import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { maxLogoBytes } from '../../../../standards/logo.ts';
import {
  exifChunk,
  extendedWebp,
  jpeg,
  jpegSegment,
  png,
  pngChunk,
  pngOfSize,
  webp,
} from '../../../test/support/images.ts';
import { Problem } from '../../lib/errors.ts';
import { readLogo } from './read-logo.ts';

const html = '<html><script>alert(1)</script>';

function rejected(bytes: Buffer, detail: RegExp): void {
  assert.throws(
    () => readLogo(bytes),
    (error) =>
      error instanceof Problem &&
      error.code === 'validation_failed' &&
      detail.test(error.message) &&
      error.extras.param === 'Logo',
  );
}

const images = { 'image/png': png(), 'image/jpeg': jpeg(), 'image/webp': webp() };

test('PNG, JPEG and WebP images are recognised by their bytes', () => {
  for (const [type, bytes] of Object.entries(images)) {
    const { content, name, ...rest } = readLogo(bytes);
    assert.deepEqual(rest, { type, width: 64, height: 32 });
    assert.deepEqual(content, bytes);
    assert.match(name, /^[\w-]{22}$/);
  }
  assert.equal(readLogo(extendedWebp({ flags: 0x10 })).width, 64);
});

test('other content is rejected', () => {
  const noImage = /not a PNG, JPEG or WebP/;
  for (const text of [
    '',
    'GIF89a',
    html,
    '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'RIFF1234WAVE',
    '%PDF-1.7',
  ])
    rejected(Buffer.from(text), noImage);
  rejected(Buffer.concat([Buffer.from('\n'), images['image/png']]), noImage);
});

test('images without pixels, and images that are too large, are rejected', () => {
  const size = /pixels/;
  for (const [width, height] of [
    [0, 0],
    [0, 10],
    [10, 0],
    [100_000, 100_000],
    [2_001, 1],
    [1, 2_001],
  ] as const)
    rejected(pngOfSize(width, height), size);
  rejected(pngOfSize(0xffffffff, 0xffffffff), size);
  rejected(jpeg(0, 0), size);
  rejected(jpeg(65_535, 65_535), size);
  rejected(webp(16_384, 16_384), size);
  assert.equal(readLogo(pngOfSize(2_000, 2_000)).width, 2_000);
  rejected(Buffer.concat([images['image/png'], Buffer.alloc(maxLogoBytes)]), /larger than 128 KiB/);
  rejected(Buffer.alloc(10 * 1024 ** 2), /larger than 128 KiB/);
});

test('truncated images are rejected', () => {
  for (const bytes of Object.values(images))
    for (let length = 12; length < bytes.length; length++)
      rejected(bytes.subarray(0, length), /incomplete or damaged|not a PNG/);
});

test('a PNG with data in its IEND chunk is rejected', () => {
  const whole = images['image/png'];
  rejected(Buffer.concat([whole.subarray(0, -12), pngChunk('IEND', Buffer.from(html))]), /damaged/);
});

test('a PNG with a wrong checksum is rejected', () => {
  const bytes = Buffer.from(images['image/png']);
  bytes.writeUInt8((bytes[50] ?? 0) ^ 1, 50);
  rejected(bytes, /damaged/);
});

test('animations and kinds of JPEG that browsers cannot show are rejected', () => {
  rejected(extendedWebp({ flags: 0x02 }), /animated/);
  rejected(extendedWebp({ width: 5_000 }), /damaged/);
  rejected(jpeg(64, 32, [jpegSegment(0xc9, Buffer.alloc(9))]), /baseline/);
  const scans = Array.from({ length: 101 }, () => jpegSegment(0xda, Buffer.alloc(6)));
  rejected(jpeg(64, 32, scans), /too many scans/);
});

test('metadata, and anything hidden in or after the image, is removed', () => {
  const hidden = [
    Buffer.concat([images['image/png'], Buffer.from(html)]),
    png(64, 32, [0, 87, 184], [pngChunk('tEXt', Buffer.from(`Comment\0${html}`))]),
    png(64, 32, [0, 87, 184], [pngChunk('eXIf', Buffer.from(html))]),
    Buffer.concat([images['image/jpeg'], Buffer.from(html)]),
    jpeg(64, 32, [jpegSegment(0xfe, Buffer.from(html)), jpegSegment(0xe1, Buffer.from(`Exif\0\0${html}`))]),
    Buffer.concat([images['image/webp'], Buffer.from(html)]),
    extendedWebp({ flags: 0x08, extra: [exifChunk(html)] }),
  ];
  for (const bytes of hidden) {
    assert.ok(bytes.includes(html));
    const { content } = readLogo(bytes);
    assert.ok(!content.includes('<'), content.toString('latin1'));
    assert.deepEqual(readLogo(content).content, content);
  }
});

test('arbitrary bytes are accepted or rejected, without any other error', () => {
  const check = (bytes: Buffer) => {
    try {
      assert.deepEqual(readLogo(readLogo(bytes).content).content, readLogo(bytes).content);
    } catch (error) {
      assert.ok(error instanceof Problem, String(error));
    }
  };
  const start = fc.constantFrom(...Object.values(images), extendedWebp());
  const change = fc.tuple(fc.nat({ max: 200 }), fc.integer({ min: 0, max: 255 }));
  fc.assert(
    fc.property(start, fc.array(change, { maxLength: 6 }), fc.nat({ max: 200 }), (image, changes, cut) => {
      const bytes = Buffer.from(image);
      for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
      check(bytes);
      check(bytes.subarray(0, cut));
    }),
    { numRuns: 3_000 },
  );
});
