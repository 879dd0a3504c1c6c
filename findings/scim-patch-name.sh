#!/usr/bin/env bash
# Package: scim-patch 0.8.3
# A good guess: replacing "name" with {givenName} has the same effect with a path as without one:
# RFC 7644 leaves sub-attributes that the operation does not mention unchanged.
# What happens: with the path, the family name stays; without it, the family name is deleted.
# Why it matters: a directory that corrects a given name can erase the family name, which is then
# missing from the next certificate.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --ignore-scripts --silent --prefix . scim-patch@0.8.3
cat > show.cjs <<'JS'
const { scimPatch } = require('scim-patch');
const patch = (operation) => {
  const user = { schemas: [], userName: 'learner', name: { givenName: 'Ana', familyName: 'Example' } };
  return JSON.stringify(scimPatch(user, [operation]).name);
};
const withPath = patch({ op: 'replace', path: 'name', value: { givenName: 'Anna' } });
const without = patch({ op: 'replace', value: { name: { givenName: 'Anna' } } });
console.log(`With the path: ${withPath}`);
console.log(`Without: ${without}`);
const expected = withPath.includes('familyName') && without === '{"givenName":"Anna"}';
process.exit(expected ? 0 : 1);
JS
node show.cjs
