#!/usr/bin/env bash
# Package: scorm-again 3.4.3 (SCORM 2004 sequencing)
# A good guess: a unit has two pre-condition rules that both apply, one that hides it from the contents and one
# that disables it. Each action is checked where it is needed (Sequencing and Navigation, UP.5 asks for disabled
# rules only), so the order of the rules in the manifest means nothing and the unit cannot be opened.
# What happens: only the first rule that applies is seen. With the hiding rule first, the disabled unit opens;
# with the other order it does not.
# Why it matters: authoring tools write both rules for a unit that is locked until something else is done.
# Whether it is locked depends on the order in which they were written.
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
const rule = (action) => ({ action, conditions: [{ condition: 'always' }] });
const openedBy = (...actions) => play(course([
  { id: 'locked', title: 'Locked', sequencingRules: { preConditionRules: actions.map(rule) } },
  { id: 'second', title: 'Second' },
]), []).seen;
const [hiddenFirst, disabledFirst] = [openedBy('hiddenFromChoice', 'disabled'), openedBy('disabled', 'hiddenFromChoice')];
console.log(`Opened with the hiding rule first: ${hiddenFirst}. With the disabling rule first: ${disabledFirst}`);
process.exit(hiddenFirst === 'locked' && disabledFirst === 'nothing' ? 0 : 1);
JS
node show.mjs
