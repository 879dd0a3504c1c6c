#!/usr/bin/env bash
# Package: scorm-again 3.4.3 (SCORM 2004 sequencing)
# A good guess: a chapter may be attempted once (attemptLimit 1) and has two units. Going on from the first unit
# to the second stays inside the same attempt of the chapter, so the second unit opens (Sequencing and
# Navigation, UP.1: an activity that is active needs no check).
# What happens: the second unit is refused, because the chapter's attempt is already counted.
# Why it matters: a limit of one attempt, meant to stop people from taking an exam twice, ends the exam after
# its first page.
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
const chapter = (more) => course([{ id: 'chapter', title: 'Exam', sequencingControls, ...more,
  children: [{ id: 'first', title: 'First' }, { id: 'second', title: 'Second' }] }]);
const free = play(chapter({}), [visit('passed', '0.9')]);
const once = play(chapter({ attemptLimit: 1 }), [visit('passed', '0.9')]);
console.log(`Opened without a limit: ${free.seen}. With one attempt for the chapter: ${once.seen}`);
process.exit(free.seen === 'first, second' && once.seen === 'first, nothing' ? 0 : 1);
JS
node show.mjs
