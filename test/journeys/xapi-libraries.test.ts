import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { contentOf, newContext, openPage } from '../../server/test/support/browser.ts';
import { packFiles } from '../../server/test/support/packages.ts';
import { startService } from '../../server/test/support/service.ts';
import { au, courseStructure } from '../../standards/cmi5/test-support.ts';

const require = createRequire(import.meta.url);
const script = (name: string) => readFile(require.resolve(name), 'utf8');
let service: Awaited<ReturnType<typeof startService>>;

const buttons = (...names: string[]) => names.map((name) => `<button id="${name}">${name}</button>`).join('');
const unit = (scripts: string, body: string) =>
  `<!doctype html><title>Unit</title><p id="said"></p>${scripts}<script>
const said = (text) => { document.getElementById('said').textContent = text; };
const on = (id, act) => { document.getElementById(id).onclick = async () => {
  try { await act(); said(id + ' done'); } catch (error) { said(id + ' failed'); }
}; };
${body}</script>`;

/** ADL's wrapper appends \`statements\` to the endpoint. With cmi5, the page sets the token itself. */
const wrapperUnit = unit(
  `<script src="xapiwrapper.min.js"></script>${buttons('begin', 'complete')}`,
  `const launch = Object.fromEntries(new URLSearchParams(location.search));
const actor = JSON.parse(launch.actor);
let template;
const read = (path, query) => ADL.XHR_request(ADL.XAPIWrapper.lrs, launch.endpoint + path + '?' + new URLSearchParams(query), 'GET', null, 'Basic ' + launch.token, null, null, false, null, false);
const send = (verb, result) => new Promise((resolve, reject) => ADL.XAPIWrapper.sendStatement({
  id: ADL.ruuid(), timestamp: new Date().toISOString(), actor, verb: { id: 'http://adlnet.gov/expapi/verbs/' + verb },
  object: { id: launch.activityId }, result,
  context: { ...template, registration: launch.registration, contextActivities: { ...template.contextActivities,
    category: [{ id: 'https://w3id.org/xapi/cmi5/context/categories/cmi5' }, ...(result ? [{ id: 'https://w3id.org/xapi/cmi5/context/categories/moveon' }] : [])] } },
}, (xhr) => xhr.status < 300 ? resolve() : reject(xhr)));
on('begin', async () => {
  launch.token = (await (await fetch(launch.fetch, { method: 'POST' })).json())['auth-token'];
  ADL.XAPIWrapper.changeConfig({ endpoint: launch.endpoint, auth: 'Basic ' + launch.token });
  template = ADL.XAPIWrapper.getState(launch.activityId, actor, 'LMS.LaunchData', launch.registration).contextTemplate;
  try { ADL.XAPIWrapper.getAgentProfile(actor, 'cmi5LearnerPreferences'); } catch {}
  await send('initialized');
});
on('complete', () => send('completed', { completion: true, duration: 'PT5S' }));`,
);

const libraryUnit = unit(
  `<script src="cmi5.js"></script>${buttons('begin', 'complete', 'end', 'late')}`,
  `const cmi5 = new Cmi5();
on('begin', () => cmi5.initialize());
on('complete', () => cmi5.complete());
on('end', () => cmi5.terminate());
on('late', () => cmi5.interactionTrueFalse('test', 'late', true, true));`,
);

/** Reads the actor as Lectora's script does, and repeats it unparsed if it cannot read it. */
const lectoraUnit = unit(
  buttons('complete', 'bookmark'),
  `const launch = Object.fromEntries(new URLSearchParams(location.search));
const given = JSON.parse(launch.actor);
const [account] = Array.isArray(given.account) ? given.account : [];
const actor = account ? { name: given.name[0], account: { homePage: account.accountServiceHomePage, name: account.accountName } } : launch.actor;
const call = async (method, path, query, body) => {
  const headers = { authorization: launch.auth, 'x-experience-api-version': '1.0.1', 'content-type': 'application/json' };
  const answer = await fetch(launch.endpoint + path + '?' + new URLSearchParams(query), { method, headers, body });
  if (!answer.ok) throw new Error(await answer.text());
};
on('complete', () => call('POST', 'statements', {}, JSON.stringify({ actor, verb: { id: 'http://adlnet.gov/expapi/verbs/completed' }, object: { id: launch.activity_id }, context: { registration: launch.registration } })));
on('bookmark', () => call('PUT', 'activities/state', { agent: JSON.stringify(actor), activityId: launch.activity_id, registration: launch.registration, stateId: 'bookmark' }, 'page=3;seen=1,2'));`,
);

const structure = courseStructure(au({ id: 'https://example.com/au', attributes: 'moveOn="Completed"' }));
const tincan =
  '<tincan><activities><activity id="urn:lectern:made-with-lectora"><name>A course</name><launch>index.html</launch></activity></activities></tincan>';

before(async () => {
  service = await startService();
  const wrapper = await script('xapiwrapper/dist/xapiwrapper.min.js');
  const library = await script('@xapi/cmi5/dist/Cmi5.umd.js');
  const packages = {
    wrapper: { 'cmi5.xml': structure, 'index.html': wrapperUnit, 'xapiwrapper.min.js': wrapper },
    library: { 'cmi5.xml': structure, 'index.html': libraryUnit, 'cmi5.js': library },
    lectora: { 'tincan.xml': tincan, 'index.html': lectoraUnit, 'trivantis.js': '' },
  };
  for (const [name, files] of Object.entries(packages))
    await service.importPackage(name, await packFiles(files));
});

after(() => service?.close());

async function open(course: string) {
  const { LaunchURL, read } = await service.enrol(course);
  const context = await newContext();
  const page = await openPage(context);
  await page.goto(LaunchURL);
  const content = contentOf(page);
  const press = async (name: string, outcome = 'done') => {
    await content.locator(`#${name}`).click();
    await content.locator('#said', { hasText: `${name} ${outcome}` }).waitFor();
  };
  return { page, press, read, close: () => context.close() };
}

test('the xAPI wrapper of ADL reports a cmi5 unit', async () => {
  const { press, read, close } = await open('wrapper');
  await press('begin');
  await press('complete');
  assert.equal((await read()).Completion, 'completed');
  await close();
});

test('the learner sees that a report after the end of the session was refused', async () => {
  const { page, press, read, close } = await open('library');
  await press('begin');
  await press('complete');
  await press('end');
  await press('late', 'failed');
  await page.click('#exit-button');
  await page.getByRole('heading', { name: 'Some of your results were not accepted' }).waitFor();
  assert.equal((await read()).Completion, 'completed');
  await close();
});

test('a package of Lectora reports its result and its bookmark', async () => {
  const { page, press, read, close } = await open('lectora');
  await press('complete');
  await press('bookmark');
  assert.equal((await read()).Completion, 'completed');
  await page.click('#exit-button');
  await page.getByRole('heading', { name: /^You (passed|completed)/ }).waitFor();
  await close();
});
