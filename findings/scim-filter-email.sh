#!/usr/bin/env bash
# Package: scim2-parse-filter 0.2.10
# A good guess: the filter emails co "example.org" finds a user with that address: RFC 7644 has a
# filter of this form among its examples.
# What happens: it finds nobody; only emails.value co "example.org" does.
# Why it matters: a directory that looks for a learner in this way concludes that there is none and
# creates a second account, with a second training record.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --ignore-scripts --silent --prefix . scim2-parse-filter@0.2.10
cat > show.cjs <<'JS'
const { filter, parse } = require('scim2-parse-filter');
const user = { userName: 'learner', emails: [{ type: 'work', value: 'learner@example.org' }] };
const finds = (text) => filter(parse(text))(user);
const short = finds('emails co "example.org"');
const long = finds('emails.value co "example.org"');
console.log(`emails co: ${short}, emails.value co: ${long}`);
process.exit(!short && long ? 0 : 1);
JS
node show.cjs
