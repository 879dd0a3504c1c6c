/** Events in which content finishes because its page may be about to close. Afterwards, the page may stay open. */
const closingEvents = ['beforeunload', 'pagehide', 'unload', 'visibilitychange', 'freeze'];

/** The content's windows that this page may inspect: its frame, and the frames inside. */
export function windowsIn(frame: Window | null): Window[] {
  if (!frame) return [];
  const inner = Array.from({ length: frame.length }, (_, index) => windowsIn(frame[index] ?? null)).flat();
  try {
    // Throws for a window of another origin.
    return frame.document ? [frame, ...inner] : inner;
  } catch {
    return inner;
  }
}

const documentsIn = (frame: Window | null) => windowsIn(frame).map(({ document }) => document);

/** A document without a window has been replaced by another, or its frame has been removed. */
export const isClosed = (page: Document): boolean => page.defaultView === null;

/** The pages that may use the API. A frame's first, empty page cannot. */
export const pagesIn = (frame: Window | null): Document[] =>
  documentsIn(frame).filter(({ URL }) => URL !== 'about:blank');

export const isLoading = (frame: Window | null): boolean =>
  documentsIn(frame).some(({ readyState }) => readyState !== 'complete');

/** The page whose handler of a closing event is running now. A call of the API does not say who makes it. */
export const closingPage = (frame: Window | null): Document | null =>
  windowsIn(frame).find(({ event }) => closingEvents.includes(event?.type ?? ''))?.document ?? null;
