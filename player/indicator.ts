import { elements } from './elements.ts';
import { messages } from './messages.ts';
import type { SaveState } from './save-state.ts';

/** Saves that take less time than this are not shown. */
const savingDelay = 400;

const routine: SaveState[] = ['saved', 'saving'];
let pending: number | undefined;
let isAlarming = false;

export function showSaveState(state: SaveState): void {
  window.clearTimeout(pending);
  if (state === 'saving') pending = window.setTimeout(() => write(state), savingDelay);
  else write(state);
}

function write(state: SaveState): void {
  const { indicator, indicatorText } = elements;
  if (indicator.dataset.state === state && indicatorText.textContent) return;
  indicator.dataset.state = state;
  indicatorText.textContent = messages.saveStates[state];
  announce(state);
}

/** Announces only problems and their resolution, because announcing every save would interrupt the course. */
function announce(state: SaveState): void {
  const isRoutine = routine.includes(state);
  if (isRoutine && !(isAlarming && state === 'saved')) return;
  isAlarming = !isRoutine;
  const text = messages.saveStates[state];
  if (elements.announcement.textContent !== text) elements.announcement.textContent = text;
}
