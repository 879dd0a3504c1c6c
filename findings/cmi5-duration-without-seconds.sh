#!/usr/bin/env bash
# Package: @rusticisoftware/cmi5 3.2.0
# A good guess: convertISO8601DurationToMilliseconds reads PT1H30M as 5,400,000 ms and PT1H as 3,600,000 ms. It
# refuses what it does not support (years, months, days) with an error.
# What happens: a duration that does not end in seconds gives a wrong number without an error: PT1H30M is 0, and
# PT1H is one second too long, because the hours are read a second time as seconds.
# Why it matters: authoring tools write whole minutes without seconds, so a unit that adds up earlier sessions loses
# them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --ignore-scripts --silent --prefix . @rusticisoftware/cmi5@3.2.0
cat > show.cjs <<'JS'
globalThis.self ??= globalThis;
const loaded = require('@rusticisoftware/cmi5');
const Cmi5 = loaded.default ?? loaded;
const read = (text) => Cmi5.convertISO8601DurationToMilliseconds(text);
const texts = ['PT1H30M0S', 'PT1H30M', 'PT1H'];
const found = texts.map(read);
for (const [at, text] of texts.entries()) console.log(`${text}: ${found[at]} ms`);
process.exit(String(found) === '5400000,0,3601000' ? 0 : 1);
JS
node show.cjs
