import { isDone, type UnitStatus } from '../standards/unit-status.ts';
import type { Offer, Position } from './course.ts';
import { elements } from './elements.ts';
import { isReview, messages } from './messages.ts';
import type { PlayableUnit } from './units.ts';

/** Updates the toolbar and the notice for the learner's position. */
export function showPosition(
  position: Position,
  units: PlayableUnit[],
  course: { isMarked: boolean; isCompleted: boolean },
): void {
  const { unit, finished, previous, next } = position;
  const several = units.length > 1;
  elements.unitTitle.hidden = !several || unit === null;
  elements.unitTitle.textContent = unit?.Title ?? '';
  elements.steps.hidden = !several || (previous === null && next === null);
  showStep(elements.previous, previous);
  showStep(elements.next, next);
  const shown = units.filter(({ UnitID, Visible }) => Visible && position.shows(UnitID));
  const at = unit ? shown.indexOf(unit) + 1 : 0;
  elements.step.textContent = at > 0 ? messages.position(at, shown.length) : '';

  // A review never ends the attempt, so it needs neither the warning nor the button.
  const records = !isReview();
  elements.exit.title = position.exitEnds && records ? messages.exitEnds : '';
  elements.endAttempt.hidden = !position.mayEnd || !records;

  const isLast = finished && !next?.may;
  elements.exit.classList.toggle('primary', isLast);
  elements.next.classList.toggle('primary', finished && next?.may === true);
  elements.notice.hidden = !finished || unit === null;
  elements.noticeText.textContent = unit && noticeFor(position.statusOf(unit.UnitID));
  elements.noticeAction.textContent = (isLast ? elements.exit : elements.next).textContent?.trim() ?? '';

  if (!course.isMarked || !unit) return;
  const isMarked = position.statusOf(unit.UnitID) === 'completed';
  elements.mark.hidden = false;
  elements.mark.disabled = isMarked;
  elements.mark.textContent = isMarked ? messages.markedComplete : messages.markComplete;
  elements.mark.classList.toggle('primary', !isMarked);

  function noticeFor(status: UnitStatus): string {
    const { notCompleted, notPassed, unit, lastUnit, course: all } = messages.finished;
    if (!isDone(status)) return status === 'failed' ? notPassed : notCompleted;
    if (!isLast) return unit;
    return course.isCompleted || shown.every(({ UnitID }) => isDone(position.statusOf(UnitID)))
      ? all
      : lastUnit;
  }
}

function showStep(button: HTMLButtonElement, offer: Offer | null): void {
  button.hidden = offer === null;
  // `disabled` would move the keyboard focus away.
  button.setAttribute('aria-disabled', String(offer?.may !== true));
  // Screen readers read the title as the button's description.
  button.title = offer?.why ?? '';
}
