/** The elements of index.html, looked up once. */
export const elements = {
  bar: find('bar', HTMLElement),
  brand: find('brand', HTMLElement),
  brandLogo: find('brand-logo', HTMLImageElement),
  brandName: find('brand-name', HTMLElement),
  courseTitle: find('course-title', HTMLElement),
  unitTitle: find('unit-title', HTMLElement),
  indicator: find('indicator', HTMLElement),
  announcement: find('announcement', HTMLElement),
  skip: find('skip', HTMLAnchorElement),
  indicatorText: find('indicator-text', HTMLElement),
  windowLink: find('window-link', HTMLAnchorElement),
  screen: find('screen-button', HTMLButtonElement),
  fit: find('fit-button', HTMLButtonElement),
  mark: find('mark-button', HTMLButtonElement),
  steps: find('steps', HTMLElement),
  step: find('step', HTMLElement),
  previous: find('previous-button', HTMLButtonElement),
  next: find('next-button', HTMLButtonElement),
  exit: find('exit-button', HTMLButtonElement),
  progress: find('progress', HTMLProgressElement),
  contents: find('contents', HTMLElement),
  contentsButton: find('contents-button', HTMLButtonElement),
  contentsClose: find('contents-close', HTMLButtonElement),
  units: find('units', HTMLElement),
  endAttempt: find('end-button', HTMLButtonElement),
  scrim: find('scrim', HTMLElement),
  stage: find('stage', HTMLElement),
  loading: find('loading', HTMLElement),
  loadingText: find('loading-text', HTMLElement),
  reason: find('reason', HTMLElement),
  notice: find('notice', HTMLElement),
  noticeText: find('notice-text', HTMLElement),
  noticeAction: find('notice-action', HTMLButtonElement),
};

function find<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const element = document.getElementById(id);
  if (element instanceof kind) return element;
  throw new Error(`The page has no ${kind.name} with the id ${id}`);
}

/** Inserts the page's texts. */
export function writeLabels(labels: Record<string, string>): void {
  for (const element of document.querySelectorAll<HTMLElement>('[data-text]'))
    element.textContent = labels[element.dataset.text ?? ''] ?? '';
  for (const element of document.querySelectorAll<HTMLElement>('[data-label]'))
    showLabel(element, labels[element.dataset.label ?? ''] ?? '');
}

/** Buttons with only an icon also show their label on hover. */
function showLabel(element: HTMLElement, label: string): void {
  element.setAttribute('aria-label', label);
  if (element instanceof HTMLButtonElement) element.title = label;
}

export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className: string,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

export function makeIcon(name: string): SVGSVGElement {
  const icon = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  icon.setAttribute('class', `icon icon-${name}`);
  icon.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
  use.setAttribute('href', `#icon-${name}`);
  icon.append(use);
  return icon;
}
