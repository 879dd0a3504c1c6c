#!/usr/bin/env bash
# Package: @lti-tool/core 1.0.6
# A good guess: getMembers returns everybody in the course. A platform may send a page at a time, with the address of the
# next one in a Link header (LTI Names and Role Provisioning Services 2.0).
# What happens: it asks once and returns the members of the first page, without a sign that there are more. For this
# and for two scores in a row, it also requests an access token each time, although the platform says that the first is
# valid for an hour.
# Why it matters: a tool that is enrolled from this list misses people in large courses, and one that removes whoever is
# not listed removes them. A platform that limits the requests for tokens limits the scores of a class that finishes
# together. Who provides a course to such tools sends as many members as possible in one page.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --ignore-scripts --silent --prefix . @lti-tool/core@1.0.6 esbuild@0.25.0
cat > show.mjs <<'JS'
import { LTITool } from '@lti-tool/core';

const lms = 'https://lms.example';
const asked = [];
const member = (n) => ({ user_id: String(n), roles: ['Learner'], status: 'Active', name: `Learner ${n}` });
globalThis.fetch = async (address, { headers = {} } = {}) => {
  const { pathname, search } = new URL(address);
  asked.push(pathname + search);
  if (pathname === '/token')
    return Response.json({ access_token: `t${asked.length}`, token_type: 'Bearer', expires_in: 3600 });
  if (pathname !== '/members') return new Response(null, { status: 204 });
  const isFirst = search === '';
  return Response.json(
    { id: lms, context: { id: '7' }, members: isFirst ? [member(1), member(2)] : [member(3)] },
    { headers: isFirst ? { link: `<${lms}/members?page=2>; rel="next"` } : {} },
  );
};
const keyPair = await crypto.subtle.generateKey(
  { name: 'RSASSA-PKCS1-v1_5', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' },
  true,
  ['sign', 'verify'],
);
const tool = new LTITool({
  keyPair,
  stateSecret: new Uint8Array(32),
  storage: { getLaunchConfig: async () => ({ iss: lms, clientId: 'tool', deploymentId: '1', tokenUrl: `${lms}/token` }) },
});
const session = {
  id: 's',
  platform: { issuer: lms, clientId: 'tool', deploymentId: '1' },
  services: { nrps: { membershipUrl: `${lms}/members` }, ags: { lineitem: `${lms}/item`, lineitems: `${lms}/items`, scopes: [] } },
  user: { id: '1' },
};
const names = (await tool.getMembers(session)).map(({ name }) => name);
const score = { userId: '1', scoreGiven: 80, scoreMaximum: 100, activityProgress: 'Completed', gradingProgress: 'FullyGraded' };
for (let n = 0; n < 2; n++) await tool.submitScore(session, score);
console.log(`members: ${names.join(', ')}`);
console.log(`asked: ${asked.join(' ')}`);
const isAsSaid =
  names.join() === 'Learner 1,Learner 2' &&
  asked.join() === '/token,/members,/token,/item/scores,/token,/item/scores';
process.exit(isAsSaid ? 0 : 1);
JS
npx esbuild show.mjs --bundle --platform=node --format=esm --outfile=bundle.mjs --log-level=error
node bundle.mjs
