import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ask } from '../../../../test/support/ask.ts';
import { click, play, post } from '../../../../test/support/player.ts';
import { startService } from '../../../../test/support/service.ts';
import { newCourse, newTenant } from '../../../../test/support/tenant.ts';

const service = await startService();
after(service.close);
const ours = await newTenant(service);
const CourseID = await newCourse(service);

async function enrolled(tenant = ours) {
  const LoginID = await tenant.user({ FirstName: 'Lee', LastName: 'Ann' });
  const { body } = await tenant.api('POST', `/enrol/${LoginID}/${CourseID}`);
  const address = `/enrolment/${LoginID}/${body.EnrollID}`;
  const read = async () => (await tenant.api('GET', address)).body;
  return { LoginID, address, LaunchURL: body.LaunchURL as string, EnrollID: body.EnrollID as string, read };
}

/** Opens a session through the link, and returns its return URL. */
async function returnOf(launchUrl: string): Promise<string | null> {
  return (await play(service, launchUrl)).session.ReturnURL;
}

const backs = [
  'https://shop.example/back',
  'https://shop.example/back?a=1&b=2#top',
  'https://shop.example/back?enrolment=5&key=9&returnURL=https://other.example/',
  'https://shop.example/back?x=1&enrolment=5&key=9&key=8',
  'https://shop.example/back?next=%2Fhome%3Fx%3D1&plus=a+b',
  'http://localhost:8080/',
];

test('returnURL works raw and percent-encoded, with any query string', async () => {
  assert.equal(await returnOf((await enrolled()).LaunchURL), null);
  for (const back of backs) {
    const { LaunchURL } = await enrolled();
    const address = back.split('#')[0] ?? '';
    assert.equal(await returnOf(`${LaunchURL}&returnURL=${back}`), address);
    assert.equal(await returnOf(`${LaunchURL}&returnURL=${encodeURIComponent(back)}`), back);
    assert.equal(await returnOf(`${LaunchURL}&returnURL=${encodeURIComponent(back)}&utm=1`), back);
  }
  const { LaunchURL } = await enrolled();
  assert.equal((await click(`${LaunchURL}&returnURL=https://shop.example/?q=100%`)).status, 303);
});

test('a URL that is not http(s) is not followed', async () => {
  const { LaunchURL } = await enrolled();
  for (const bad of [
    'javascript:alert(1)',
    '//evil.example',
    'data:text/html,x',
    '/back',
    'https://a:b@evil.example/',
  ])
    assert.equal(await returnOf(`${LaunchURL}&returnURL=${bad}`), null, bad);
});

test("a tenant's list of origins limits where learners can be sent", async () => {
  const tenant = await newTenant(service, {
    ReturnOrigins: ['https://lms.example', 'https://HR.example:8443'],
  });
  const { LaunchURL } = await enrolled(tenant);
  const to = (back: string) => returnOf(`${LaunchURL}&returnURL=${back}`);
  assert.equal(await to('https://lms.example/x?y=1'), 'https://lms.example/x?y=1');
  assert.equal(await to('https://hr.example:8443/'), 'https://hr.example:8443/');
  for (const bad of [
    'http://lms.example/',
    'https://lms.example.evil.example/',
    'https://lms.example:444/',
    'https://evil.example/?https://lms.example',
    'https://lms.example@evil.example/',
  ])
    assert.equal(await to(bad), null, bad);
});

test('GET and HEAD requests do not use up a link, however often they are repeated', async () => {
  const { LaunchURL, read } = await enrolled();
  const before = await read();
  for (const method of ['GET', 'HEAD', 'GET', 'HEAD']) {
    const { status, location, headers } = await click(LaunchURL, method);
    assert.equal(status, 303);
    assert.match(headers.get('cache-control') ?? '', /no-store/);
    assert.ok(location?.startsWith(`${service.contentUrl}/play/`));
    const page = await fetch(location ?? '', { method });
    assert.equal(page.status, 200);
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
  }
  assert.deepEqual(await read(), before);
  await play(service, LaunchURL);
  assert.equal((await read()).Launches, 1);
});

