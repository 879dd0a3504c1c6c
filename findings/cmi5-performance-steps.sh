#!/usr/bin/env bash
# Package: @xapi/cmi5 1.4.0
# A good guess: a performance question whose step "pong" must score 1 is recorded with the
# correct response "pong[.]1", just as the learner's response is.
# What happens: the correct response names the position in the array instead: "0[.]1".
# Why it matters: in reports, a perfect answer matches no correct response, and the step named
# in the pattern does not exist.
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
const { result, object } = unit.interactionPerformance('test', 'question', { pong: 1 }, [{ id: 'pong', exact: 1 }]);
const pattern = JSON.stringify(object.definition.correctResponsesPattern);
console.log(`Learner's response: ${result.response}`);
console.log(`Correct responses: ${pattern}`);
process.exit(result.response === 'pong[.]1' && pattern === '["0[.]1"]' ? 0 : 1);
JS
node show.cjs
