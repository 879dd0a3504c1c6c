const interval = 100;
const maxAttempts = 100;

/** Returns where the focus belongs, or null while there is no such place. */
function placeFor(last: HTMLElement): HTMLElement | null {
  if (last.isConnected && last.checkVisibility()) return last.matches(':disabled') ? null : last;
  const dialogs = document.querySelectorAll<HTMLElement>('[role=dialog][tabindex]');
  const dialog = [...dialogs].findLast((one) => one.checkVisibility());
  if (dialog) return dialog;
  // A list that loads in another order returns the focus to its header.
  if (last.closest('th')) return null;
  return document.querySelector<HTMLElement>('.page-title');
}

/**
 * Returns the focus if its element was disabled during an action or has disappeared: to the element, its dialog or the
 * page's heading. Otherwise, people without a mouse would have to start over, and screen readers would fall silent.
 */
export function restoreLostFocus(): void {
  let last = document.activeElement instanceof HTMLElement ? document.activeElement : null;
  let isWaiting = false;
  const isLost = () => last !== null && [null, document.body].includes(document.activeElement as HTMLElement);
  const restore = (attempts: number) => {
    if (last !== null && isLost()) placeFor(last)?.focus({ preventScroll: true });
    // The place may appear later, and a dialog that is closing does not keep the focus.
    isWaiting = isLost() && attempts < maxAttempts;
    if (isWaiting) setTimeout(restore, interval, attempts + 1);
  };
  addEventListener('focusin', ({ target }) => {
    last = target instanceof HTMLElement ? target : null;
  });
  // A click outside all controls also removes the focus, as intended.
  addEventListener(
    'pointerdown',
    () => {
      last = null;
    },
    { capture: true },
  );
  new MutationObserver(() => {
    if (isWaiting || !isLost()) return;
    isWaiting = true;
    // Dialogs and pages set the focus themselves first.
    setTimeout(restore, interval, 1);
  }).observe(document.body, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ['disabled'],
  });
}
