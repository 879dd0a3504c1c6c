#!/usr/bin/env bash
# Packages: duration-fns 3.0.2, read with iso8601-duration 2.1.4
# A good guess: between 31 January and 1 March 2026 there are 1 month and 1 day, the text of which is P1M1D.
# What happens: the result has two signs, 2 months and -30 days, and toString writes P2M-30D, which ISO 8601-1 has no
# form for. The same is true of 30 days after a 31 January, when normalized.
# Why it matters: the time until training falls due again is shown as "2 months, -30 days"; and iso8601-duration 2.1.4
# reads the text as two months, without an error, so that a month and a day become two months.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --ignore-scripts --silent --prefix . duration-fns@3.0.2 iso8601-duration@2.1.4
cat > show.mjs <<'JS'
import { between, normalize, toString } from 'duration-fns';
import { parse } from 'iso8601-duration';
const texts = [
  toString(between(new Date(2026, 0, 31), new Date(2026, 2, 1))),
  toString(normalize('P30D', new Date(2026, 0, 31))),
];
console.log(`From 31 January to 1 March: ${texts[0]}; P30D from 31 January: ${texts[1]}`);
const { months, days } = parse(texts[0]);
console.log(`Read again: ${months} months, ${days} days`);
process.exit(texts[0] === 'P2M-30D' && months === 2 && days === 0 ? 0 : 1);
JS
node show.mjs
