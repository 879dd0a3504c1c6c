// Reports through cmi5. The page is completed when the learner presses the button, and terminated after that.
const launch = Object.fromEntries(new URLSearchParams(location.search));
const { registration, activityId, actor: agent } = launch;
const { 'auth-token': token } = await (await fetch(launch.fetch, { method: 'POST' })).json();
const json = { 'Content-Type': 'application/json', 'X-Experience-API-Version': '1.0.3' };
const headers = { Authorization: `Basic ${token}`, ...json };
const call = (path, query, options) =>
  fetch(`${launch.endpoint}/${path}?${new URLSearchParams(query)}`, { headers, ...options });

// cmi5 requires a page to read both documents before its first statement. The preferences may be missing.
const state = await call('activities/state', { registration, activityId, agent, stateId: 'LMS.LaunchData' });
const { contextTemplate, launchMode, returnURL } = await state.json();
await call('agents/profile', { agent, profileId: 'cmi5LearnerPreferences' });

async function report(name, result, categories = ['cmi5']) {
  const category = categories.map((id) => ({ id: `https://w3id.org/xapi/cmi5/context/categories/${id}` }));
  const contextActivities = { ...contextTemplate.contextActivities, category };
  const context = { ...contextTemplate, registration, contextActivities };
  const about = { actor: JSON.parse(agent), object: { id: activityId }, timestamp: new Date() };
  const verb = { id: `http://adlnet.gov/expapi/verbs/${name}` };
  const body = JSON.stringify({ id: crypto.randomUUID(), ...about, verb, context, result });
  const response = await call('statements', {}, { method: 'POST', body });
  if (!response.ok) throw new Error(`${name}: ${await response.text()}`);
}

await report('initialized');
const button = document.querySelector('button');
button.disabled = false;
button.onclick = async () => {
  button.disabled = true;
  const duration = `PT${Math.round(performance.now() / 1000)}S`;
  if (launchMode === 'Normal') await report('completed', { completion: true, duration }, ['cmi5', 'moveon']);
  await report('terminated', { duration });
  location.assign(returnURL);
};
