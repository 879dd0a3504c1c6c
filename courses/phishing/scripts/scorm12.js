// The SCORM 1.2 run-time API, reduced to what this course needs. If there is no API, calls have no effect.
(() => {
  const searchDepth = 20;

  function apiFrom(start) {
    let view = start;
    for (let depth = 0; view && depth < searchDepth; depth += 1) {
      try {
        if (view.API) return view.API;
      } catch {
        return null; // a parent on another origin
      }
      if (view.parent === view) return null;
      view = view.parent;
    }
    return null;
  }

  const two = (value) => String(value).padStart(2, '0');

  /** CMITimespan, HHHH:MM:SS.SS */
  function timespan(milliseconds) {
    const seconds = Math.max(0, milliseconds) / 1000;
    const hours = String(Math.floor(seconds / 3600)).padStart(4, '0');
    return `${hours}:${two(Math.floor((seconds / 60) % 60))}:${(seconds % 60).toFixed(2).padStart(5, '0')}`;
  }

  /** CMITime, HH:MM:SS */
  function timeOfDay(date) {
    return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  }

  function connect() {
    const api = apiFrom(window) ?? apiFrom(window.opener);
    const started = Date.now();
    let open = api !== null && String(api.LMSInitialize('')) === 'true';
    let nextInteraction = open ? Number(api.LMSGetValue('cmi.interactions._count')) || 0 : 0;

    function set(name, value) {
      if (!open) return false;
      if (String(api.LMSSetValue(name, String(value))) === 'true') return true;
      console.warn(`${name} was refused: ${api.LMSGetErrorString(api.LMSGetLastError())}`);
      return false;
    }

    const connection = {
      found: open,
      get: (name) => (open ? String(api.LMSGetValue(name) ?? '') : ''),
      set,

      /** Returns true if the learning system confirms that everything set so far is saved. */
      commit() {
        if (!open) return false;
        set('cmi.core.session_time', timespan(Date.now() - started));
        return String(api.LMSCommit('')) === 'true';
      },

      interaction({ id, response, right, isRight, shownAt }) {
        if (!open) return;
        const at = `cmi.interactions.${nextInteraction}`;
        nextInteraction += 1;
        set(`${at}.id`, id);
        set(`${at}.type`, 'choice');
        set(`${at}.time`, timeOfDay(new Date()));
        set(`${at}.correct_responses.0.pattern`, right);
        set(`${at}.student_response`, response);
        set(`${at}.result`, isRight ? 'correct' : 'wrong');
        set(`${at}.weighting`, 1);
        set(`${at}.latency`, timespan(Date.now() - shownAt));
      },

      /**
       * Always exits with `suspend`. Otherwise, a returning learner would get an empty course instead of the
       * result.
       */
      finish() {
        if (!open) return false;
        set('cmi.core.exit', 'suspend');
        const kept = connection.commit();
        open = false;
        return String(api.LMSFinish('')) === 'true' && kept;
      },
    };
    return connection;
  }

  globalThis.Scorm12 = { connect };
})();
