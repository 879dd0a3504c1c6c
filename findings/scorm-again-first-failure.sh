#!/usr/bin/env bash
# Package: scorm-again 3.4.3 (SCORM 2004 sequencing)
# A good guess: a course without roll-up rules has two units. After the first was failed and the second was not
# opened, the status of the course is unknown, because the default rule for not satisfied wants the status of
# all units to be known (Sequencing and Navigation, RB.1.2 b). With a rule of its own that only says when the
# course is satisfied, no default applies, and it stays unknown to the end.
# What happens: the course is failed as soon as one unit is, also when it has its own rule.
# Why it matters: a report counts people as failed who are in the middle of a course, and exit rules and post-
# condition rules that wait for a known status act too early.
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
const units = [{ id: 'first', title: 'First' }, { id: 'second', title: 'Second' }];
const early = play(course(units), [visit('failed', '0.2')]);
const rules = [{ action: 'satisfied', consideration: 'all', conditions: [{ condition: 'satisfied' }] }];
const own = play(course(units, { rollupRules: { rules } }), [visit('failed', '0.2'), visit('failed', '0.2')]);
console.log(`One of two units failed: ${early.successStatus}. With only a rule for satisfied: ${own.successStatus}`);
process.exit(early.successStatus === 'failed' && own.successStatus === 'failed' ? 0 : 1);
JS
node show.mjs