test('a rejected launch shows a page with the reason and an escaped return link', async () => {
  const { LaunchURL, address } = await enrolled();
  await ours.api('PUT', address, { Withdrawn: true });
  const back = `https://shop.example/?a="><script>alert(1)</script>&b='`;
  const { status, text, headers } = await click(`${LaunchURL}&returnURL=${encodeURIComponent(back)}`);
  assert.equal(status, 403);
  assert.match(headers.get('content-type') ?? '', /^text\/html/);
  assert.match(text, /withdrawn/);
  assert.ok(!text.includes('<script'));
  assert.match(text, /<a href="https:\/\/shop\.example\/\?a=[^"<>]*">/);
  assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/);
  const without = await click(`${LaunchURL}&returnURL=javascript:alert(1)`);
  assert.ok(!without.text.includes('javascript:'));
  assert.ok(!without.text.includes('<a '));
});

test("a rejected launch is explained in the browser's language if the player speaks it, or else in English", async () => {
  const { LaunchURL, address } = await enrolled();
  await ours.api('PUT', address, { Withdrawn: true });
  for (const [wanted, language, reason, leave] of [
    ['de-AT,de;q=0.9,en;q=0.5', 'de', 'zurückgezogen', 'Sie können diese Seite schließen.'],
    ['fr', 'fr', 'annulée', 'Vous pouvez fermer cette page.'],
    ['ja, fr-CA;q=0.3', 'fr', 'annulée', 'Vous pouvez fermer cette page.'],
    ['en-GB', 'en', 'withdrawn', 'You can close this page.'],
    ['ja', 'en', 'withdrawn', 'You can close this page.'],
    [','.repeat(5_000), 'en', 'withdrawn', 'You can close this page.'],
  ] as const) {
    const { text } = await click(LaunchURL, 'GET', { 'accept-language': wanted });
    assert.match(text, new RegExp(`<html lang="${language}">`), wanted);
    assert.ok(text.includes(reason) && text.includes(leave), wanted);
  }
  const { text } = await click(`${service.baseUrl}/launch`, 'GET', { 'accept-language': 'de' });
  assert.match(text, /Dieser Link funktioniert nicht/);
});

test('the reason reveals no more about the user and the course than the link does', async () => {
  const { LaunchURL, LoginID } = await enrolled();
  await ours.api('PUT', `/user/${LoginID}`, { Enabled: false });
  const { status, text } = await click(LaunchURL);
  assert.equal(status, 403);
  assert.match(text, /disabled/);
  assert.ok(!text.includes(LoginID));
});

test('a tampered or foreign link shows a page with 404', async () => {
  const one = await enrolled();
  const two = await enrolled();
  const links = [
    `${one.LaunchURL}x`,
    one.LaunchURL.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')),
    one.LaunchURL.replace(one.EnrollID, two.EnrollID),
    one.LaunchURL.replace(/key=[^.]+/, `key=${Buffer.from('test').toString('base64url')}`),
    one.LaunchURL.replace(/key=.*&/, ''),
    `${service.baseUrl}/launch`,
    `${service.baseUrl}/launch?enrolment=${one.EnrollID}&key=..`,
    `${service.baseUrl}/launch?enrolment=%00&key=%00.%00`,
    `${service.baseUrl}/launch?enrolment[]=1&key[$ne]=`,
  ];
  for (const link of links) {
    const { status, text, headers } = await click(`${link}`);
    assert.equal(status, 404, link);
    assert.match(headers.get('content-type') ?? '', /^text\/html/);
    assert.match(text, /does not work/);
  }
});

test('links are read as mail programs leave them', async () => {
  const { LaunchURL: link } = await enrolled();
  const back = 'https://shop.example/?a=1&b=2';
  const [, key, id] = /\?key=(.*)&enrolment=(.*)$/.exec(link) ?? [];
  for (const mangled of [
    ...['.', ')', ',', '>', '%20', '%20.', '&gt;', '_'].map((end) => link + end),
    link.replace('&', '&amp;'),
    link.replace('&', '&amp;amp;'),
    link.replace('/launch', '/Launch'),
    link.replace('/launch', '/LAUNCH/'),
    `${service.baseUrl}/launch?enrolment=${id}&key=${key}).`,
    `${service.baseUrl}/launch?enrolment=${id}&amp;key=${key}`,
  ])
    assert.equal((await click(mangled)).status, 303, mangled);
  assert.equal(await returnOf(`${link}&amp;returnURL=${back.replace('&', '&amp;')}`), back);
  assert.equal(await returnOf(`${link}&amp;returnURL=${encodeURIComponent(back)}`), back);
  assert.equal(await returnOf(`${link}.&returnURL=${back}&amp;c=3`), `${back}&amp;c=3`);
});

