#!/usr/bin/env bash
# Package: scorm-again 3.4.3 (SCORM 2004 sequencing)
# A good guess: the second of two units has requiredForNotSatisfied="ifAttempted": its failure counts only if it
# was attempted. requiredForSatisfied keeps its default, always, so the course is not satisfied before that unit
# is (Sequencing and Navigation, RB.1.4.2 looks at the setting of the action that is checked). The same is true
# of requiredForIncomplete and completed.
# What happens: the setting for one action also frees the unit from the opposite one. The course is passed, or
# completed, while the unit was never opened.
# Why it matters: an author who wants to be lenient with failures makes a unit optional without knowing it.
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
const after = (rollupConsiderations) => play(course([
  { id: 'first', title: 'First' },
  { id: 'second', title: 'Second', rollupConsiderations },
]), [visit('passed', '0.9')]);
const plain = after({});
const success = after({ requiredForNotSatisfied: 'ifAttempted' });
const completion = after({ requiredForIncomplete: 'ifAttempted' });
console.log(`Without settings: ${plain.successStatus}, ${plain.completionStatus}`);
console.log(`requiredForNotSatisfied: ${success.successStatus}. requiredForIncomplete: ${completion.completionStatus}`);
process.exit(plain.successStatus === 'unknown' && success.successStatus === 'passed' &&
  completion.completionStatus === 'completed' ? 0 : 1);
JS
node show.mjs
