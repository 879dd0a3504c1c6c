#!/usr/bin/env bash
# Package: scorm-again 3.4.3 (SCORM 2004 sequencing)
# A good guess: a course has a chapter whose only unit is not tracked (an introduction to read) and a tracked
# test. An untracked unit adds nothing to a roll-up (Sequencing and Navigation, RB.1.4), the rule all is then
# fulfilled for the chapter as ADL's own scripts RU-11 and RU-15 want it, and passing the test completes the
# course.
# What happens: the chapter is incomplete for ever, and so is the course, although everything was seen and
# passed.
# Why it matters: nobody ever completes such a course, and reminders go on.
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
const whole = (deliveryControls) => play(course([
  { id: 'chapter', title: 'Introduction', sequencingControls, children: [{ id: 'read', title: 'Read', deliveryControls }] },
  { id: 'test', title: 'Test' },
]), [visit('passed', '0.9'), visit('passed', '0.9')]);
const [tracked, untracked] = [whole({}), whole({ tracked: false })];
console.log(`All tracked: ${tracked.completionStatus}, ${tracked.successStatus}`);
console.log(`Introduction not tracked: ${untracked.seen}, then ${untracked.completionStatus}, ${untracked.successStatus}`);
process.exit(tracked.completionStatus === 'completed' && untracked.completionStatus === 'incomplete' &&
  untracked.seen === 'read, test, the end' ? 0 : 1);
JS
node show.mjs
