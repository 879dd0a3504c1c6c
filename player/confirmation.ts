import { make } from './elements.ts';
import type { Confirmation } from './media-state.ts';
import { language, messages } from './messages.ts';

type Asked = {
  text: string;
  /** The learner's name, which they can correct. */
  name: string;
  /** The confirmation that was already given. */
  given: Confirmation | null;
  confirm: (name: string) => void;
};

/** Asks the learner to confirm a text with their name, or shows that they have done so. */
export function showConfirmation({ text, name, given, confirm }: Asked): HTMLElement {
  const { label, action, done } = messages.confirmation;
  const bar = make('form', 'confirmation');
  const showGiven = (who: string, at: Date) => {
    const time = at.toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' });
    const line = make('p', 'confirmed', done(who, time));
    line.setAttribute('role', 'status');
    bar.replaceChildren(make('p', 'confirmation-text', text), line);
  };
  if (given) {
    showGiven(given.name, new Date(given.at));
    return bar;
  }
  const input = make('input', '');
  Object.assign(input, { value: name, required: true, maxLength: 255, autocomplete: 'name' });
  const button = make('button', 'button primary', action);
  bar.append(make('p', 'confirmation-text', text), make('label', '', make('span', '', label), input), button);
  bar.addEventListener('submit', (event) => {
    event.preventDefault();
    const who = input.value.trim();
    if (who === '') return input.focus();
    confirm(who);
    showGiven(who, new Date());
  });
  return bar;
}
