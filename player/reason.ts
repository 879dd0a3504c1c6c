import { elements, make } from './elements.ts';

/** Long enough to read a sentence twice. Pressing the button again shows the reason again. */
const shownMilliseconds = 8_000;

/**
 * Shows why something is not possible now, without covering the course's controls. Screen readers announce it, and a title
 * alone would be invisible on phones and to keyboard users.
 */
export function showReason(reason: string): void {
  const text = make('p', '', reason);
  elements.reason.replaceChildren(text);
  window.setTimeout(() => text.remove(), shownMilliseconds);
}

export function hideReason(): void {
  elements.reason.replaceChildren();
}
