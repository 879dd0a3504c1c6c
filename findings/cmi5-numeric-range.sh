#!/usr/bin/env bash
# Package: @xapi/cmi5 1.4.0
# A good guess: a numeric question that accepts 2 to 5 is recorded with "2[:]5", the delimiter
# that xAPI defines for ranges.
# What happens: the range is written "2:5", without the brackets.
# Why it matters: a report that follows xAPI sees no range, so it marks every answer as wrong or
# cannot read the question.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --ignore-scripts --silent --prefix . @xapi/cmi5@1.4.0
cat > show.cjs <<'JS'
const Cmi5 = require('./node_modules/@xapi/cmi5/dist/Cmi5.umd.js');
const unit = new Cmi5({
  fetch: 'http://127.0.0.1/fetch',
  endpoint: 'http://127.0.0.1/xapi',
  actor: { account: { homePage: 'https://lms.example', name: '1' } },
  activityId: 'https://lms.example/unit',
  registration: '0c0e9b7c-3c0f-4c0e-8a43-0d1a2d7bb111',
});
unit._launchData = { contextTemplate: {}, launchMode: 'Normal' };
unit.sendXapiStatement = (statement) => statement;
const { object } = unit.interactionNumeric('test', 'question', 3, { min: 2, max: 5 });
const pattern = JSON.stringify(object.definition.correctResponsesPattern);
console.log(`Correct responses: ${pattern}`);
process.exit(pattern === '["2:5"]' ? 0 : 1);
JS
node show.cjs
