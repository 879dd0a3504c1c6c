#!/usr/bin/env bash
# Package: simple-scorm-packager 0.2.7
# A good guess: a course without a test is packed without masteryScore, or with null, and its manifest has no pass
# mark, so what the course reports as its success counts.
# What happens: both give a pass mark of 80 % with satisfiedByMeasure (SCORM 2004) or masteryscore (1.2). There is
# no value that leaves it out: 0 becomes a pass mark of 0.
# Why it matters: with a pass mark and no score the success is "unknown" by the standard, whatever the course says
# (Run-Time Environment 4.2.22.1). A course that ends with "passed" and no score is never passed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --ignore-scripts --silent --prefix . simple-scorm-packager@0.2.7
cat > show.cjs <<'JS'
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const pack = require('simple-scorm-packager');
const made = (version, more) =>
  new Promise((resolve) => {
    const source = `course-${Math.random()}`;
    mkdirSync(source);
    writeFileSync(`${source}/index.html`, '<!doctype html><title>Fire safety</title>');
    pack({ version, organization: 'Example', title: 'Fire safety', source, package: { zip: false }, ...more }, () => {
      const manifest = readFileSync(`${source}/imsmanifest.xml`, 'utf8');
      resolve(/(?:minNormalizedMeasure|masteryscore)>(.*?)</.exec(manifest)?.[1] ?? 'none');
    });
  });
(async () => {
  const log = console.log;
  console.log = () => {};
  const found = [];
  for (const version of ['2004 4th Edition', '1.2'])
    for (const more of [{}, { masteryScore: null }, { masteryScore: 0 }]) found.push(await made(version, more));
  console.log = log;
  console.log(`2004 without a score, with null, with 0: ${found.slice(0, 3).join(', ')}`);
  console.log(`1.2 without a score, with null, with 0: ${found.slice(3).join(', ')}`);
  process.exit(found.join() === '0.8,0.8,0,80,80,0' ? 0 : 1);
})();
JS
node show.cjs
