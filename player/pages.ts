import type { Receipt } from './contract.ts';
import { elements, make, makeIcon } from './elements.ts';
import { messages } from './messages.ts';

/** With `href`, the action is a link to a new window, because browsers block windows that a script opens. */
export type Action = { text: string; act: () => void; primary?: boolean; href?: string };

/** A page that replaces the course: a heading, a sentence and buttons. */
export function showPage(title: string, text: string, actions: Action[], ...more: Node[]): void {
  const heading = make('h2', '', title);
  heading.tabIndex = -1;
  const card = make('section', 'card', heading, make('p', '', text), ...more);
  if (actions.length > 0) card.append(make('div', 'actions', ...actions.map(makeAction)));
  elements.loading.hidden = true;
  elements.notice.hidden = true;
  hidePage();
  elements.stage.append(make('div', 'page', card));
  elements.stage.setAttribute('aria-busy', 'false');
  heading.focus();
}

export function hidePage(): void {
  elements.stage.querySelector('.page')?.remove();
}

/** A question on top of the course that must be answered. */
export function ask(title: string, text: string, actions: Action[]): void {
  const dialog = make('dialog', 'card', make('h2', '', title), make('p', '', text));
  const close = (action: Action) => () => {
    dialog.close();
    dialog.remove();
    action.act();
  };
  dialog.append(
    make('div', 'actions', ...actions.map((action) => makeAction({ ...action, act: close(action) }))),
  );
  dialog.addEventListener('cancel', (event) => event.preventDefault());
  document.body.append(dialog);
  dialog.showModal();
}

/** What became of the learner's progress. */
export type Outcome = 'saved' | 'onDevice' | 'lost' | 'refused';

/** The result that the course has reached; null if there is none yet. */
export function resultOf({ Completion, Success }: Receipt): 'passed' | 'failed' | 'completed' | null {
  if (Success !== 'unknown') return Success;
  return Completion === 'completed' ? 'completed' : null;
}

/** The final page if there is no page to return to. It acknowledges the result. */
export function showEnd(
  outcome: Outcome,
  course: {
    title: string;
    receipt: Receipt;
    seconds: number;
    back: string | null;
    isPartly: boolean;
    counts: boolean;
  },
): void {
  const { receipt, seconds, back } = course;
  const { end } = messages;
  elements.bar.hidden = true;
  elements.contents.hidden = true;
  elements.scrim.hidden = true;
  const facts: [string, string][] = [[end.status, messages.completions[receipt.Completion]]];
  if (receipt.Success !== 'unknown') facts.push([end.result, messages.successes[receipt.Success]]);
  if (receipt.Score !== null) facts.push([end.score, messages.percent(receipt.Score)]);
  if (receipt.Completion !== 'completed' && receipt.Progress > 0)
    facts.push([end.progress, messages.percent(receipt.Progress)]);
  facts.push([end.time, messages.duration(seconds)]);
  const list = make(
    'dl',
    'facts',
    ...facts.map(([term, value]) => make('div', '', make('dt', '', term), make('dd', '', value))),
  );
  const result = course.counts && outcome === 'saved' ? resultOf(receipt) : null;
  const title = result ? end.results[result] : end[outcome];
  const texts = {
    saved: course.isPartly ? `${messages.saveStates.partly}. ${end.close}` : end.close,
    onDevice: end.onDeviceText,
    lost: end.lostText,
    refused: end.refusedText,
  };
  const text = result === 'failed' ? `${end.mayRepeat} ${texts.saved}` : texts[outcome];
  const actions: Action[] = [
    { text: end.again, act: () => location.reload(), primary: result === null || result === 'failed' },
  ];
  if (back) actions.push({ text: messages.back, act: () => location.assign(back), primary: false });
  showPage(title, text, actions, list);
  const mark = make(
    'div',
    `seal ${result === 'failed' ? 'lost' : outcome}`,
    makeIcon(outcome === 'lost' || outcome === 'refused' || result === 'failed' ? 'failed' : 'completed'),
  );
  const eyebrow = make('p', 'eyebrow', course.title);
  eyebrow.dir = 'auto';
  elements.stage.querySelector('.card')?.prepend(mark, eyebrow);
  document.title = title;
}

export function makeAction({ text, act, primary = true, href }: Action): HTMLElement {
  const look = primary ? 'button primary' : 'button';
  if (href !== undefined) {
    const link = make('a', look, text);
    Object.assign(link, { href, target: '_blank', rel: 'noopener' });
    link.addEventListener('click', act);
    return link;
  }
  const button = make('button', look, text);
  button.type = 'button';
  button.addEventListener('click', act);
  return button;
}
