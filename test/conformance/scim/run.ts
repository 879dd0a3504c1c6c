// Drives the service with scim-node, a SCIM client of the Gluu Federation. Install it in a folder outside the project:
//   npm install --ignore-scripts scim-node@2.2.2 && npm run conformance -- scim FOLDER
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { directory } from '../../../server/test/support/scim.ts';
import { startService } from '../../../server/test/support/service.ts';

const [folder] = process.argv.slice(2);
if (!folder) {
  console.error('Enter the path of a folder in which scim-node is installed.');
  process.exit(1);
}
type Call = (...values: unknown[]) => Promise<string>;
type Client = Record<'getUsers' | 'getUser' | 'addUser' | 'editUser' | 'removeUser', Call> &
  Record<'getGroups' | 'getGroup' | 'addGroup' | 'editGroup' | 'removeGroup', Call>;
const open = createRequire(resolve(folder, 'package.json'))('scim-node') as (config: object) => {
  scim2: Client;
};

const service = await startService();
const { tenant, secret } = await directory(service);

/** The client signs in by UMA and expects Gluu's paths. Apart from that, requests and answers are passed on unchanged. */
const gateway = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const { url = '', method = 'GET', headers } = request;
  const json = (body: object) =>
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
  if (url.startsWith('/.well-known/')) return json({ token_endpoint: `http://${headers.host}/token` });
  if (url === '/token') return json({ access_token: secret });
  const path = url.replace(/^\/identity\/restv1(\/scim\/v2)?/, '/scim/v2');
  const isOpen = /ServiceProviderConfig|ResourceTypes/.test(url);
  if (!isOpen && !headers.authorization)
    return response.writeHead(401, { 'WWW-Authenticate': 'UMA ticket="t", as_uri="u"' }).end();
  const reply = await fetch(service.baseUrl + path, {
    method,
    headers: {
      authorization: headers.authorization ?? `Bearer ${secret}`,
      ...(chunks.length > 0 && { 'content-type': headers['content-type'] ?? '' }),
    },
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  });
  const text = await reply.text();
  if (!url.includes('ResourceTypes')) return response.writeHead(reply.status).end(text);
  const types = JSON.parse(text);
  const others = ['FidoDevice', 'Fido2Device'].map((id) => ({ id, endpoint: `/${id}` }));
  return json({ ...types, Resources: [...types.Resources, ...others] });
});
gateway.listen(0, '127.0.0.1');
await once(gateway, 'listening');

const keys = mkdtempSync(join(tmpdir(), 'lectern-scim-'));
const privateKey = join(keys, 'key.pem');
const { privateKey: key } = generateKeyPairSync('rsa', { modulusLength: 2048 });
writeFileSync(privateKey, key.export({ type: 'pkcs8', format: 'pem' }));
const { port } = gateway.address() as AddressInfo;
const { scim2: client } = open({
  ...{ domain: `http://127.0.0.1:${port}`, clientId: 'lectern', keyAlg: 'RS256', keyId: 'key', privateKey },
});

const body = (text: string) => JSON.parse(text);
const user = async () => (await tenant.api('GET', '/user/kim')).body;
const steps: Record<string, () => Promise<void>> = {};
let [userId, groupId] = ['', ''];
steps['adds a user'] = async () => {
  const made = body(
    await client.addUser({ userName: 'kim', active: true, name: { givenName: 'Kim', familyName: 'K' } }),
  );
  userId = made.id;
  assert.equal((await user()).FirstName, 'Kim');
};
steps['finds, counts and reads users'] = async () => {
  assert.equal(body(await client.getUsers(1, 10, 'userName eq "KIM"')).Resources[0].id, userId);
  assert.equal(body(await client.getUser(userId, null)).userName, 'kim');
};
steps['edits and disables a user'] = async () => {
  await client.editUser(userId, { userName: 'kim', name: { familyName: 'Kay' }, active: false });
  const { FirstName, LastName, Enabled } = await user();
  assert.deepEqual([FirstName, LastName, Enabled], ['Kim', 'Kay', false]);
};
steps['adds, fills and reads a group'] = async () => {
  groupId = body(await client.addGroup({ displayName: 'Sales', members: [] })).id;
  await client.editGroup(groupId, { displayName: 'Sales', members: [{ value: userId }] });
  assert.equal(body(await client.getGroup(groupId, null)).members[0].value, userId);
  assert.equal(body(await client.getGroups(1, 10, 'displayName eq "sales"')).totalResults, 1);
  assert.equal((await user()).GroupName, 'Sales');
};
steps['removes group and user'] = async () => {
  await client.removeGroup(groupId);
  assert.equal((await user()).GroupName, null);
  await client.removeUser(userId);
  assert.equal((await user()).Enabled, false);
};

let failed = 0;
for (const [name, step] of Object.entries(steps))
  await step().then(
    () => console.log(`✔ ${name}`),
    (error: unknown) => {
      failed++;
      console.log(`✖ ${name}\n    ${String(error).slice(0, 500)}`);
    },
  );
gateway.close();
gateway.closeAllConnections();
rmSync(keys, { recursive: true });
await service.close();
process.exit(failed === 0 ? 0 : 1);
