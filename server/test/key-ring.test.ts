import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { Webhook as Verifier } from 'standardwebhooks';
import {
  writePreviewLink,
  writePreviewSession,
  writePreviewTicket,
} from '../src/domain/delivery/player/preview-tokens.ts';
import { writeSession, writeTicket } from '../src/domain/delivery/player/tokens.ts';
import { launchUrl } from '../src/domain/enrolments/record/record.ts';
import { encryptSecrets, openSecret } from '../src/domain/events/webhooks/secrets.ts';
import { writeAccessToken } from '../src/domain/identity/access-token.ts';
import { once } from '../src/infra/calls/once.ts';
import type { Context } from '../src/infra/context/context.ts';
import { scopes } from '../src/infra/context/scopes.ts';
import { type KeyRing, keyedHash, newKey, openKey } from '../src/infra/keys/key-ring.ts';
import { newId } from '../src/lib/ids.ts';
import { otherNode } from './support/nodes.ts';
import { click, play, post } from './support/player.ts';
import { startService } from './support/service.ts';
import { expectStatus, newCourse, newTenant } from './support/tenant.ts';
import { startReceiver } from './support/webhooks.ts';

const receiver = await startReceiver();
const service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1' } });
after(async () => {
  await service.close();
  await receiver.kill();
});
const { ctx } = service;

/** A ring with a new key in front of the existing ones. */
function rotated({ keys, hashKey }: KeyRing): KeyRing {
  return { keys: [openKey(newKey(new Date())), ...keys], hashKey };
}

/** An attacker who has a copy of the database and uses their own key under the ID found there. */
function attacker(): Context {
  const key = openKey({ ...newKey(new Date()), id: ctx.keys.keys[0].id });
  return { ...ctx, keys: { keys: [key], hashKey: key } };
}

async function enrolled() {
  const tenant = await newTenant(service);
  const courseId = await newCourse(service, { URL: 'https://web.example/' });
  const LoginID = await tenant.user();
  const { body } = await tenant.api('POST', `/enrol/${LoginID}/${courseId}`, {});
  const { EnrollID, LaunchURL } = body;
  return { tenant, courseId, LoginID, EnrollID, LaunchURL };
}

test('a copy of the database is not enough to forge links, tickets, sessions, previews, access tokens or keyed hashes', async () => {
  const { tenant, courseId, EnrollID, LaunchURL } = await enrolled();
  const { session } = await play(service, LaunchURL);
  const handle = { tenantId: tenant.TenantID, enrollId: EnrollID, courseId };
  const link = { courseId, release: null, tenantId: null, at: ctx.now().getTime() };
  const caller = { keyId: tenant.keyId, tenantId: null, scopes: [...scopes] };

  /**
   * Creates each kind of credential with this context's keys, and returns the status of a request that uses
   * it.
   */
  const credentials = async (ctx: Context): Promise<Record<string, number>> => {
    const at = `${service.contentUrl}/play`;
    const ticket = writeTicket(ctx, { ...handle, returnUrl: null });
    const preview = writePreviewTicket(ctx, { ...link, returnUrl: null });
    const previewed = { ...link, releaseId: null, until: ctx.now().getTime() + 60_000 };
    const commit = { Number: session.NextCommit, UnitID: 'x', Data: {} };
    const access = await writeAccessToken(ctx, caller);
    return {
      link: (await click(launchUrl(ctx, handle))).status,
      ticket: (await post(`${at}/${ticket}/session`)).status,
      session: (
        await post(
          `${at}/${writeSession(ctx, { ...handle, launch: 2, launchId: newId(ctx.now()) })}/commit`,
          commit,
        )
      ).status,
      preview: (await click(`${service.contentUrl}/preview?ticket=${writePreviewLink(ctx, link)}`)).status,
      previewTicket: (await post(`${at}/${preview}/session`)).status,
      previewSession: (await click(`${at}/${writePreviewSession(ctx, previewed)}/alive`)).status,
      accessToken: (await service.api('GET', '/tenant', undefined, access)).status,
    };
  };
  const forged = await credentials(attacker());
  for (const [credential, status] of Object.entries(forged))
    assert.ok([401, 403, 404, 410].includes(status), `${credential}: ${status}`);
  const genuine = await credentials(ctx);
  for (const [credential, status] of Object.entries(genuine))
    assert.notEqual(
      status,
      forged[credential],
      `${credential}: the same request succeeds with valid credentials`,
    );
  for (const purpose of ['erasure', 'guess', 'origin'] as const)
    assert.notEqual(keyedHash(attacker().keys, purpose, 'ann'), keyedHash(ctx.keys, purpose, 'ann'));
});

