import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { measureDuring } from '../../../../test/support/honest-client.ts';
import { slackSeconds } from '../../../../test/support/until.ts';
import { AddressRejected, resolveChecked, resolveHost } from './addresses.ts';

/**
 * A name server that answers every A query with `address`, except for names that begin with `slow`, to which it does
 * not respond.
 */
async function startNameServer(address: [number, number, number, number]): Promise<[Socket, string]> {
  const server = createSocket('udp4');
  server.on('message', (query, { port, address: from }) => {
    const isSlow = query.subarray(13).toString('latin1').startsWith('slow');
    if (isSlow) return;
    const type = query.readUInt16BE(query.indexOf(0, 12) + 1);
    const question = query.subarray(12, query.indexOf(0, 12) + 5);
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(type === 1 ? 1 : 0, 6);
    header.writeUInt32BE(0, 8);
    const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address]);
    server.send(Buffer.concat([header, question, ...(type === 1 ? [record] : [])]), port, from);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  return [server, `127.0.0.1:${(server.address() as AddressInfo).port}`];
}

const [server, place] = await startNameServer([93, 184, 216, 34]);
after(() => server.close());

test('100 names with unresponsive name servers do not delay other names and fail after 5 s', async () => {
  const begun = performance.now();
  const slow = Promise.allSettled(
    Array.from({ length: 100 }, (_, nth) => resolveHost(`slow-${nth}.example`, [place])),
  );
  const { longestWait, requests } = await measureDuring(async () => {
    assert.deepEqual(await resolveHost('good.example', [place]), [{ address: '93.184.216.34', family: 4 }]);
  }, slow);
  assert.ok(requests > 20 && longestWait < 1_000, `${requests} look-ups, ${longestWait} ms`);
  for (const { status } of await slow) assert.equal(status, 'rejected');
  assert.ok(performance.now() - begun < (5 + slackSeconds) * 1_000);
});

test("localhost and names listed by the operator use the system's resolver, and all others use DNS", async () => {
  for (const name of ['localhost', 'printer.localhost', 'broadcasthost'])
    await assert.rejects(
      resolveChecked({ webhookAllow: [] }, name),
      name === 'localhost' ? AddressRejected : Error,
    );
  const { addresses, allowed } = await resolveChecked({ webhookAllow: ['localhost'] }, 'localhost');
  assert.ok(allowed && addresses.length > 0);
});
