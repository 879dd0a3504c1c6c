import assert from 'node:assert/strict';
import { chmod, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { movableClock } from '../../../test/support/clock.ts';
import { otherNode, serve } from '../../../test/support/nodes.ts';
import { startService } from '../../../test/support/service.ts';
import {
  browser,
  press,
  signInOperator,
  signInUser,
  tokenOf,
  useLink,
} from '../../../test/support/sign-in.ts';
import { expectProblem, expectStatus, newTenant } from '../../../test/support/tenant.ts';
import { scopes } from '../../infra/context/scopes.ts';
import { noBranding } from '../tenants/branding.ts';
import { createOperatorLink } from './operator-links.ts';

// The operator's sign-in links are files, and anyone who can write to the folder can act as the operator.

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
const { ctx } = service;
const folder = join(ctx.config.dataDir, 'sign-in');

const newLink = async () => (await createOperatorLink(ctx)).SignInURL;
const session = (cookie: string, method = 'GET', query = '') =>
  browser(service, cookie)(method, `/session${query}`);

test('a link signs the operator in once, and opening its page does not use it up', async () => {
  const { SignInURL, ExpiresAt } = await createOperatorLink(ctx);
  assert.equal(Math.round((Date.parse(ExpiresAt) - clock.now().getTime()) / 1000), 600);
  for (let n = 0; n < 3; n++) {
    const page = await fetch(SignInURL);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /<form method="post" action="\/session\/sign-in">.*<button>/);
  }
  assert.equal((await press(service, SignInURL, { 'sec-fetch-site': 'same-site' })).status, 403);
  const pressed = await press(service, SignInURL);
  assert.equal(pressed.status, 303);
  assert.equal(pressed.headers.get('location'), '/console/');
  const cookie = pressed.headers.get('set-cookie') ?? '';
  assert.match(cookie, /^lectern_session=\.[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
  const reply = await session(cookie.split(';')[0] ?? '');
  expectStatus(reply, 200);
  const { Now: _, SignedInAt, IdleUntil, ExpiresAt: end, ...who } = reply.body;
  assert.deepEqual(who, {
    Role: 'operator',
    TenantID: null,
    TenantName: null,
    TimeZone: null,
    LoginID: null,
    FirstName: null,
    LastName: null,
    Scopes: [...scopes],
    Branding: noBranding,
    NextStep: null,
    SignOutURL: null,
  });
  assert.equal(Date.parse(end) - Date.parse(SignedInAt), 12 * 3_600_000);
  assert.ok(Date.parse(IdleUntil) < Date.parse(end));
  assert.equal((await press(service, SignInURL)).status, 410);
  assert.equal((await fetch(SignInURL)).status, 410);
});

test('when a link is used concurrently on two nodes, it signs the operator in only once', async () => {
  const token = tokenOf(await newLink());
  const nodes = [await serve(ctx), await serve(otherNode(ctx))];
  const request = { method: 'POST', url: '/session/sign-in', payload: { token } } as const;
  /** On a slow machine, a request can wait too long for the row of the link. */
  const patiently = async (node: (typeof nodes)[0]): Promise<number> => {
    const { statusCode } = await node.api.inject(request);
    return statusCode === 503 ? patiently(node) : statusCode;
  };
  const statuses = await Promise.all([...nodes, ...nodes, ...nodes, ...nodes].map(patiently));
  await Promise.all(nodes.map((node) => node.close()));
  assert.deepEqual(statuses.sort(), [303, ...Array(7).fill(410)]);
});

test('a link expires after ten minutes and is removed later', async () => {
  const before = await readdir(folder);
  const url = await newLink();
  const name = (await readdir(folder)).find((name) => !before.includes(name)) ?? '';
  clock.advance({ minutes: 9 });
  assert.equal((await fetch(url)).status, 200);
  clock.advance({ minutes: 2 });
  assert.equal((await fetch(url)).status, 410);
  assert.equal((await press(service, url)).status, 410);
  assert.ok((await readdir(folder)).includes(name));
  await newLink();
  assert.ok(!(await readdir(folder)).includes(name));
});

test('only the owner can read the folder, which contains only hashes', async () => {
  await newLink();
  await chmod(folder, 0o777);
  const { SignInURL } = await createOperatorLink(ctx);
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
  const secret = tokenOf(SignInURL).slice(1);
  const { uid } = await stat(ctx.config.dataDir);
  for (const name of await readdir(folder)) {
    const { mode, uid: owner } = await stat(join(folder, name));
    assert.deepEqual([mode & 0o777, owner], [0o600, uid]);
    assert.ok(!name.includes(secret) && !(await readFile(join(folder, name), 'utf8')).includes(secret));
  }
  const cookie = await useLink(service, SignInURL);
  const { rows } = await sql<{ row: string }>`
    select to_jsonb(operator_session)::text as row from operator_session`.execute(ctx.db);
  assert.ok(rows.length > 0);
  for (const { row } of rows) assert.ok(!row.includes(cookie.split('.')[1] ?? ''));
});

test('a link file without an expiry time is not accepted', async () => {
  const url = await newLink();
  const names = await readdir(folder);
  for (const text of ['', 'for ever', 'Infinity']) {
    for (const name of names) {
      await writeFile(join(folder, name), text);
      await utimes(join(folder, name), clock.now(), clock.now());
    }
    assert.equal((await press(service, url)).status, 410);
  }
  await newLink();
  for (const name of names)
    assert.ok((await readdir(folder)).includes(name), 'another process may be about to write it');
  const old = new Date(Date.now() - 86_400_000);
  for (const name of names) await utimes(join(folder, name), old, old);
  await newLink();
  for (const name of names) assert.ok(!(await readdir(folder)).includes(name));
});

test('an operator session ends after a period of inactivity, and after twelve hours at the latest', async () => {
  const idle = await signInOperator(service);
  clock.advance({ minutes: 31 });
  expectProblem(await session(idle), 401, 'signed_out');
  const used = await signInOperator(service);
  for (let n = 0; n < 28; n++) {
    clock.advance({ minutes: 25 });
    expectStatus(await session(used), 200);
  }
  clock.advance({ minutes: 25 });
  expectProblem(await session(used), 401, 'signed_out');
});

test('signing out ends the current session, or all operator sessions but no user session', async () => {
  const tenant = await newTenant(service);
  const user = await signInUser(service, tenant, await tenant.user());
  const [here, there, elsewhere] = [
    await signInOperator(service),
    await signInOperator(service),
    await signInOperator(service),
  ];
  expectStatus(await session(here, 'DELETE'), 204);
  expectProblem(await session(here), 401, 'signed_out');
  expectStatus(await session(there), 200);
  const waiting = await newLink();
  expectStatus(await session(here, 'DELETE', '?Everywhere=true'), 204);
  expectStatus(await session(there), 200);
  expectStatus(await session(there, 'DELETE', '?Everywhere=true'), 204);
  for (const cookie of [there, elsewhere]) expectProblem(await session(cookie), 401, 'signed_out');
  assert.equal((await press(service, waiting)).status, 410);
  expectStatus(await session(user), 200);
});

test("a session that has ended does not end the operator's other sessions", async () => {
  const ended = await signInOperator(service);
  clock.advance({ minutes: 31 });
  const current = await signInOperator(service);
  expectStatus(await session(ended, 'DELETE', '?Everywhere=true'), 204);
  expectStatus(await session(current), 200);
});

test("a user's token does not work as an operator's", async () => {
  const tenant = await newTenant(service);
  const cookie = await signInUser(service, tenant, await tenant.user({ IsAdmin: true }));
  const [, secret] = cookie.split('.');
  expectProblem(await session(`lectern_session=.${secret}`), 401, 'signed_out');
  const made = await tenant.api('POST', `/user/session/${await tenant.user()}`);
  const [, link] = tokenOf(made.body.SignInURL).split('.');
  assert.equal((await fetch(`${service.baseUrl}/session/sign-in?token=.${link}`)).status, 410);
});
