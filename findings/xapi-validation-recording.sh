#!/usr/bin/env bash
# Package: @learninglocker/xapi-validation 3.0.0
# A good guess: an attachment may be a recording that a browser has made, with the type
# video/webm; codecs="vp9, opus". xAPI (Data 2.4.11) refers to RFC 2046, and RFC 6381 quotes this parameter.
# What happens: the statement is refused, because the value of a parameter may only consist of letters, digits,
# "_" and "-". The same is true of charset="utf-8" in quotes.
# Why it matters: a speaking exercise sends its recording with the statement of the result, and loses both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --ignore-scripts --silent --prefix . @learninglocker/xapi-validation@3.0.0
cat > show.cjs <<'JS'
const { default: validate } = require('@learninglocker/xapi-validation');
const warnings = (contentType) =>
  validate({
    actor: { mbox: 'mailto:ann@example.org' },
    verb: { id: 'http://adlnet.gov/expapi/verbs/answered' },
    object: { id: 'https://example.org/speaking/1' },
    attachments: [
      {
        usageType: 'https://example.org/recording',
        display: { en: 'Recording' },
        contentType,
        length: 4,
        sha2: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      },
    ],
  }).length;
const types = ['video/webm', 'video/webm; codecs="vp9, opus"', 'text/plain; charset="utf-8"'];
for (const type of types) console.log(`${type}: ${warnings(type)} warnings`);
process.exit(types.map(warnings).join() === '0,1,1' ? 0 : 1);
JS
node show.cjs