test('a browser that navigates gets a page instead of a problem document', async () => {
  const browser = { 'sec-fetch-mode': 'navigate', 'accept-language': 'de' };
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  for (const [path, status, headers] of [
    ['/launch?enrolment=%', 404, browser],
    ['/laun', 404, browser],
    ['/laun%zz', 400, browser],
    ['/laun', 404, { accept }],
    ['/user/x', 401, browser],
  ] as const) {
    // `fetch` would replace Sec-Fetch-Mode.
    const { host } = new URL(service.baseUrl);
    const page = await ask(`${service.baseUrl}${path}`, { headers: { host, ...headers } });
    assert.equal(page.status, status, path);
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/, path);
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    assert.match(await page.text(), 'accept' in headers ? /This link does not work/ : /<html lang="de">/);
  }
  const { host } = new URL(service.contentUrl);
  const content = await ask(`${service.contentUrl}/nothing`, { headers: { host, ...browser } });
  assert.match(await content.text(), /Dieser Link funktioniert nicht/);
  for (const headers of [{}, { accept: 'text/html, */*' }]) {
    const { headers: sent } = await click(`${service.baseUrl}/laun`, 'GET', headers);
    assert.match(sent.get('content-type') ?? '', /^application\/problem\+json/);
  }
});

test('pages may be framed by any origin, or by those that the tenant lists', async () => {
  const policyOf = async (address: string) =>
    (await fetch(address, { redirect: 'manual' })).headers.get('content-security-policy') ?? '';
  const open = await enrolled();
  const listed = await enrolled(await newTenant(service, { FrameOrigins: ['https://lms.example'] }));
  for (const [link, ancestors] of [
    [open.LaunchURL, 'frame-ancestors *'],
    [listed.LaunchURL, "frame-ancestors 'self' https://lms.example"],
  ] as const) {
    const { location } = await click(link);
    for (const address of [link, location ?? '']) {
      const policy = await policyOf(address);
      assert.ok(policy.endsWith(ancestors), policy);
    }
    assert.equal((await fetch(location ?? '')).headers.get('x-frame-options'), null);
  }
});

test('a ticket that is malformed or has another purpose or key opens no session', async () => {
  const { LaunchURL } = await enrolled();
  const { session } = await play(service, LaunchURL);
  for (const token of [
    session.Session,
    'x',
    'a.b',
    '%00',
    `${(await click(LaunchURL)).location?.split('/').pop()}x`,
  ]) {
    const reply = await post(`${service.contentUrl}/play/${token}/session`);
    assert.equal(reply.status, 410, token);
    assert.equal(reply.body.code, 'session_ended');
    assert.equal((await fetch(`${service.contentUrl}/play/${token}`)).status, 404);
  }
});

test('changes after the click are checked when the page opens its session', async () => {
  for (const [body, wanted] of [
    [{ Withdrawn: true }, /withdrawn/],
    [{ ExpiresAt: '2020-01-01T00:00:00Z' }, /expired/],
  ] as const) {
    const { LaunchURL, address, read } = await enrolled();
    const { location } = await click(LaunchURL);
    await ours.api('PUT', address, body);
    const reply = await post(`${location}/session`);
    assert.equal(reply.status, 403);
    assert.equal(reply.body.code, 'launch_refused');
    assert.match(reply.body.detail, wanted);
    assert.equal((await read()).Launches, 0);
  }
});

test('the session contains the learner, the course and the content to play', async () => {
  const { LaunchURL, LoginID, EnrollID } = await enrolled();
  const { session } = await play(service, LaunchURL);
  assert.deepEqual(session.Learner, { ID: LoginID, Name: 'Ann, Lee' });
  assert.equal(session.EnrollID, EnrollID);
  assert.deepEqual([session.Launch, session.NextCommit, session.Standard], [1, 1, 'web']);
  assert.equal(session.ContentPath, null);
  assert.equal(session.Tree.Units[0]?.Href, 'https://web.example/');
});
