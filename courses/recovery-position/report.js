// Reports through cmi5. The page is completed when the learner presses the button, and terminated after that.
const launch = Object.fromEntries(new URLSearchParams(location.search));
const { registration, activityId, actor: agent } = launch;
const fetched = await (await fetch(launch.fetch, { method: 'POST' })).json();
const headers = {
  Authorization: `Basic ${fetched['auth-token']}`,
  'X-Experience-API-Version': '1.0.3',
  'Content-Type': 'application/json',
};
const call = (path, query, options) =>
  fetch(`${launch.endpoint}/${path}?${new URLSearchParams(query)}`, { headers, ...options });

// cmi5 requires a page to read both documents before its first statement. The preferences may be missing.
const launchData = { registration, activityId, agent, stateId: 'LMS.LaunchData' };
const { contextTemplate, launchMode, returnURL } = await (await call('activities/state', launchData)).json();
await call('agents/profile', { agent, profileId: 'cmi5LearnerPreferences' });

async function report(verb, result, categories = ['cmi5']) {
  const id = crypto.randomUUID();
  const context = structuredClone(contextTemplate);
  context.registration = registration;
  const category = categories.map((name) => ({
    id: `https://w3id.org/xapi/cmi5/context/categories/${name}`,
  }));
  context.contextActivities.category = category;
  const about = { actor: JSON.parse(agent), object: { id: activityId }, timestamp: new Date().toISOString() };
  const statement = { id, ...about, verb: { id: `http://adlnet.gov/expapi/verbs/${verb}` }, context, result };
  const body = JSON.stringify(statement);
  const response = await call('statements', { statementId: id }, { method: 'PUT', body });
  if (!response.ok) throw new Error(`${verb}: ${await response.text()}`);
}

await report('initialized');
const began = Date.now();
const button = document.querySelector('button');
button.disabled = false;
button.addEventListener('click', async () => {
  button.disabled = true;
  const duration = `PT${Math.round((Date.now() - began) / 1000)}S`;
  if (launchMode === 'Normal') await report('completed', { completion: true, duration }, ['cmi5', 'moveon']);
  await report('terminated', { duration });
  location.assign(returnURL);
});
