import { elements } from './elements.ts';
import { assumedWidth, designWidth, scaled } from './fit-width.ts';
import type { FittedCourse } from './fitted-courses.ts';

/** Scales content that is wider than the stage. */
export type Fit = {
  /** Null if there is no content any more. */
  watch(frame: HTMLIFrameElement | null): void;
};

/** Content builds its pages by script, so it may become wider after it has loaded. */
const checkInterval = 2_000;

type Watched = { frame: HTMLIFrameElement; width: number | null };

/**
 * Offers the button *Fit to width* while the content is wider than the stage. Content that adapts to its frame never
 * gets the button, and its frame is never changed.
 */
export function offerFit(place: HTMLElement, choice: FittedCourse): Fit {
  const { fit: button } = elements;
  let isFitted = choice.isFitted();
  let watched: Watched | null = null;

  const update = () => {
    const shown = watched?.frame.isConnected ? watched : null;
    const sizes = scaled({ width: place.clientWidth, height: place.clientHeight }, shown?.width ?? null);
    button.hidden = sizes === null;
    button.setAttribute('aria-pressed', String(isFitted));
    if (shown) resize(shown.frame, isFitted ? sizes : null);
  };
  const measure = () => {
    if (!watched?.frame.isConnected) return;
    watched.width = widthOf(watched.frame, place.clientWidth);
    update();
  };
  button.addEventListener('click', () => {
    isFitted = !isFitted;
    choice.remember(isFitted);
    update();
  });
  /** The width of content that is too wide is known, so it is not measured again before its page changes. */
  const check = () => {
    if (watched?.frame.isConnected && watched.width === null) {
      const page = pageOf(watched.frame);
      if (page === null || overflowOf(page) > 0) measure();
    } else update();
  };
  new ResizeObserver(check).observe(place);
  window.setInterval(() => {
    if (!document.hidden && watched?.width === null) check();
  }, checkInterval);

  return {
    watch(frame) {
      watched = frame && { frame, width: null };
      frame?.addEventListener('load', measure);
      update();
    },
  };
}

function resize(frame: HTMLIFrameElement, sizes: ReturnType<typeof scaled>): void {
  const { style } = frame;
  style.width = sizes ? `${sizes.width}px` : '';
  style.height = sizes ? `${sizes.height}px` : '';
  style.scale = sizes ? String(sizes.scale) : '';
}

/** Null for a page of another origin, and before there is a page. */
function pageOf(frame: HTMLIFrameElement): Document | null {
  try {
    return frame.contentDocument;
  } catch {
    return null;
  }
}

/** How far the page reaches beyond the right edge of its frame, including pages in frames that span its width. */
function overflowOf(page: Document, depth = 0): number {
  // While another page replaces it, a document has no root.
  const root: Element | null = page.scrollingElement ?? page.documentElement;
  if (!root) return 0;
  const visible = root.clientWidth;
  const inner = depth < 3 ? [...page.querySelectorAll<HTMLIFrameElement>('frame, iframe')] : [];
  const spanning = inner.filter(({ clientWidth }) => clientWidth > visible * 0.9).slice(0, 4);
  const overflows = spanning.map((frame) => {
    const document = pageOf(frame);
    return document ? overflowOf(document, depth + 1) : 0;
  });
  return Math.max(root.scrollWidth - visible, ...overflows);
}

/**
 * The width that the content needs; null if it fits. It is measured in frames of increasing width, before the browser
 * draws any of them.
 */
function widthOf(frame: HTMLIFrameElement, available: number): number | null {
  const page = pageOf(frame);
  if (page === null) return assumedWidth;
  if (!page.documentElement) return null;
  resize(frame, null);
  return designWidth(available, (width) => {
    frame.style.width = `${width}px`;
    return width + overflowOf(page);
  });
}
