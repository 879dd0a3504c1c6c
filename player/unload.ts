import { windowsIn } from './documents.ts';

export type FeaturePolicy = { allowsFeature(feature: string): boolean };

/** Only Chromium has this policy. A page that frames the player can forbid the event, for example with a header. */
export function isUnloadForbidden(): boolean {
  const policy: FeaturePolicy | undefined = Reflect.get(document, 'featurePolicy');
  return policy?.allowsFeature('unload') === false;
}

/** The listeners for `unload` in the pages of a frame, which the browser ignores. */
export type UnloadListeners = { call(): void };

/**
 * Remembers the listeners of the first page in a frame, which keeps the window of the empty page before it. Of further pages
 * and inner frames, only the attribute of the body is known.
 */
export function rememberUnload(frame: HTMLIFrameElement): UnloadListeners {
  const first = frame.contentWindow;
  const listeners = new Set<EventListenerOrEventListenerObject>();
  let handler: unknown = null;
  if (first) {
    const add = first.addEventListener;
    first.addEventListener = (type: string, listener: never, options?: boolean | AddEventListenerOptions) => {
      if (type === 'unload' && listener) listeners.add(listener);
      else add.call(first, type, listener, options);
    };
    Object.defineProperty(first, 'onunload', {
      configurable: true,
      get: () => handler,
      set: (given: unknown) => {
        handler = given;
      },
    });
  }
  return {
    /** Calls each listener once. */
    call() {
      const event = new Event('unload');
      const isShown = first !== null && first === frame.contentWindow;
      const own = isShown ? [...listeners, handler] : [];
      listeners.clear();
      handler = null;
      for (const listener of own) attempt(() => callListener(listener, first, event));
      for (const shown of windowsIn(frame.contentWindow)) attempt(() => callAttribute(shown, event));
    },
  };
}

function callListener(listener: unknown, on: unknown, event: Event): void {
  if (typeof listener === 'function') listener.call(on, event);
  else if (typeof listener === 'object' && listener !== null)
    Reflect.get(listener, 'handleEvent').call(listener, event);
}

function callAttribute(shown: Window, event: Event): void {
  const { body } = shown.document;
  const code = body.getAttribute('onunload');
  body.removeAttribute('onunload');
  if (code) Reflect.apply(Reflect.get(shown, 'Function')('event', code), shown, [event]);
}

/** An error in a listener does not affect the others, as in a real event. */
function attempt(act: () => void): void {
  try {
    act();
  } catch (error) {
    console.error(error);
  }
}
