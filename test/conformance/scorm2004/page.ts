/** The calls that a content object's page makes in one visit, and how the page ends its session. */
export type Plan = {
  calls: { fn: string; args: string[] }[];
  terminate: 'after the calls' | 'on unload' | 'never';
  /** The navigation request that the page makes when it is unloaded. */
  onUnload: string | null;
};

export type Result = { returned: string; error: string };

/**
 * The page used for all content objects. It reports its activity, receives the calls for its visit, reports their
 * results, and ends its session. It does nothing if the script does not expect its activity.
 */
export const contentPage = `<!doctype html><meta charset="utf-8"><title>Content object</title>
<h1 id="activity"></h1>
<script>
  const activity = new URLSearchParams(location.search).get('act') ?? '1';
  document.getElementById('activity').textContent = 'Activity ' + activity;
  let api = null;
  for (let at = window; !api && at !== at.parent; at = at.parent) api = at.parent.API_1484_11 ?? null;

  // Replaces '&ID&' with the index of the list member that has this identifier.
  function resolve(name) {
    const [, list, id, rest] = /^(.*)\\.&([^&]*)&\\.(.*)$/.exec(name) ?? [];
    if (list === undefined) return name;
    const count = Number(api.GetValue(list + '._count'));
    for (let index = 0; index < count; index++)
      if (api.GetValue(list + '.' + index + '.id') === id) return list + '.' + index + '.' + rest;
    return list + '.' + count + '.' + rest;
  }

  function identifiers() {
    const count = Number(api.GetValue('cmi.objectives._count'));
    return Array.from({ length: count }, (_, index) => api.GetValue('cmi.objectives.' + index + '.id'));
  }

  // An exception in the API counts as a wrong result and does not end the script.
  function attempt(act) {
    try {
      return act();
    } catch (error) {
      return { returned: String(error), error: 'exception' };
    }
  }

  function play({ fn, args }) {
    if (fn === 'compareObjectives') return { returned: identifiers().join(' '), error: '0' };
    const values = fn === 'GetValue' || fn === 'SetValue' ? [resolve(args[0]), ...args.slice(1)] : args;
    const returned = String(api[fn](...values));
    return { returned, error: String(api.GetLastError('')) };
  }

  (async () => {
    const plan = await window.conformanceArrived(activity, location.pathname);
    if (!plan) return;
    if (plan.terminate === 'on unload')
      addEventListener('pagehide', () => {
        if (plan.onUnload) api.SetValue('adl.nav.request', plan.onUnload);
        api.Terminate('');
      });
    await window.conformancePlayed(plan.calls.map((call) => attempt(() => play(call))));
    if (plan.terminate !== 'after the calls') return window.conformanceTerminated('true');
    const { returned } = attempt(() => ({ returned: String(api.Terminate('')) }));
    window.conformanceTerminated(returned);
  })();
</script>`;

/** How ADL's page at this path ends its session. Most pages call Terminate after their other calls. */
export function endingOf(path: string): Pick<Plan, 'terminate' | 'onUnload'> {
  const file = path.slice(path.lastIndexOf('/') + 1);
  const requests: Record<string, string> = {
    'tarAct4OnUnload.htm': '{target=activity_4}choice',
    'exitAllOnUnload.htm': 'exitAll',
    'suspendAllOnUnload.htm': 'suspendAll',
  };
  if (file === 'AssetLaunchTest.htm') return { terminate: 'never', onUnload: null };
  const onUnload = Object.hasOwn(requests, file) ? (requests[file] ?? null) : null;
  const isLate = onUnload !== null || /SingleDoTerminate/.test(file);
  return { terminate: isLate ? 'on unload' : 'after the calls', onUnload };
}
