#!/usr/bin/env bash
# Package: simple-scorm-packager 0.2.7
# A good guess: the three documented ways to ask for the fourth edition ("2004 4th Edition", "2004.4" and "2004v4")
# make the same package. SCORM 2004 (Content Aggregation Model 3.4) wants "2004 4th Edition" in schemaversion.
# What happens: the short forms are copied into schemaversion as they are, so the manifest names an edition that
# does not exist.
# Why it matters: a player that chooses the rules of an edition by schemaversion refuses the course, or plays it by
# the rules of an older edition, which drops what only the fourth edition keeps.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --ignore-scripts --silent --prefix . simple-scorm-packager@0.2.7
cat > show.cjs <<'JS'
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const pack = require('simple-scorm-packager');
const made = (version) =>
  new Promise((resolve) => {
    const source = `course-${version.replaceAll(' ', '-')}`;
    mkdirSync(source);
    writeFileSync(`${source}/index.html`, '<!doctype html><title>Fire safety</title>');
    pack({ version, organization: 'Example', title: 'Fire safety', source, package: { zip: false } }, () => {
      const manifest = readFileSync(`${source}/imsmanifest.xml`, 'utf8');
      resolve(/<schemaversion>(.*?)<\/schemaversion>/.exec(manifest)[1]);
    });
  });
(async () => {
  const log = console.log;
  console.log = () => {};
  const found = [];
  for (const version of ['2004 4th Edition', '2004.4', '2004v4']) found.push(await made(version));
  console.log = log;
  console.log(`schemaversion: ${found.join(', ')}`);
  process.exit(found.join() === '2004 4th Edition,2004.4,2004v4' ? 0 : 1);
})();
JS
node show.cjs
