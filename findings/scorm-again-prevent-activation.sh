#!/usr/bin/env bash
# Package: scorm-again 3.4.3 (SCORM 2004 sequencing)
# A good guess: a course prevents activation, so that its units are not entered from outside by choice. A
# learner who is inside the course chooses its next chapter, which is allowed: the course is active and the
# common ancestor of both (Sequencing and Navigation, SB.2.9).
# What happens: the choice is refused and nothing is open. The same setting on the chapter itself works as the
# standard says.
# Why it matters: a setting that should change nothing on the top level takes the whole contents away, and the
# learner's page goes blank at the first click in it.
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
const chapters = (more) => course([
  { id: 'first', title: 'First' },
  { id: 'chapter', title: 'Chapter', sequencingControls, children: [{ id: 'inside', title: 'Inside' }] },
], more);
const choose = [visit('passed', '0.9', '{target=chapter}choice')];
const plain = play(chapters({}), choose).seen;
const prevented = play(chapters({ sequencingControls: { ...sequencingControls, preventActivation: true } }), choose).seen;
console.log(`Opened without the setting: ${plain}. With it on the course: ${prevented}`);
process.exit(plain === 'first, inside' && prevented === 'first, nothing' ? 0 : 1);
JS
node show.mjs
