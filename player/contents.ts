import type { Unit } from '../standards/types.ts';
import type { Position } from './course.ts';
import { elements, make, makeIcon } from './elements.ts';
import { messages } from './messages.ts';
import type { UnitStatus } from './units.ts';

const desktop = window.matchMedia('(min-width: 60rem)');
const { contents, contentsButton, contentsClose, scrim, stage, units: place, bar } = elements;

/** The table of contents: next to the course on wide screens, a drawer on narrow ones. */
export function createContents(units: Unit[], choose: (unitID: string) => void) {
  const nodes = new Map<string, { unit: Unit; button: HTMLButtonElement; state: HTMLElement }>();

  function list(children: Unit[]): HTMLElement {
    const items = children.filter(isShown).map((unit) => {
      const state = make('span', 'state');
      const button = make('button', 'unit', state, make('span', 'unit-title', unit.Title));
      button.type = 'button';
      button.lastElementChild?.setAttribute('dir', 'auto');
      button.addEventListener('click', () => {
        if (button.getAttribute('aria-disabled') === 'true') return;
        if (!desktop.matches) toggle(false);
        choose(unit.UnitID);
      });
      nodes.set(unit.UnitID, { unit, button, state });
      const item = make('li', unit.Children.some(isShown) ? 'group' : '', button);
      if (unit.Children.some(isShown)) item.append(list(unit.Children));
      return item;
    });
    return make('ol', '', ...items);
  }

  function toggle(open: boolean): void {
    contents.hidden = !open;
    scrim.hidden = !open || desktop.matches;
    contentsButton.setAttribute('aria-expanded', String(open));
    // A drawer covers the course, so it traps the keyboard focus.
    const isDrawer = open && !desktop.matches;
    stage.inert = isDrawer;
    bar.inert = isDrawer;
    if (isDrawer) (current()?.button ?? contents).focus();
  }

  const current = () => [...nodes.values()].find(({ button }) => button.hasAttribute('aria-current'));
  const close = () => {
    toggle(false);
    contentsButton.focus();
  };
  contentsButton.hidden = false;
  contentsButton.addEventListener('click', () => toggle(contents.hidden !== false));
  contentsClose.addEventListener('click', close);
  scrim.addEventListener('click', close);
  contents.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close();
  });
  desktop.addEventListener('change', () => toggle(desktop.matches));
  place.replaceChildren(list(units));
  toggle(desktop.matches);

  return {
    update(position: Position): void {
      for (const [unitID, { unit, button, state }] of nodes) {
        const isCurrent = position.unit?.UnitID === unitID;
        const may = isCurrent || position.mayChoose(unitID);
        // A group without its own page is a heading, unless it is the only way to its members.
        const isHeading = unit.Href === null && !(may && unit.Sequencing?.ControlMode.Choice === false);
        const status = statusIn(unit, position);
        const icon = may || isHeading || status !== 'none' ? status : 'locked';
        const text = icon === 'locked' ? messages.locked : messages.unitStates[status];
        button.classList.toggle('heading', isHeading);
        button.setAttribute('aria-disabled', String(!may || isHeading));
        if (isCurrent) button.setAttribute('aria-current', 'page');
        else button.removeAttribute('aria-current');
        if (state.dataset.icon === icon) continue;
        state.dataset.icon = icon;
        state.replaceChildren(makeIcon(icon), make('span', 'hidden-text', `${text}: `));
        button.title = text;
      }
    },
    open: () => toggle(true),
  };
}

/** A group without its own status has the combined status of its members. */
function statusIn(unit: Unit, position: Position): UnitStatus {
  const own = position.statusOf(unit.UnitID);
  if (own !== 'none' || unit.Href !== null) return own;
  const parts = unit.Children.map((child) => statusIn(child, position));
  if (parts.every((part) => part === 'completed' || part === 'passed')) return 'completed';
  return parts.some((part) => part !== 'none') ? 'incomplete' : 'none';
}

function isShown(unit: Unit): boolean {
  return unit.Visible && (unit.Href !== null || unit.Children.some(isShown));
}
