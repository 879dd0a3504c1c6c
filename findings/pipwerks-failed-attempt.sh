#!/usr/bin/env bash
# Package: pipwerks-scorm-api-wrapper 0.1.2
# A good guess: a SCORM 1.2 course that reports "failed" and quits has ended its attempt, so the next launch begins
# a new one. One that reports "completed" only says that it is done.
# What happens: on quitting, the wrapper sets cmi.core.exit by itself. After "failed" it is "suspend", so the LMS has
# to resume the failed attempt with its old answers. After "completed" it is "logout", which tells the LMS to sign
# the learner out (SCORM 1.2 Run-Time Environment 3.4.4).
# Why it matters: a learner who failed never gets a fresh test, and in an LMS that follows the standard, everybody who
# finishes is thrown out of it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# Its dependency, which is only needed to build it, is not in the registry.
npm pack --silent pipwerks-scorm-api-wrapper@0.1.2 >/dev/null
mkdir -p node_modules/pipwerks-scorm-api-wrapper
tar --warning=no-unknown-keyword -xzf ./*.tgz -C node_modules/pipwerks-scorm-api-wrapper --strip-components=1
cat > show.cjs <<'JS'
function exitAfter(status) {
  const data = { 'cmi.core.lesson_status': 'incomplete' };
  const API = {
    LMSInitialize: () => 'true',
    LMSFinish: () => 'true',
    LMSCommit: () => 'true',
    LMSGetValue: (name) => data[name] ?? '',
    LMSSetValue: (name, value) => {
      data[name] = value;
      return 'true';
    },
    LMSGetLastError: () => '0',
    LMSGetErrorString: () => '',
    LMSGetDiagnostic: () => '',
  };
  globalThis.window = { API };
  window.parent = window;
  globalThis.API = API;
  delete require.cache[require.resolve('pipwerks-scorm-api-wrapper')];
  const { SCORM } = require('pipwerks-scorm-api-wrapper');
  SCORM.version = '1.2';
  SCORM.init();
  SCORM.set('cmi.core.lesson_status', status);
  SCORM.quit();
  return data['cmi.core.exit'];
}
const found = ['failed', 'completed'].map((status) => `${status}: ${exitAfter(status)}`);
console.log(`cmi.core.exit after ${found.join(', after ')}`);
process.exit(found.join() === 'failed: suspend,completed: logout' ? 0 : 1);
JS
node show.cjs
