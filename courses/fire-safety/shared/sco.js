// Shared by all lessons and the quiz: screens, bookmarks, saving and leaving.
(() => {
  const byId = (id) => document.getElementById(id);

  /**
   * Starts the page. `restore` receives the value that `snapshot` returned on an earlier visit, or {}. `onShow`
   * runs before each screen appears. `buttons` returns the buttons to show on a screen.
   */
  function startSco({ restore, snapshot, onShow = () => {}, buttons }) {
    const lms = Scorm2004.connect();
    const isReview = lms.get('cmi.mode') === 'review';
    const sections = [...document.querySelectorAll('[data-screen]')];
    const names = sections.map((section) => section.dataset.screen).filter((name) => name !== 'end');
    const titleOfSco = document.title;
    let current = names[0];
    let furthest = 0;
    let shownAt = Date.now();
    let hasEnded = false;

    const sco = {
      lms,
      isReview,
      get current() {
        return current;
      },
      get shownAt() {
        return shownAt;
      },
      section: (name) => sections.find((section) => section.dataset.screen === name),

      /** The share of the page that the learner has seen, from 0 to 1. */
      progress: () => furthest / (names.length - 1),

      save() {
        if (!lms.found || hasEnded || isReview) return;
        lms.set('cmi.location', current);
        lms.set('cmi.suspend_data', JSON.stringify({ version: 1, furthest, ...snapshot() }));
        lms.set('cmi.progress_measure', sco.progress().toFixed(2));
        byId('unsaved').hidden = lms.commit();
      },

      complete() {
        if (isReview) return;
        lms.set('cmi.completion_status', 'completed');
      },

      showButtons() {
        const shown = buttons(current);
        for (const button of document.querySelectorAll('#bar button')) {
          const label = shown[button.id];
          button.hidden = label === undefined;
          if (label) button.textContent = label;
        }
      },

      show(name, { focus = true } = {}) {
        current = name;
        furthest = Math.max(furthest, names.indexOf(name));
        for (const section of sections) section.hidden = section.dataset.screen !== name;
        onShow(name);
        const heading = sco.section(name).querySelector('h1');
        const place = sco.section(name).dataset.title ?? heading.textContent.trim();
        document.title = `${place} · ${titleOfSco}`;
        showProgress();
        sco.showButtons();
        if (focus) {
          window.scrollTo(0, 0);
          heading.focus({ preventScroll: true });
        }
        shownAt = Date.now();
        sco.save();
      },

      move: (by) => sco.show(names[names.indexOf(current) + by]),

      interaction(outcome) {
        if (!isReview) lms.interaction({ ...outcome, shownAt });
      },

      /** Leaves the page permanently. The last screen says whether the results were saved. */
      leave({ exit, request, saved, moving }) {
        sco.save();
        hasEnded = true;
        const { kept, moves } = lms.terminate({ exit, request });
        const next = moves
          ? moving
          : 'Use the menu of your learning system to continue, or close this window.';
        byId('end-text').textContent = lms.found
          ? `${kept ? saved : 'Your last step could not be saved.'} ${next}`
          : 'This is a preview: nothing was saved. Open the next page from the course folder.';
        byId('bar').hidden = true;
        sco.show('end');
      },
    };

    function showProgress() {
      const place = names.indexOf(current);
      if (place < 0) return;
      byId('place').textContent = `${place + 1} of ${names.length}`;
      byId('bars').replaceChildren(
        ...names.map((_, index) => {
          const bar = document.createElement('i');
          bar.className = index <= place ? 'done' : '';
          return bar;
        }),
      );
    }

    function resume() {
      const text = lms.get('cmi.suspend_data');
      if (!text) return;
      try {
        const kept = JSON.parse(text);
        if (kept.version !== 1) return;
        furthest = Math.min(Number(kept.furthest) || 0, names.length - 1);
        restore(kept);
      } catch {
        return; // The data is not from this course, so start from the beginning.
      }
      const place = lms.get('cmi.location');
      if (names.includes(place)) current = place;
    }

    function suspend() {
      if (hasEnded) return;
      sco.save();
      hasEnded = true;
      lms.terminate({ exit: 'suspend' });
    }

    byId('preview').hidden = lms.found;
    byId('back').addEventListener('click', () => sco.move(-1));
    byId('next').addEventListener('click', () => sco.move(1));
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'hidden') sco.save();
    });
    window.addEventListener('pagehide', suspend);
    // A page restored from the back/forward cache has ended its session. A reload starts a new one.
    window.addEventListener('pageshow', (event) => event.persisted && window.location.reload());

    if (!isReview && lms.get('cmi.completion_status') !== 'completed') {
      lms.set('cmi.completion_status', 'incomplete');
    }
    resume();
    sco.show(current, { focus: false });
    return sco;
  }

  /** A lesson is completed when the learner has seen its last screen. */
  function startLesson({ restore = () => {}, snapshot = () => ({}), onShow = () => {} }) {
    const sections = [...document.querySelectorAll('[data-screen]')].filter(
      (item) => item.dataset.screen !== 'end',
    );
    const first = sections[0].dataset.screen;
    const last = sections.at(-1).dataset.screen;
    let sco;

    const options = {
      restore,
      snapshot,
      onShow(name) {
        onShow(name);
        if (name === last) queueMicrotask(complete);
      },
      buttons: (name) => ({
        ...(name === first ? {} : { back: 'Back' }),
        ...(name === last ? { finish: document.body.dataset.finish } : { next: 'Next' }),
      }),
    };

    function complete() {
      sco.complete();
      // The next lesson opens when this lesson's objective is satisfied. The objective does not affect the
      // course result.
      if (!sco.isReview) sco.lms.set('cmi.success_status', 'passed');
      sco.save();
    }

    // A finished lesson stays suspended. Otherwise, returning to it would start a new, empty attempt.
    byId('finish').addEventListener('click', () => {
      sco.leave({
        exit: 'suspend',
        request: 'continue',
        saved: 'This lesson is complete and saved.',
        moving: 'The next part is opening.',
      });
    });

    sco = startSco(options);
    return sco;
  }

  globalThis.FireSafety = { startSco, startLesson };
})();
