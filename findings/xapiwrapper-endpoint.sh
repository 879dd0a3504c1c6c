#!/usr/bin/env bash
# Package: xapiwrapper 1.11.0
# A good guess: the endpoints https://lrs.example/xapi and https://lrs.example/xapi/ work alike.
# What happens: without the final slash, statements go to https://lrs.example/xapistatements.
# Why it matters: neither xAPI nor cmi5 requires the slash in the endpoint of a launch link. The
# course then runs without an error on screen while none of its statements arrive.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --ignore-scripts --silent --prefix . xapiwrapper@1.11.0
cat > show.cjs <<'JS'
const { readFileSync } = require('node:fs');
const { createContext, runInContext } = require('node:vm');
let address;
class XMLHttpRequest {
  open(_method, url) {
    address = url;
  }
  setRequestHeader() {}
  send() {}
}
const page = { XMLHttpRequest, console: { log() {} }, TextEncoder, TextDecoder, setTimeout };
page.window = page;
page.document = { createElement: () => new URL('about:blank') };
page.location = new URL('https://course.example/index.html?endpoint=https%3A%2F%2Flrs.example%2Fxapi&auth=Basic+YTpi');
runInContext(readFileSync('node_modules/xapiwrapper/dist/xapiwrapper.min.js', 'utf8'), createContext(page));
page.ADL.XAPIWrapper.sendStatement(
  {
    actor: { mbox: 'mailto:learner@example.org' },
    verb: { id: 'http://adlnet.gov/expapi/verbs/completed' },
    object: { id: 'https://course.example/1' },
  },
  () => {},
);
console.log(`Statement sent to ${address}`);
process.exit(address === 'https://lrs.example/xapistatements' ? 0 : 1);
JS
node show.cjs
