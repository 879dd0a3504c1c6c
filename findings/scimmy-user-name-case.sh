#!/usr/bin/env bash
# Package: scimmy 1.3.5
# A good guess: userName eq "ann" finds the user Ann, because RFC 7643 (4.1.1) says that user names are compared
# without regard to case.
# What happens: it finds nobody, although the name of the attribute itself may be written in any case.
# Why it matters: a directory that asks whether a learner exists hears no, and creates a second person with a
# training record of their own.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --ignore-scripts --silent --prefix . scimmy@1.3.5
cat > show.mjs <<'JS'
import scimmy from 'scimmy';
const users = [{ id: '1', userName: 'Ann' }];
const found = (filter) => new scimmy.Types.Filter(filter).match(users).length;
const [same, other, attribute] = ['userName eq "Ann"', 'userName eq "ann"', 'USERNAME eq "Ann"'].map(found);
console.log(`Found with the same case: ${same}, another case: ${other}, another case of the attribute: ${attribute}`);
process.exit(same === 1 && other === 0 ? 0 : 1);
JS
node show.mjs
