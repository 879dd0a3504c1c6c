import type { Unit } from '../standards/types.ts';
import { combinedStatus, type UnitStatus } from '../standards/unit-status.ts';
import type { Position } from './course.ts';
import { elements, make, makeIcon } from './elements.ts';
import { messages } from './messages.ts';

const desktop = window.matchMedia('(min-width: 60rem)');
const { contents, contentsButton, contentsClose, scrim, stage, units: place, bar } = elements;

/** A row of the list: a unit, a group, or the whole course. */
type Entry = Pick<Unit, 'UnitID' | 'Title' | 'Href' | 'Children' | 'AssignableUnit'>;
type Node = { entry: Entry; button: HTMLButtonElement; state: HTMLElement; item: HTMLElement };

type Actions = {
  choose: (unitID: string) => void;
  /** Says why the learner cannot open this row now. */
  explain: (entry: Entry) => void;
};

/** The table of contents. It is next to the course on wide screens, and a drawer on narrow ones. */
export function createContents(units: Unit[], root: Entry | null, { choose, explain }: Actions) {
  const nodes = new Map<string, Node>();

  function list(children: Unit[]): HTMLElement {
    const items = children.filter(isShown).map((unit) => {
      const item = row(unit);
      if (unit.Children.some(isShown)) item.append(list(unit.Children));
      return item;
    });
    return make('ol', '', ...items);
  }

  function row(entry: Entry): HTMLElement {
    const state = make('span', 'state');
    const title = make('span', 'unit-title', entry.Title);
    title.setAttribute('dir', 'auto');
    const button = make('button', 'unit', state, title);
    if (entry.AssignableUnit)
      title.append(make('span', 'unit-rule', messages.moveOns[entry.AssignableUnit.MoveOn]));
    button.type = 'button';
    button.addEventListener('click', () => {
      if (button.getAttribute('aria-disabled') === 'true') return explain(entry);
      if (!desktop.matches) toggle(false);
      choose(entry.UnitID);
    });
    const item = make('li', entry.Children.some(isShown) ? 'group' : '', button);
    nodes.set(entry.UnitID, { entry, button, state, item });
    return item;
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
  place.replaceChildren(...(root ? [make('ol', 'whole', row(root))] : []), list(units));
  toggle(desktop.matches);

  return {
    update(position: Position): void {
      for (const [unitID, { entry, button, state, item }] of nodes) {
        const isCurrent = position.unit?.UnitID === unitID;
        const { may, why } = position.choice(unitID);
        const isHeading = entry.Href === null;
        const status = statusIn(entry, position);
        const icon = may || isCurrent || isHeading || status !== 'none' ? status : 'locked';
        const text = icon === 'locked' ? messages.locked : messages.unitStates[status];
        // The row of the whole course is shown only while the learner may start the course again.
        item.hidden = entry === root ? !may : !position.shows(unitID);
        button.classList.toggle('heading', isHeading);
        button.setAttribute('aria-disabled', String(!may && !isCurrent));
        if (isCurrent) button.setAttribute('aria-current', 'page');
        else button.removeAttribute('aria-current');
        button.title = may || isCurrent || !why ? text : `${text}. ${why}`;
        if (state.dataset.icon === icon) continue;
        state.dataset.icon = icon;
        state.replaceChildren(makeIcon(icon), make('span', 'hidden-text', `${text}: `));
      }
    },
    open: () => toggle(true),
  };
}

/** A group without its own status has the combined status of its members. */
function statusIn(entry: Entry, position: Position): UnitStatus {
  const own = position.statusOf(entry.UnitID);
  if (own !== 'none' || entry.Href !== null) return own;
  return combinedStatus(entry.Children.map((child) => statusIn(child, position)));
}

function isShown(unit: Unit): boolean {
  return unit.Visible && (unit.Href !== null || unit.Children.some(isShown));
}
