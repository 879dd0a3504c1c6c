(() => {
  const state = { way: null };
  const ways = [...document.querySelectorAll('#ways .pill')];

  function showWay() {
    for (const pill of ways) {
      const isChosen = pill.dataset.way === state.way;
      pill.setAttribute('aria-pressed', String(isChosen));
      if (!isChosen) continue;
      const text = document.getElementById('route-text');
      text.textContent = pill.dataset.why;
      text.dataset.verdict = pill.dataset.right === undefined ? 'wrong' : 'right';
    }
    for (const path of document.querySelectorAll('.plan .way')) {
      path.classList.toggle('chosen', path.dataset.way === state.way);
      if (path.dataset.way === state.way) document.querySelector('.you').before(path);
    }
  }

  const lesson = FireSafety.startLesson({
    snapshot: () => state,
    restore(kept) {
      state.way = kept.way ?? null;
      showWay();
    },
  });

  for (const pill of ways) {
    pill.addEventListener('click', () => {
      if (state.way === null) {
        lesson.interaction({
          id: 'exercise-route',
          description: 'Choose the way out',
          response: pill.dataset.way,
          right: 'side',
          isRight: pill.dataset.right !== undefined,
        });
      }
      state.way = pill.dataset.way;
      showWay();
      lesson.save();
    });
  }
})();
