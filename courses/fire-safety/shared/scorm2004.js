// The SCORM 2004 run-time API, reduced to what this course needs. If there is no API, calls have no effect.
(() => {
  const searchDepth = 20;

  function apiFrom(start) {
    let view = start;
    for (let depth = 0; view && depth < searchDepth; depth += 1) {
      try {
        if (view.API_1484_11) return view.API_1484_11;
      } catch {
        return null; // a parent on another origin
      }
      if (view.parent === view) return null;
      view = view.parent;
    }
    return null;
  }

  /** timeinterval(second,10,2) */
  const interval = (milliseconds) => `PT${(Math.max(0, milliseconds) / 1000).toFixed(2)}S`;

  /** time(second,10,2) in UTC. The format allows a time zone only after fractions of a second. */
  const timestamp = (date) => `${date.toISOString().slice(0, 22)}Z`;

  function connect() {
    const api = apiFrom(window) ?? apiFrom(window.opener);
    const started = Date.now();
    let open = api !== null && String(api.Initialize('')) === 'true';
    let nextInteraction = open ? Number(api.GetValue('cmi.interactions._count')) || 0 : 0;

    function set(name, value) {
      if (!open) return false;
      if (String(api.SetValue(name, String(value))) === 'true') return true;
      console.warn(`${name} was refused: ${api.GetErrorString(api.GetLastError())}`);
      return false;
    }

    const connection = {
      found: open,
      get: (name) => (open ? String(api.GetValue(name) ?? '') : ''),
      set,

      /** Returns true if the learning system confirms that everything set so far is saved. */
      commit() {
        if (!open) return false;
        set('cmi.session_time', interval(Date.now() - started));
        return String(api.Commit('')) === 'true';
      },

      interaction({ id, type = 'choice', description, response, right, isRight, shownAt }) {
        if (!open) return;
        const at = `cmi.interactions.${nextInteraction}`;
        nextInteraction += 1;
        set(`${at}.id`, id);
        set(`${at}.type`, type);
        set(`${at}.timestamp`, timestamp(new Date()));
        set(`${at}.description`, description);
        set(`${at}.correct_responses.0.pattern`, right);
        set(`${at}.learner_response`, response);
        set(`${at}.result`, isRight ? 'correct' : 'incorrect');
        set(`${at}.weighting`, 1);
        set(`${at}.latency`, interval(Date.now() - shownAt));
      },

      /** Ends the session. `request` is the navigation request: continue, exitAll, suspendAll or empty. */
      terminate({ exit, request = '' }) {
        if (!open) return { kept: false, moves: false };
        set('cmi.exit', exit);
        const kept = connection.commit();
        // A request whose validity is "unknown" may still work. Only "false" is definite.
        const isValid = request && api.GetValue(`adl.nav.request_valid.${request}`) !== 'false';
        const moves = Boolean(isValid && set('adl.nav.request', request));
        open = false;
        return { kept: String(api.Terminate('')) === 'true' && kept, moves };
      },
    };
    return connection;
  }

  globalThis.Scorm2004 = { connect };
})();
