#!/usr/bin/env bash
# Package: iso8601-duration 2.1.4
# A good guess: a certificate that is valid for a month and was issued on 31 January ends in February, and a term of a
# year that began on 29 February 2028 ends in February 2029: PostgreSQL, Java and most payroll rules take the last
# day of a month that is too short.
# What happens: end() goes on counting into the next month: 3 March and 1 March.
# Why it matters: a service that computes a due date with the library and a database that computes it with an
# interval disagree about the day, for everybody who was trained at the end of a month.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --ignore-scripts --silent --prefix . iso8601-duration@2.1.4
cat > show.mjs <<'JS'
import { end, parse } from 'iso8601-duration';
const day = (term, from) => end(parse(term), new Date(`${from}T12:00:00`)).toLocaleDateString('sv-SE');
const days = [day('P1M', '2026-01-31'), day('P1Y', '2028-02-29')];
console.log(`2026-01-31 and P1M: ${days[0]}; 2028-02-29 and P1Y: ${days[1]}`);
process.exit(days.join() === '2026-03-03,2029-03-01' ? 0 : 1);
JS
node show.mjs
