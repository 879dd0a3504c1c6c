#!/usr/bin/env bash
# Package: scorm-again 3.4.3
# A good guess: a SCORM 2004 unit has a passing score of 0.8 and reports "passed" without a score. The standard
# then wants "unknown" (Run-Time Environment 4.2.22). The unit reads "unknown", so that is also what is sent.
# What happens: the unit reads "unknown", but the data sent at the end says "passed". The same is true of
# "completed" with a completion threshold and no progress (4.2.4).
# Why it matters: a course shows its learner no result, while the report counts a pass.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --ignore-scripts --silent --prefix . scorm-again@3.4.3
cat > show.mjs <<'JS'
const sent = [];
const sendBeacon = (_url, body) => sent.push(body.text());
Object.defineProperty(globalThis, 'navigator', { value: { sendBeacon }, configurable: true });
globalThis.window = globalThis;
globalThis.addEventListener ??= () => {};
globalThis.document = { addEventListener() {}, removeEventListener() {} };
await import('./node_modules/scorm-again/dist/scorm-again.js');
function play(load, name, value, status) {
  const api = new globalThis.Scorm2004API({ autocommit: false, logLevel: 5, lmsCommitUrl: 'http://127.0.0.1/' });
  api.loadFromJSON({ cmi: load }, '');
  api.Initialize('');
  api.SetValue(name, value);
  const read = api.GetValue(status);
  api.Terminate('');
  return read;
}
const success = play({ scaled_passing_score: '0.8' }, 'cmi.success_status', 'passed', 'cmi.success_status');
const completion = play({ completion_threshold: '0.8' }, 'cmi.completion_status', 'completed', 'cmi.completion_status');
const [first, second] = (await Promise.all(sent)).map((text) => JSON.parse(text).cmi);
console.log(`With a passing score and no score: read ${success}, sent ${first.success_status}`);
console.log(`With a threshold and no progress: read ${completion}, sent ${second.completion_status}`);
process.exit(success === 'unknown' && first.success_status === 'passed' &&
  completion === 'unknown' && second.completion_status === 'completed' ? 0 : 1);
JS
node show.mjs