test('a copy of the database is not enough to decrypt stored responses or webhook secrets', async () => {
  const { tenant } = await enrolled();
  const tenantCtx = { ...ctx, tenantId: tenant.TenantID };
  const asked = { key: 'order-1', request: 'POST /user {}', about: null };
  const response = (value: string) => async () => async () => value;
  await once(tenantCtx, asked, response('the secret answer'));
  const replayed = await once(tenantCtx, asked, response('again'));
  assert.deepEqual(replayed, { outcome: { value: 'the secret answer' }, replayed: true });
  const guessed = await once({ ...attacker(), tenantId: tenant.TenantID }, asked, response('nothing'));
  const nothing = { value: 'nothing' };
  assert.deepEqual(guessed.outcome, nothing, 'even with the key and the request that the client sent');

  const { body: hook } = await tenant.api('POST', '/webhook', { URL: receiver.url });
  const { rows } = await sql<{ tenant_id: string; webhook_id: string; secret: string }>`
    select tenant_id, webhook_id, secret from webhook where tenant_id = ${tenant.TenantID}`.execute(ctx.db);
  const [row] = rows;
  assert.ok(row && !JSON.stringify(row).includes(hook.Secret.slice('whsec_'.length)));
  assert.equal(openSecret(ctx, row, row.secret), hook.Secret);
  assert.throws(() => openSecret(attacker(), row, row.secret));
  const elsewhere = { ...row, tenant_id: 'another' };
  assert.throws(() => openSecret(ctx, elsewhere, row.secret), 'a secret cannot be moved to another endpoint');
});

test('after a rotation, existing credentials stay valid, and new credentials contain the ID of the new key', async () => {
  const { tenant, LoginID, EnrollID, LaunchURL } = await enrolled();
  const grant = { grant_type: 'client_credentials', client_id: tenant.keyId, client_secret: tenant.key };
  const { access_token } = (await service.api('POST', '/oauth/token', grant)).body;
  const { body: hook } = await tenant.api('POST', '/webhook', { URL: receiver.url });
  const again = { 'idempotency-key': 'the same before and after' };
  const first = await tenant.api('POST', '/user', { LoginID: 'ann' }, again);
  const gone = await tenant.user();
  const { ReceiptID } = (await tenant.api('DELETE', `/user/${gone}`)).body;
  const open = await play(service, LaunchURL);
  const before = ctx.keys.keys[0].id;
  Object.assign(ctx.keys, rotated(ctx.keys));
  const now = ctx.keys.keys[0].id;

  assert.equal((await click(LaunchURL)).status, 303);
  assert.equal(await open.alive(), 204);
  expectStatus(await service.api('GET', '/user', undefined, access_token), 200);
  const replayed = await tenant.api('POST', '/user', { LoginID: 'ann' }, again);
  assert.equal(replayed.headers.get('idempotency-replayed'), 'true');
  assert.deepEqual(replayed.body, first.body);
  assert.equal((await tenant.api('DELETE', `/user/${gone}`)).body.ReceiptID, ReceiptID);

  const { LaunchURL: renewed } = (await tenant.api('GET', `/enrolment/${LoginID}/${EnrollID}`)).body;
  assert.ok(LaunchURL.includes(`.${before}.`) && renewed.includes(`.${now}.`), renewed);
  assert.equal((await click(renewed)).status, 303);

  expectStatus(await tenant.api('POST', `/webhook/${hook.WebhookID}/ping`), 200);
  const counts = await Promise.all([encryptSecrets(ctx), encryptSecrets(otherNode(ctx))]);
  assert.ok(Math.max(...counts) > 0);
  assert.equal(await encryptSecrets(ctx), 0);
  const { keys, hashKey } = ctx.keys;
  Object.assign(ctx.keys, { keys: keys.slice(0, 1), hashKey: keys[0] });
  const sent = receiver.received.length;
  expectStatus(await tenant.api('POST', `/webhook/${hook.WebhookID}/ping`), 200);
  const [ping] = receiver.received.slice(sent);
  new Verifier(hook.Secret).verify(ping?.text ?? '', ping?.headers as Record<string, string>);
  assert.equal((await click(LaunchURL)).status, 404, 'the key was removed');
  expectStatus(await service.api('GET', '/user', undefined, access_token), 401);
  assert.equal((await click(renewed)).status, 303);
  Object.assign(ctx.keys, { keys, hashKey });
});

test('a missing key that is still needed to decrypt secrets is reported', async () => {
  const { tenant } = await enrolled();
  await tenant.api('POST', '/webhook', { URL: receiver.url });
  const key = openKey(newKey(new Date()));
  const without: Context = { ...ctx, keys: { keys: [key], hashKey: key } };
  await assert.rejects(
    encryptSecrets(without),
    /which is not in the key ring. Add the key again, and start the service once/,
  );
});
