import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { importAicc } from '../../../../../test/support/aicc.ts';
import { ask } from '../../../../../test/support/ask.ts';
import { startService } from '../../../../../test/support/service.ts';
import { expectProblem, newTenant } from '../../../../../test/support/tenant.ts';

const service = await startService();
after(service.close);
const { api, user } = await newTenant(service);
const { port } = new URL(service.contentUrl);
const course = await importAicc(service);

/** Opens the unit of a course on a service whose content origin has this URL. */
async function open(contentUrl: string) {
  const original = service.ctx.config.contentUrl;
  Object.assign(service.ctx.config, { contentUrl });
  const { host } = new URL(contentUrl);
  const call = async (path: string, body?: object) => {
    const json = body ? { 'content-type': 'application/json' } : {};
    const response = await ask(`http://127.0.0.1:${port}${path}`, {
      ...{ method: 'POST', headers: { host, ...json } },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  try {
    const { LaunchURL } = (await api('POST', `/enrol/${await user()}/${course}`)).body;
    const { headers } = await ask(LaunchURL);
    const { body } = await call(`${new URL(headers.get('location') ?? '').pathname}/session`);
    const { Session } = body as { Session: string };
    return await call(`/play/${Session}/au`, { UnitID: 'A1' });
  } finally {
    Object.assign(service.ctx.config, { contentUrl: original });
  }
}

for (const contentUrl of ['http://courses.example', 'http://192.0.2.7:8080', 'http://localhost.example'])
  test(`AICC units are not opened on ${contentUrl}, because the session ID would be sent in plain text`, async () => {
    expectProblem(await open(contentUrl), 409, 'course_not_playable');
  });

for (const contentUrl of ['https://courses.example', `http://courses.localhost:${port}`])
  test(`AICC units are opened on ${contentUrl}`, async () => {
    const { status, body } = await open(contentUrl);
    assert.equal(status, 201);
    const url = new URL((body as { URL: string }).URL).searchParams.get('AICC_URL') ?? '';
    assert.equal(new URL(url).origin, contentUrl);
  });
