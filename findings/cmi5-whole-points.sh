#!/usr/bin/env bash
# Package: @rusticisoftware/cmi5 3.2.0
# A good guess: a unit reports 92.5 of 100 points: xAPI (Data 2.4.5.1) allows decimal numbers for raw, min and max,
# and cmi5 adds no limit to them.
# What happens: the library refuses the score, because raw "is not an integer", so no passed statement is sent.
# Only a unit that leaves out the points, and sends the scaled score alone, can report 0.925.
# Why it matters: a quiz with half points works in every test with a round result, and then loses a learner's pass.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --ignore-scripts --silent --prefix . @rusticisoftware/cmi5@3.2.0
cat > show.cjs <<'JS'
globalThis.self ??= globalThis;
const loaded = require('@rusticisoftware/cmi5');
const Cmi5 = loaded.default ?? loaded;
const unit = new Cmi5();
function check(score) {
  try {
    return String(unit.validateScore(score));
  } catch (error) {
    return error.message;
  }
}
const round = check({ scaled: 0.92, raw: 92, min: 0, max: 100 });
const half = check({ scaled: 0.925, raw: 92.5, min: 0, max: 100 });
const scaled = check({ scaled: 0.925 });
console.log(`92 points: ${round}\n92.5 points: ${half}\nscaled only: ${scaled}`);
process.exit(round === 'true' && half === 'score.raw is not an integer' && scaled === 'true' ? 0 : 1);
JS
node show.cjs
