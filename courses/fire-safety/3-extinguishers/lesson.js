(() => {
  const state = { checks: [], agents: {} };
  const checks = [...document.querySelectorAll('#checks input')];
  const fires = [...document.querySelectorAll('.fire')];

  function showDecision() {
    const mayTry = checks.every((check) => check.checked);
    const text = document.getElementById('decide-text');
    text.textContent = mayTry
      ? 'You may try. One extinguisher, one attempt. If it gets worse, leave immediately.'
      : 'Leave, close the door behind you, and leave it to the fire service.';
    text.dataset.verdict = mayTry ? 'right' : '';
  }

  function showFire(fire) {
    const agent = state.agents[fire.dataset.fire];
    for (const pill of fire.querySelectorAll('.pill')) {
      const isChosen = pill.dataset.agent === agent;
      pill.setAttribute('aria-pressed', String(isChosen));
      if (!isChosen) continue;
      const why = fire.querySelector('.why');
      why.textContent = pill.dataset.why;
      why.dataset.verdict = pill.dataset.right === undefined ? 'wrong' : 'right';
    }
  }

  const lesson = FireSafety.startLesson({
    snapshot: () => state,
    restore(kept) {
      state.checks = kept.checks ?? [];
      state.agents = kept.agents ?? {};
      for (const check of checks) check.checked = state.checks.includes(check.value);
      showDecision();
      fires.forEach(showFire);
    },
  });

  for (const check of checks) {
    check.addEventListener('change', () => {
      state.checks = checks.filter((item) => item.checked).map((item) => item.value);
      showDecision();
      lesson.save();
    });
  }

  for (const fire of fires) {
    for (const pill of fire.querySelectorAll('.pill')) {
      pill.addEventListener('click', () => {
        const name = fire.dataset.fire;
        if (!state.agents[name]) {
          lesson.interaction({
            id: `exercise-${name}`,
            description: `Extinguisher for: ${fire.querySelector('legend').textContent}`,
            response: pill.dataset.agent,
            right: fire.querySelector('[data-right]').dataset.agent,
            isRight: pill.dataset.right !== undefined,
          });
        }
        state.agents[name] = pill.dataset.agent;
        showFire(fire);
        lesson.save();
      });
    }
  }
})();
