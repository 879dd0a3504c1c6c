#!/usr/bin/env bash
# Package: tincanjs 0.50.0
# A good guess: a parameter of the launch address that belongs to the course, such as lang=de,
# stays with the course.
# What happens: every parameter the library does not know is added to each call to the LRS.
# Why it matters: xAPI requires an LRS to answer unknown parameters with 400. One harmless
# parameter in a launch link then loses all statements of the course.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --ignore-scripts --silent --prefix . tincanjs@0.50.0
cat > show.cjs <<'JS'
const { createServer } = require('node:http');
const TinCan = require('tincanjs');
const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://127.0.0.1');
  const names = [...searchParams.keys()].join(', ');
  response.writeHead(204).end();
  console.log(`${request.method} ${pathname} with the parameters ${names}`);
  process.exit(names === 'statementId, lang' ? 0 : 1);
});
server.listen(0, '127.0.0.1', () => {
  const launch = new URLSearchParams({
    endpoint: `http://127.0.0.1:${server.address().port}/xapi/`,
    auth: 'Basic YTpi',
    actor: '{"mbox":"mailto:learner@example.org"}',
    activity_id: 'https://course.example/1',
    lang: 'de',
  });
  const course = new TinCan({ url: `https://course.example/index.html?${launch}` });
  course.sendStatement({ verb: { id: 'http://adlnet.gov/expapi/verbs/completed' } }, () => {});
});
JS
node show.cjs
