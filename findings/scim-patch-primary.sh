#!/usr/bin/env bash
# Package: scim-patch 0.8.3
# A good guess: adding a second email address as primary makes the first one secondary, as
# RFC 7644 requires for PATCH.
# What happens: both addresses are primary afterwards.
# Why it matters: software that takes the first primary address keeps sending invitations and
# reminders to the old one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --ignore-scripts --silent --prefix . scim-patch@0.8.3
cat > show.cjs <<'JS'
const { scimPatch } = require('scim-patch');
const user = { schemas: [], userName: 'learner', emails: [{ value: 'old@example.org', primary: true }] };
const operation = { op: 'add', path: 'emails', value: [{ value: 'new@example.org', primary: true }] };
const primary = scimPatch(user, [operation]).emails.filter((email) => email.primary);
console.log(`Primary addresses: ${primary.map((email) => email.value).join(', ')}`);
process.exit(primary.length === 2 ? 0 : 1);
JS
node show.cjs
