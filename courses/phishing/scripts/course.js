// Steps through the screens, and stores the bookmark, answers and result in the learning system.
(() => {
  const byId = (id) => document.getElementById(id);
  const sections = [...document.querySelectorAll('[data-screen]')];
  const sectionOf = (name) => sections.find((section) => section.dataset.screen === name);
  const names = sections.map((section) => section.dataset.screen).filter((name) => name !== 'end');
  const stepCount = Number(sectionOf('result').dataset.step);

  const lms = Scorm12.connect();
  const masteryScore = Number(lms.get('cmi.student_data.mastery_score')) || 75;
  const reviewing = lms.get('cmi.core.lesson_mode') === 'review';

  let state = { version: 1, address: null, marks: [], checked: false, answers: {}, best: null };
  let current = 'welcome';
  let shownAt = Date.now();
  let ended = false;

  const mail = mailExercise({ section: sectionOf('mail'), onChange: keepMarks });
  const quizNames = names.filter((name) => name.startsWith('quiz-'));
  const questions = new Map(quizNames.map((name) => [name, question({ section: sectionOf(name) })]));

  // Saving

  function save() {
    if (!lms.found || ended || reviewing) return;
    lms.set('cmi.core.lesson_location', current);
    lms.set('cmi.suspend_data', JSON.stringify(state));
    byId('unsaved').hidden = lms.commit();
  }

  function restore() {
    const text = lms.get('cmi.suspend_data');
    if (!text) return;
    try {
      const kept = JSON.parse(text);
      if (kept.version === 1) state = { ...state, ...kept };
    } catch {
      return; // The data is not from this course, so start from the beginning.
    }
    mail.restore(state.marks, state.checked);
    if (state.address) showAddressVerdict(state.address);
    for (const [name, item] of questions) if (state.answers[name]) item.restore(state.answers[name]);
    const place = lms.get('cmi.core.lesson_location');
    if (names.includes(place)) current = place;
    if (current === 'result' && !isQuizDone()) current = 'act';
  }

  function keepMarks() {
    state.marks = mail.marked();
    save();
  }

  // Results

  const isQuizDone = () => quizNames.every((name) => state.answers[name]);
  const isRight = (name) => state.answers[name] === questions.get(name).right;
  const score = () => Math.round((100 * quizNames.filter(isRight).length) / quizNames.length);

  // A worse second attempt does not replace a better result.
  function reportResult() {
    if (reviewing || (state.best !== null && state.best >= score())) return;
    state.best = score();
    lms.set('cmi.core.score.min', 0);
    lms.set('cmi.core.score.max', 100);
    lms.set('cmi.core.score.raw', state.best);
    lms.set('cmi.core.lesson_status', state.best >= masteryScore ? 'passed' : 'failed');
  }

  function showResult() {
    const passed = score() >= masteryScore;
    const section = sectionOf('result');
    section.dataset.verdict = passed ? 'passed' : 'failed';
    section.querySelector('[data-score]').textContent = `${score()}%`;
    section.querySelector('[data-word]').textContent = passed ? 'PASSED' : 'NOT YET';
    byId('result-title').textContent = passed ? `Passed with ${score()}%` : `${score()}%: not passed yet`;
    byId('result-text').textContent = passed
      ? 'You can spot the hook. Remember the three moves: stop, check another way, report.'
      : `You need ${masteryScore}%. Look at the answers again, then try once more. Nothing is lost.`;
    const items = quizNames.map((name) => {
      const item = document.createElement('li');
      item.dataset.verdict = isRight(name) ? 'right' : 'wrong';
      const verdict = document.createElement('b');
      verdict.textContent = isRight(name) ? 'Right: ' : 'Wrong: ';
      item.append(verdict, questions.get(name).title);
      return item;
    });
    byId('result-list').replaceChildren(...items);
  }

  // Screens

  function showButtons() {
    const item = questions.get(current);
    const toCheck = (current === 'mail' && !mail.checked) || (item && !state.answers[current]);
    const atEnd = current === 'result';
    byId('back').hidden = current === 'welcome' || atEnd;
    byId('submit').hidden = !toCheck;
    byId('submit').textContent = current === 'mail' ? 'Check my marks' : 'Check';
    byId('next').hidden = Boolean(toCheck) || atEnd;
    byId('next').textContent =
      { welcome: 'Start', act: 'To the questions', 'quiz-4': 'See my result' }[current] ?? 'Next';
    byId('retry').hidden = !atEnd || reviewing;
    byId('finish').hidden = !atEnd;
  }

  function show(name, { focus = true } = {}) {
    current = name;
    for (const section of sections) section.hidden = section.dataset.screen !== name;
    const section = sectionOf(name);
    if (name === 'result') {
      reportResult();
      showResult();
    }
    const step = Number(section.dataset.step);
    byId('step').textContent = `Step ${step} of ${stepCount}`;
    byId('edge').style.setProperty('--done', String(step / stepCount));
    const heading = section.querySelector('h1');
    const place = section.dataset.question
      ? `Question ${section.dataset.question}`
      : heading.textContent.trim();
    document.title = `${place} · Spot the phish`;
    showButtons();
    if (focus) {
      window.scrollTo(0, 0);
      heading.focus({ preventScroll: true });
    }
    shownAt = Date.now();
    save();
  }

  const move = (by) => show(names[names.indexOf(current) + by]);

  function showAddressVerdict(value) {
    for (const button of document.querySelectorAll('[data-practice="address"] .choice')) {
      const chosen = button.dataset.value === value;
      button.setAttribute('aria-pressed', String(chosen));
      button.querySelector('.verdict').hidden = !chosen;
      button.dataset.verdict = chosen ? (button.dataset.right === undefined ? 'wrong' : 'right') : '';
    }
  }

  function check() {
    const outcome = current === 'mail' ? mail.check() : questions.get(current).check();
    if (!outcome) return;
    if (current === 'mail') state.checked = true;
    else state.answers[current] = outcome.response;
    if (!reviewing) lms.interaction({ ...outcome, shownAt });
    showButtons();
    if (current !== 'mail') byId('next').focus();
    save();
  }

  function retry() {
    state.answers = {};
    for (const item of questions.values()) item.clear();
    show(quizNames[0]);
  }

  function finish() {
    const kept = leave();
    byId('end-text').textContent = kept
      ? 'Your result is saved. You can close this window.'
      : 'This was a preview, so nothing was saved. You can close this window.';
    byId('bar').hidden = true;
    byId('unsaved').hidden = kept || !lms.found;
    if (lms.found && !kept) byId('end-text').textContent = 'You can close this window.';
    show('end');
  }

  function leave() {
    if (ended) return false;
    save();
    ended = true;
    return lms.finish();
  }

  for (const button of document.querySelectorAll('[data-practice="address"] .choice')) {
    button.setAttribute('aria-pressed', 'false');
    button.addEventListener('click', () => {
      showAddressVerdict(button.dataset.value);
      byId('address-feedback').textContent = button.querySelector('.verdict').textContent;
      if (state.address === null && !reviewing) {
        const isRightAddress = button.dataset.right !== undefined;
        lms.interaction({
          id: 'practice-address',
          response: button.dataset.value,
          right: 'c',
          isRight: isRightAddress,
          shownAt,
        });
      }
      state.address = button.dataset.value;
      save();
    });
  }
  byId('back').addEventListener('click', () => move(-1));
  byId('next').addEventListener('click', () => move(1));
  byId('submit').addEventListener('click', check);
  byId('retry').addEventListener('click', retry);
  byId('finish').addEventListener('click', finish);

  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') save();
  });
  window.addEventListener('pagehide', leave);
  // A page restored from the back/forward cache has ended its session. A reload starts a new one.
  window.addEventListener('pageshow', (event) => event.persisted && window.location.reload());

  byId('preview').hidden = lms.found;
  if (['not attempted', 'unknown', ''].includes(lms.get('cmi.core.lesson_status')) && !reviewing) {
    lms.set('cmi.core.lesson_status', 'incomplete');
  }
  restore();
  show(current, { focus: false });
})();
