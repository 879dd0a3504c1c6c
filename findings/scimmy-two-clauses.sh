#!/usr/bin/env bash
# Package: scimmy 1.3.5
# A good guess: a user with a work address and a private one is found by emails.type eq "work" and
# emails.value eq PRIVATE: each clause holds for one of the addresses. RFC 7644 (3.4.2.2) has brackets,
# emails[…], for clauses that must hold for the same value.
# What happens: nobody is found, as if the clauses stood in brackets.
# Why it matters: a directory's search for learners with two addresses misses some of them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --ignore-scripts --silent --prefix . scimmy@1.3.5
cat > show.mjs <<'JS'
import scimmy from 'scimmy';
const emails = [{ type: 'work', value: 'ann@work.example' }, { type: 'home', value: 'ann@home.example' }];
const found = (filter) => new scimmy.Types.Filter(filter).match([{ id: '1', emails }]).length;
const type = found('emails.type eq "work"');
const value = found('emails.value eq "ann@home.example"');
const both = found('emails.type eq "work" and emails.value eq "ann@home.example"');
console.log(`First clause: ${type}, second clause: ${value}, both joined by "and": ${both}`);
process.exit(type === 1 && value === 1 && both === 0 ? 0 : 1);
JS
node show.mjs
