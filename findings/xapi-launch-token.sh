#!/usr/bin/env bash
# Package: @xapi/xapi 3.0.3
# A good guess: getTinCanLaunchData returns the content_token of a launch link as it stands there: its type is string,
# and the course has to send the token back to the LMS.
# What happens: values that look like JSON are converted. A token of twenty digits becomes a number, and its last digits
# are lost; 2.10 becomes 2.1.
# Why it matters: the LMS does not recognize the token that comes back, so that only those learners are refused whose
# token happens to have digits only. Platforms should put a letter into tokens and IDs in launch links.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --ignore-scripts --silent --prefix . @xapi/xapi@3.0.3
cat > show.cjs <<'JS'
const { getTinCanLaunchData } = require('@xapi/xapi');
const link = new URL('https://course.example/index.html');
const actor = JSON.stringify({ name: ['Ada'], mbox: ['mailto:ada@example.org'] });
const sent = { endpoint: 'https://lrs.example/', auth: 'Basic YTpi', actor, content_token: '12345678901234567890' };
for (const [name, value] of Object.entries(sent)) link.searchParams.set(name, value);
globalThis.location = link;
globalThis.document = { location: link };
globalThis.window = { location: link, document: globalThis.document };
const { content_token } = getTinCanLaunchData();
console.log(`Sent: ${sent.content_token}. Read: ${content_token}, a ${typeof content_token}.`);
process.exit(content_token === 12345678901234567000 ? 0 : 1);
JS
node show.cjs
