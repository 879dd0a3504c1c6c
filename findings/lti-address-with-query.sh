#!/usr/bin/env bash
# Packages: @lti-tool/core 1.0.6 and @atomicjolt/lti-server 3.3.2
# A good guess: a platform may give its line items and its list of members addresses with a query, as Moodle does. Tools
# then put /scores before the query and keep the query (LTI Assignment and Grade Services 2.0, score service).
# What happens: the session of @lti-tool/core has the line item without its query. @atomicjolt/lti-server adds /scores
# after the query, a second question mark to the list of line items, and removes the query from the list of members.
# Why it matters: where the query says which line item or course it is, scores and members of all courses go to one
# address, or to none. A platform that wants to work with these tools puts everything into the path.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --ignore-scripts --silent --prefix . @lti-tool/core@1.0.6 \
  @atomicjolt/lti-server@3.3.2 @atomicjolt/lti-types@1.2.7 esbuild@0.25.0
cat > show.mjs <<'JS'
import { fetchMemberships, listLineItems, sendScore } from '@atomicjolt/lti-server';
import { createSession } from './node_modules/@lti-tool/core/dist/services/session.service.js';

const asked = [];
globalThis.fetch = async (url) => {
  asked.push(String(url));
  return Response.json({ context: { id: '7' }, members: [] });
};
const item = 'https://lms.example/lineitem?id=42';
const { services } = createSession({
  iss: 'https://lms.example',
  aud: 'tool',
  sub: 'ada',
  'https://purl.imsglobal.org/spec/lti-ags/claim/endpoint': { lineitem: item, scope: [] },
});
await sendScore('token', item, {});
await listLineItems('token', 'https://lms.example/lineitems?course=7', { limit: '10' });
await fetchMemberships('token', 'https://lms.example/members?course=7');
const seen = [services.ags.lineitem, ...asked];
console.log(seen.join('\n'));
const expected = [
  'https://lms.example/lineitem',
  'https://lms.example/lineitem?id=42/scores',
  'https://lms.example/lineitems?course=7?limit=10',
  'https://lms.example/members',
];
process.exit(seen.join() === expected.join() ? 0 : 1);
JS
npx esbuild show.mjs --bundle --platform=node --format=esm --outfile=bundle.mjs --log-level=error
node bundle.mjs
