#!/usr/bin/env bash
# Package: scimmy 1.3.5
# A good guess: name.familyName co "ü" finds the users with such a name, and passes over users
# without a name: RFC 7644 (3.4.2.1) says that a missing attribute does not match.
# What happens: one user without a name makes the whole search end in a TypeError.
# Why it matters: a single learner who was created with only a login takes the directory's search away
# from everybody.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --ignore-scripts --silent --prefix . scimmy@1.3.5
cat > show.mjs <<'JS'
import scimmy from 'scimmy';
const named = { id: '1', userName: 'ann', name: { familyName: 'Müller' } };
const filter = new scimmy.Types.Filter('name.familyName co "ü"');
console.log(`Without the user without a name: ${filter.match([named]).length} found`);
try {
  const found = filter.match([named, { id: '2', userName: 'bob' }]);
  console.log(`With that user: ${found.length} found`);
  process.exit(1);
} catch (error) {
  console.log(`With that user: ${error.name}: ${error.message}`);
  process.exit(error instanceof TypeError ? 0 : 1);
}
JS
node show.mjs
