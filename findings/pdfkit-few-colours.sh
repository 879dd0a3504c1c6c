#!/usr/bin/env bash
# Package: pdfkit 0.20.2 (with png-js 2.0.0)
# A good guess: a PNG that becomes transparent through its palette looks the same in the PDF, however many colours it
# has.
# What happens: only with eight bits per pixel. An image with up to 16 colours keeps its pixels, but its transparency
# is looked up in the packed bytes, as if each were a pixel. So a wholly opaque half of the image disappears, without
# an error.
# Why it matters: optimisers save a logo with few colours in four bits per pixel or fewer. The logo is right in each
# browser, and only shreds of it are on the certificates that learners print.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --ignore-scripts --silent --prefix . pdfkit@0.20.2 png-js@2.0.0
cat > show.mjs <<'JS'
import { deflateSync, inflateSync } from 'node:zlib';
import PDFDocument from 'pdfkit';

const table = Array.from({ length: 256 }, (_, n) => {
  for (let bit = 0; bit < 8; bit++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
  return n;
});
const crc32 = (bytes) => ~bytes.reduce((crc, byte) => table[(crc ^ byte) & 255] ^ (crc >>> 8), -1) >>> 0;
const number = (value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const chunk = (type, data) => {
  const named = Buffer.concat([Buffer.from(type), Buffer.from(data)]);
  return Buffer.concat([number(named.length - 4), named, number(crc32(named))]);
};

/** A line of eight pixels: four of colour 0, which is transparent, and four of colour 1. */
const lines = { 8: [0, 0, 0, 0, 1, 1, 1, 1], 4: [0x00, 0x00, 0x11, 0x11] };

async function opacities(bits) {
  const png = Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', [...number(8), ...number(1), bits, 3, 0, 0, 0]),
    chunk('PLTE', [255, 255, 255, 200, 0, 0]),
    chunk('tRNS', [0, 255]),
    chunk('IDAT', deflateSync(Buffer.from([0, ...lines[bits]]))),
    chunk('IEND', []),
  ]);
  const doc = new PDFDocument({ compress: false });
  const parts = [];
  doc.on('data', (part) => parts.push(part)).image(png, 0, 0);
  await new Promise((resolve) => doc.on('end', resolve).end());
  const [, mask] = /\/DeviceGray.*?stream\n(.*?)\nendstream/s.exec(Buffer.concat(parts).toString('latin1'));
  return [...inflateSync(Buffer.from(mask, 'latin1'))].join(' ');
}

const [eight, four] = [await opacities(8), await opacities(4)];
console.log(`Opacity of the pixels, with eight bits for each: ${eight}`);
console.log(`The same image with four bits for each:          ${four}`);
process.exit(eight === '0 0 0 0 255 255 255 255' && four !== eight ? 0 : 1);
JS
node show.mjs
