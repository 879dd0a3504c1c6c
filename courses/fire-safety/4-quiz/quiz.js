(() => {
  const byId = (id) => document.getElementById(id);
  const questions = [...document.querySelectorAll('[data-id]')];
  const nameOf = (section) => section.dataset.screen;
  const inputsOf = (section) => [...section.querySelectorAll('input')];
  const rightOf = (section) => section.querySelector('[data-right]').value;
  const titleOf = (section) => section.querySelector('h1').textContent.trim();

  const state = { answers: {}, best: null };
  const passingScore = 0.75; // Must equal the value in the manifest.

  const isRight = (section) => state.answers[nameOf(section)] === rightOf(section);
  const score = () => questions.filter(isRight).length / questions.length;
  const isDone = () => questions.every((section) => state.answers[nameOf(section)]);
  const percent = (value) => `${Math.round(value * 100)}%`;

  function explain(section) {
    const answer = state.answers[nameOf(section)];
    for (const input of inputsOf(section)) {
      input.checked = input.value === answer;
      input.disabled = answer !== undefined;
      const label = input.closest('.answer');
      delete label.dataset.verdict;
      if (!answer) continue;
      if (input.value === rightOf(section)) label.dataset.verdict = 'right';
      else if (input.checked) label.dataset.verdict = 'wrong';
    }
    const feedback = section.querySelector('.feedback');
    feedback.dataset.verdict = answer ? (isRight(section) ? 'right' : 'wrong') : '';
    feedback.textContent = answer
      ? `${isRight(section) ? 'Right.' : 'Not quite.'} ${feedback.dataset.why}`
      : '';
  }

  // A worse second attempt does not replace a better result.
  function report() {
    if (quiz.isReview || !isDone() || (state.best !== null && state.best >= score())) return;
    state.best = score();
    quiz.lms.set('cmi.score.min', 0);
    quiz.lms.set('cmi.score.max', 100);
    quiz.lms.set('cmi.score.raw', Math.round(state.best * 100));
    quiz.lms.set('cmi.score.scaled', state.best);
    quiz.lms.set('cmi.success_status', state.best >= passingScore ? 'passed' : 'failed');
    quiz.complete();
    quiz.save();
  }

  function showResult() {
    const hasPassed = score() >= passingScore;
    document.body.dataset.result = hasPassed ? 'passed' : 'failed';
    byId('score').textContent = percent(score());
    byId('result-title').textContent = hasPassed ? 'Passed. Well done!' : 'Not passed yet';
    byId('result-text').textContent = hasPassed
      ? 'You know what to do in the first minute. Now walk your escape route once, so that your feet know it too.'
      : `You need ${percent(passingScore)}. Answer again, or go through the lessons first. Nothing is lost.`;
    const items = questions.map((section) => {
      const item = document.createElement('li');
      const verdict = document.createElement('b');
      verdict.textContent = isRight(section) ? 'Right: ' : 'Wrong: ';
      item.dataset.verdict = isRight(section) ? 'right' : 'wrong';
      item.append(verdict, titleOf(section));
      return item;
    });
    byId('result-list').replaceChildren(...items);
  }

  function buttons(name) {
    if (name === 'welcome') return { next: 'Begin' };
    if (name === 'result')
      return { retry: 'Answer again', finish: score() >= passingScore ? 'Finish' : 'Leave for now' };
    if (!state.answers[name]) return { back: 'Back', submit: 'Check' };
    return { back: 'Back', next: name === 'quiz-4' ? 'See my result' : 'Next' };
  }

  const quiz = FireSafety.startSco({
    snapshot: () => state,
    restore(kept) {
      state.answers = kept.answers ?? {};
      state.best = kept.best ?? null;
      questions.forEach(explain);
    },
    onShow(name) {
      delete document.body.dataset.result;
      if (name === 'result') showResult();
      if (name === 'result') queueMicrotask(report);
    },
    buttons,
  });

  function check() {
    const section = quiz.section(quiz.current);
    const chosen = inputsOf(section).find((input) => input.checked);
    if (!chosen) {
      section.querySelector('.feedback').textContent = 'Choose one of the answers first.';
      inputsOf(section)[0].focus();
      return;
    }
    state.answers[quiz.current] = chosen.value;
    explain(section);
    quiz.interaction({
      id: section.dataset.id,
      description: titleOf(section),
      response: chosen.value,
      right: rightOf(section),
      isRight: isRight(section),
    });
    quiz.showButtons();
    byId('next').focus();
    quiz.save();
  }

  byId('submit').addEventListener('click', check);
  for (const section of questions) {
    section.addEventListener('change', () => {
      section.querySelector('.feedback').textContent = '';
    });
  }

  byId('retry').addEventListener('click', () => {
    state.answers = {};
    questions.forEach(explain);
    quiz.show('quiz-1');
  });

  byId('finish').addEventListener('click', () => {
    const hasPassed = (state.best ?? 0) >= passingScore;
    byId('end-title').textContent = hasPassed ? 'You have finished the course' : 'See you soon';
    quiz.leave({
      exit: hasPassed ? 'normal' : 'suspend',
      request: hasPassed ? 'exitAll' : 'suspendAll',
      saved: 'Your result is saved.',
      moving: 'The course is closing. If it does not, you can close this window.',
    });
  });
})();
