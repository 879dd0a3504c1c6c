import type { Fit } from './fit.ts';
import { isUnloadForbidden, rememberUnload, type UnloadListeners } from './unload.ts';

/** How a unit's page loaded. `unreachable` means that there was no response, or a temporary error. */
export type Loaded = 'shown' | 'missing' | 'unreachable';

/** Shows units' pages, each in its own iframe. */
export type Stage = ReturnType<typeof createStage>;

/** Content may delay closing with its own prompt. After this time, the learner leaves anyway. */
const unloadLimit = 2_500;

/** A page that takes longer is shown while it is still loading. */
const timeoutMilliseconds = 1_000;

/** `closing` is called when the page closes, after the content's last events. */
export function createStage(place: HTMLElement, loading: HTMLElement, fit: Fit, closing: () => void) {
  let frame: HTMLIFrameElement | null = null;
  let last: HTMLIFrameElement | null = null;
  let unload: UnloadListeners | null = null;
  let reveal: number | undefined;
  let latest: Loaded = 'shown';
  let lost = false;

  return {
    /**
     * Resolves when the page has loaded or failed to load. `moved` gets the path of each further page of this origin
     * that the content opens in its frame.
     */
    show(address: string, title: string, moved?: (path: string) => void): Promise<Loaded> {
      frame?.remove();
      const next = document.createElement('iframe');
      next.title = title;
      next.allow =
        'autoplay; fullscreen; picture-in-picture; clipboard-write; encrypted-media; microphone; camera; unload';
      next.src = address;
      frame = next;
      const show = () => {
        window.clearTimeout(reveal);
        loading.hidden = true;
        place.setAttribute('aria-busy', 'false');
      };
      window.clearTimeout(reveal);
      reveal = window.setTimeout(show, timeoutMilliseconds);
      loading.hidden = false;
      return new Promise((resolve) => {
        next.addEventListener(
          'load',
          () => {
            show();
            latest = loadedIn(next, address);
            resolve(latest);
          },
          { once: true },
        );
        next.addEventListener('load', () => {
          lost = !navigator.onLine && loadedIn(next, address) === 'unreachable';
        });
        if (moved) next.addEventListener('load', () => moved(pathOf(next)));
        place.append(next);
        unload = isUnloadForbidden() ? rememberUnload(next) : null;
        last?.remove();
        last = addLastFrame(closing);
        fit.watch(next);
      });
    },
    /** Removes the page while the API still exists, so that its unload handlers can make their last calls. */
    async clear(): Promise<void> {
      const leaving = frame;
      if (!leaving) return;
      await new Promise<void>((resolve) => {
        leaving.addEventListener('load', () => resolve(), { once: true });
        setTimeout(resolve, unloadLimit);
        unload?.call();
        leaving.contentWindow?.location.replace('about:blank');
      });
      window.clearTimeout(reveal);
      leaving.remove();
      if (frame !== leaving) return;
      frame = null;
      last?.remove();
      fit.watch(null);
    },
    /** If the browser does not tell the content that its page closes, this does. */
    unload: () => unload?.call(),
    focus: () => frame?.focus(),
    window: () => frame?.contentWindow ?? null,
    /** Whether the browser shows its own page instead of the content's, because the device was offline. */
    isLost: () => lost,
    /** How the latest page loaded. */
    loaded: () => latest,
  };
}

/**
 * Browsers close frames in the order in which they were added, so this empty one is closed after the content. Without a
 * document of its own, Chromium would not fire the event.
 */
function addLastFrame(closing: () => void): HTMLIFrameElement {
  const last = document.createElement('iframe');
  last.hidden = true;
  last.srcdoc = '<!doctype html>';
  last.addEventListener('load', () => last.contentWindow?.addEventListener('pagehide', closing));
  document.body.append(last);
  return last;
}

/** Empty for a page of another origin. */
function pathOf(frame: HTMLIFrameElement): string {
  try {
    return frame.contentWindow?.location.pathname ?? '';
  } catch {
    return '';
  }
}

/** Cross-origin pages cannot be inspected and count as shown. The browser's own error page also has another origin. */
export function loadedIn(frame: HTMLIFrameElement, address: string): Loaded {
  if (new URL(address, location.href).origin !== location.origin) return 'shown';
  try {
    const [entry] = frame.contentWindow?.performance.getEntriesByType('navigation') ?? [];
    const status = (entry as PerformanceNavigationTiming | undefined)?.responseStatus ?? 200;
    if (status < 400) return 'shown';
    return status >= 500 || status === 429 ? 'unreachable' : 'missing';
  } catch {
    return 'unreachable';
  }
}
