// The exercise: the learner marks parts of an email and then reads the explanations. Both are in index.html.
(() => {
  // In SCORM 1.2, the response to a choice consists of single letters. Each part has a letter, in page order.
  const letter = (index) => String.fromCharCode(97 + index);

  function mailExercise({ section, onChange }) {
    const parts = [...section.querySelectorAll('.part')];
    const findings = section.querySelector('#findings');
    const isPhish = (part) => part.dataset.phish !== undefined;
    const isMarked = (part) => part.getAttribute('aria-pressed') === 'true';
    let checked = false;

    const marked = () => parts.filter(isMarked).map((part) => part.dataset.part);
    const code = (test) =>
      parts
        .map((part, index) => (test(part) ? letter(index) : ''))
        .filter(Boolean)
        .join(',');

    function showCount() {
      const count = marked().length;
      section.querySelector('#marked').textContent = checked ? '' : `${count} of 5 marked`;
    }

    function verdictOn(part) {
      if (isPhish(part)) return isMarked(part) ? ['found', 'Found'] : ['missed', 'Missed'];
      return isMarked(part) ? ['false-alarm', 'Harmless'] : null;
    }

    function explain() {
      checked = true;
      const list = findings.querySelector('ol');
      list.replaceChildren();
      for (const part of parts) {
        part.setAttribute('aria-disabled', 'true');
        const verdict = verdictOn(part);
        if (!verdict) continue;
        part.dataset.verdict = verdict[0];
        const item = document.createElement('li');
        item.dataset.verdict = verdict[0];
        const label = document.createElement('b');
        label.textContent = `${verdict[1]}: `;
        const quote = document.createElement('q');
        quote.textContent = part.textContent;
        const why = document.createElement('p');
        why.textContent = part.dataset.phish ?? part.dataset.harmless;
        item.append(label, quote, why);
        list.append(item);
      }
      const found = parts.filter((part) => isPhish(part) && isMarked(part)).length;
      const alarms = parts.filter((part) => !isPhish(part) && isMarked(part)).length;
      const all = found === 5 && alarms === 0;
      const extra = alarms ? `, and ${alarms} marked that ${alarms === 1 ? 'is' : 'are'} harmless` : '';
      findings.querySelector('h2').textContent = all
        ? 'You found all five. Well done!'
        : `${found} of 5 found${extra}`;
      findings.hidden = false;
      showCount();
    }

    for (const part of parts) {
      part.setAttribute('aria-pressed', 'false');
      part.addEventListener('click', () => {
        if (checked) return;
        part.setAttribute('aria-pressed', String(!isMarked(part)));
        showCount();
        onChange();
      });
    }
    showCount();

    return {
      marked,
      get checked() {
        return checked;
      },
      restore(names, wasChecked) {
        for (const part of parts)
          part.setAttribute('aria-pressed', String(names.includes(part.dataset.part)));
        if (wasChecked) explain();
        showCount();
      },
      check() {
        explain();
        findings.querySelector('h2').focus();
        const response = code(isMarked);
        const right = code(isPhish);
        return { id: 'exercise-mail', response, right, isRight: response === right };
      },
    };
  }

  globalThis.mailExercise = mailExercise;
})();
