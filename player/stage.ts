/** The place where a unit's page is shown, in an iframe of its own for each unit. */
export type Stage = ReturnType<typeof createStage>;

/** Content may hold the page back with a question of its own; the learner's wish to go wins after this time. */
const unloadLimit = 2_500;

/** A page that takes longer is shown as it comes. */
const patience = 1_000;

export function createStage(place: HTMLElement, loading: HTMLElement) {
  let frame: HTMLIFrameElement | null = null;
  let reveal: number | undefined;

  return {
    /** Resolves with false when the page cannot be had. */
    show(address: string, title: string): Promise<boolean> {
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
      reveal = window.setTimeout(show, patience);
      loading.hidden = false;
      return new Promise((resolve) => {
        next.addEventListener(
          'load',
          () => {
            show();
            resolve(isShown(next, address));
          },
          { once: true },
        );
        place.append(next);
      });
    },
    /** Takes the page away, so that its unload handlers can say their last words while the API is there. */
    async clear(): Promise<void> {
      const leaving = frame;
      if (!leaving) return;
      await new Promise<void>((resolve) => {
        leaving.addEventListener('load', () => resolve(), { once: true });
        setTimeout(resolve, unloadLimit);
        leaving.contentWindow?.location.replace('about:blank');
      });
      window.clearTimeout(reveal);
      leaving.remove();
      if (frame === leaving) frame = null;
    },
    focus: () => frame?.focus(),
  };
}

/** Pages of another origin cannot be looked into and count as shown. */
function isShown(frame: HTMLIFrameElement, address: string): boolean {
  if (new URL(address, location.href).origin !== location.origin) return true;
  try {
    const [entry] = frame.contentWindow?.performance.getEntriesByType('navigation') ?? [];
    const status = (entry as PerformanceNavigationTiming | undefined)?.responseStatus ?? 200;
    return status < 400;
  } catch {
    return false;
  }
}
