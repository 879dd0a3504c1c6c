#!/usr/bin/env bash
# Package: scim2-parse-filter 0.2.10
# A good guess: a filter compares times as moments, as RFC 7644 says: a change at 00:30 UTC is
# later than 01:00 in the zone +01:00, which is 00:00 UTC.
# What happens: times are compared as text, so the change counts as earlier and is left out.
# Why it matters: a directory in another time zone that asks for users changed since its last run
# misses some of them, such as learners who have left.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --ignore-scripts --silent --prefix . scim2-parse-filter@0.2.10
cat > show.cjs <<'JS'
const { filter, parse } = require('scim2-parse-filter');
const user = { userName: 'learner', meta: { lastModified: '2026-01-15T00:30:00Z' } };
const changedSince = (time) => filter(parse(`meta.lastModified gt "${time}"`))(user);
const utc = changedSince('2026-01-15T00:00:00Z');
const zone = changedSince('2026-01-15T01:00:00+01:00');
console.log(`Changed since 00:00Z: ${utc}, since the same moment written as 01:00+01:00: ${zone}`);
process.exit(utc && !zone ? 0 : 1);
JS
node show.cjs
