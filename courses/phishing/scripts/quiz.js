// One question per screen: the learner chooses, checks and reads why. All texts are in index.html.
(() => {
  function question({ section }) {
    const inputs = [...section.querySelectorAll('input')];
    const feedback = section.querySelector('.feedback');
    const right = inputs.find((input) => input.dataset.right !== undefined).value;

    const chosen = () => inputs.find((input) => input.checked)?.value;

    function explain(value) {
      for (const input of inputs) {
        input.checked = input.value === value;
        input.disabled = true;
        const answer = input.closest('.answer');
        delete answer.dataset.verdict;
        if (input.value === right) answer.dataset.verdict = 'right';
        else if (input.checked) answer.dataset.verdict = 'wrong';
      }
      feedback.dataset.verdict = value === right ? 'right' : 'wrong';
      feedback.textContent = `${value === right ? 'Right.' : 'Not quite.'} ${feedback.dataset.why}`;
    }

    section.addEventListener('change', () => {
      feedback.textContent = '';
      delete feedback.dataset.verdict;
    });

    return {
      id: section.dataset.id,
      title: section.querySelector('h1').textContent.trim(),
      right,
      chosen,
      restore: explain,
      /** Asks for an answer if there is none. Otherwise, explains the given answer. */
      check() {
        const value = chosen();
        if (!value) {
          feedback.dataset.verdict = 'ask';
          feedback.textContent = 'Choose one of the answers first.';
          inputs[0].focus();
          return null;
        }
        explain(value);
        return { id: section.dataset.id, response: value, right, isRight: value === right };
      },
      clear() {
        for (const input of inputs) {
          input.checked = false;
          input.disabled = false;
          delete input.closest('.answer').dataset.verdict;
        }
        delete feedback.dataset.verdict;
        feedback.textContent = '';
      },
    };
  }

  globalThis.question = question;
})();
