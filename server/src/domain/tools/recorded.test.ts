import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { decodeJwt, exportSPKI, generateKeyPair, SignJWT } from 'jose';
import { movableClock } from '../../../test/support/clock.ts';
import { play, post } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import { expectStatus, newTenant, unique } from '../../../test/support/tenant.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(() => service.close());

type Recorded = {
  authentication: Record<string, string>;
  requests: {
    method: string;
    url: string;
    headers: Record<string, string>;
    body?: string;
    form?: Record<string, string>;
    header?: { alg: string };
    /** `exp` counts from the time of the request. */
    assertion?: { exp: number };
    status: number;
  }[];
};

/** What a tool sent to Lectern, with the values of this test in place of those of the recording. */
function readRecorded(name: string, values: Record<string, string>): Recorded {
  const folder = join(import.meta.dirname, '../../../test/support/recorded');
  const text = readFileSync(join(folder, `${name}.json`), 'utf8');
  return JSON.parse(text.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? name));
}

for (const name of ['pylti1p3-2.0', 'lti-tool-core-1.0'])
  test(`requests recorded from ${name} launch it, and send its score`, async () => {
    const { api, user } = await newTenant(service);
    const { privateKey, publicKey } = await generateKeyPair('RS256');
    const CourseID = unique('tool');
    const made = await api('PUT', `/course/${CourseID}/tool`, {
      ...{ LoginURL: 'https://tool.example.com/login', TargetLinkURI: 'https://tool.example.com/launch' },
      ...{ PublicKey: await exportSPKI(publicKey), PassingScore: 70 },
    });
    expectStatus(made, 201);
    const LoginID = await user();
    const { EnrollID, LaunchURL } = (await api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
    const { session } = await play(service, LaunchURL);
    const opened = await post(`${service.contentUrl}/play/${session.Session}/au`, { UnitID: 'tool' });
    const started = await fetch(opened.body.URL, { redirect: 'manual' });
    const asked = new URL(started.headers.get('location') ?? '').searchParams;
    const { AuthURL, TokenURL, ClientID, Issuer } = made.body.Registration;
    const values = { TokenURL, ClientID, Issuer, CourseID, Hint: asked.get('lti_message_hint') ?? '' };
    const { authentication } = readRecorded(name, values);
    const answer = await fetch(`${AuthURL}?${new URLSearchParams(authentication)}`);
    const [, token = ''] = /name="id_token" value="([^"]+)"/.exec(await answer.text()) ?? [];
    const { sub, ...claims } = decodeJwt(token);
    assert.deepEqual([claims.nonce, claims.aud], [authentication.nonce, ClientID]);
    const { lineitems } = claims['https://purl.imsglobal.org/spec/lti-ags/claim/endpoint'] as {
      lineitems: string;
    };
    const Course = lineitems.replace('/lineitems', '');
    let access = '';
    const { requests } = readRecorded(name, { ...values, Course, Learner: String(sub) });
    for (const { method, url, headers, body, form, header, assertion, status } of requests) {
      clock.advance({ seconds: 1 });
      const seconds = Math.floor(clock.now().getTime() / 1000);
      const signed =
        header &&
        (await new SignJWT({ ...assertion, iat: seconds, exp: seconds + (assertion?.exp ?? 0) })
          .setProtectedHeader(header)
          .sign(privateKey));
      const sent = signed ? new URLSearchParams({ ...form, client_assertion: signed }) : body;
      const authorization = signed ? {} : { authorization: `Bearer ${access}` };
      const reply = await fetch(url, {
        ...{ method, headers: { ...headers, ...authorization } },
        ...(sent !== undefined && { body: sent }),
      });
      const text = await reply.text();
      assert.equal(reply.status, status, `${method} ${url}: ${text}`);
      if (signed && status === 200) access = JSON.parse(text).access_token;
      else if (method === 'GET' && !url.endsWith('/lineitems/result'))
        assert.equal(JSON.parse(text).length ?? 1, 1);
    }
    const { Status, Score, Success } = (await api('GET', `/enrolment/${LoginID}/${EnrollID}`)).body;
    assert.deepEqual([Status, Score, Success], ['completed', 80, 'passed']);
  });
