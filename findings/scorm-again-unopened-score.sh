#!/usr/bin/env bash
# Package: scorm-again 3.4.3 (SCORM 2004 sequencing)
# A good guess: a course passes at 0.8 (satisfiedByMeasure) and has two units of equal weight. After the first
# was left with 0.9, the course's measure is 0.45, because a unit without a measure adds its weight to the
# divisor (Sequencing and Navigation, RB.1.1), so the course has not passed.
# What happens: only units with a measure are divided by. The course has 0.9 and is passed while its second unit
# was never opened.
# Why it matters: a learner who leaves after the first good test has passed the whole course, and a certificate
# may follow.
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
const primaryObjective = { objectiveID: 'whole', isPrimary: true, satisfiedByMeasure: true, minNormalizedMeasure: 0.8 };
const after = play(course([{ id: 'first', title: 'First' }, { id: 'second', title: 'Second' }], { primaryObjective }), [visit('passed', '0.9')]);
console.log(`Opened: ${after.seen}. Course after the first unit: ${after.successStatus}, score ${after.score}`);
process.exit(after.successStatus === 'passed' && after.score === 0.9 ? 0 : 1);
JS
node show.mjs
