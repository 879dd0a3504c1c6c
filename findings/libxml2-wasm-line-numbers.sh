#!/usr/bin/env bash
# Package: libxml2-wasm 0.7.2
# A good guess: with XML_PARSE_BIG_LINES, an element on line 70,001 reports line 70001.
# What happens: every element beyond line 65,535 reports 65535, although a parser error on the
# same document reports its true line.
# Why it matters: an import report for a large generated manifest points authors at the wrong line.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --ignore-scripts --silent --prefix . libxml2-wasm@0.7.2
cat > show.mjs <<'JS'
import { ParseOption, XmlDocument } from 'libxml2-wasm';
const option = ParseOption.XML_PARSE_BIG_LINES;
const opening = `<manifest>\n${'<file href="page.html"/>\n'.repeat(70_000)}`;
const document = XmlDocument.fromString(`${opening}</manifest>`, { option });
const element = document.get('/manifest/file[70000]').line;
document.dispose();
let error;
try {
  XmlDocument.fromString(`${opening}</other>`, { option });
} catch (problem) {
  error = problem.details[0].line;
}
console.log(`Element on line 70001: reported on line ${element}`);
console.log(`Error on line 70002: reported on line ${error}`);
process.exit(element === 65_535 && error === 70_002 ? 0 : 1);
JS
node show.mjs
