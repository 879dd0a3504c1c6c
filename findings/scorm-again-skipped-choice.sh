#!/usr/bin/env bash
# Package: scorm-again 3.4.3 (SCORM 2004 sequencing)
# A good guess: a unit is skipped once it is satisfied, the usual rule for not showing again what was passed.
# Skipping concerns flow (Sequencing and Navigation, SB.2.2); whoever chooses the unit from the contents gets it
# (SB.2.9 asks about hidden and disabled only).
# What happens: the choice is refused, and nothing is open afterwards.
# Why it matters: learners cannot look up again what they have passed, and the course seems to have ended.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --ignore-scripts --silent --prefix . scorm-again@3.4.3
cat > show.mjs <<'JS'
globalThis.window = globalThis;
globalThis.addEventListener ??= () => {};
globalThis.document = { addEventListener() {}, removeEventListener() {} };
Object.defineProperty(globalThis, 'navigator', { value: { sendBeacon: () => true }, configurable: true });
await import('./node_modules/scorm-again/dist/scorm-again.js');
for (const level of ['error', 'warn', 'info', 'debug']) console[level] = () => {};
/** Plays visits of units, and returns the units that were opened and the status of the course. */
function play(activityTree, visits) {
  let opened = 'nothing';
  const eventListeners = {
    onActivityDelivery: ({ id }) => { opened = id; },
    onSequencingSessionEnd: () => { opened = 'the end'; },
  };
  const api = new globalThis.Scorm2004API({ autocommit: false, logLevel: 5, sequencing: { activityTree, eventListeners } });
  api.processNavigationRequest('start');
  const seen = [opened];
  for (const values of visits) {
    opened = 'nothing';
    api.Initialize('');
    for (const [name, value] of Object.entries(values)) api.SetValue(name, value);
    api.Terminate('');
    seen.push(opened);
    api.reset();
  }
  const { completionStatus, successStatus, score } = api.getActivityTrackingData('course');
  return { seen: seen.join(', '), completionStatus, successStatus, score };
}
const visit = (success, scaled, request = 'continue') => ({
  'cmi.completion_status': 'completed',
  'cmi.success_status': success,
  'cmi.score.scaled': scaled,
  'adl.nav.request': request,
});
const sequencingControls = { flow: true, choice: true };
const course = (children, more) => ({ id: 'course', title: 'Course', sequencingControls, children, ...more });
const preConditionRules = [{ action: 'skip', conditions: [{ condition: 'satisfied' }] }];
const played = (sequencingRules) => play(course([
  { id: 'first', title: 'First', ...(sequencingRules && { sequencingRules }) },
  { id: 'second', title: 'Second' },
]), [visit('passed', '0.9'), visit('passed', '0.9', '{target=first}choice')]).seen;
const [plain, skipping] = [played(), played({ preConditionRules })];
console.log(`Opened without the rule: ${plain}. With it: ${skipping}`);
process.exit(plain === 'first, second, first' && skipping === 'first, second, nothing' ? 0 : 1);
JS
node show.mjs
