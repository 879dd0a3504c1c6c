import { make } from './elements.ts';
import type { MediaFile, ShownFile } from './media-file.ts';
import { loadedIn } from './stage.ts';
import { createTimer } from './timer.ts';

/** A page is measured in thousandths of its height. */
const parts = 1_000;
/** A position counts once the learner has stopped scrolling. */
const restDelay = 400;

/** Shows an HTML page, which is read as far as the learner has scrolled. */
export function showPageFile({ place, title, address, location, saw, at }: MediaFile): Promise<ShownFile> {
  const frame = make('iframe', '');
  frame.title = title;
  frame.src = address;
  const rest = createTimer(read);

  function read(): void {
    const page = frame.contentDocument?.scrollingElement;
    if (!page || page.scrollHeight === 0 || document.hidden) return;
    const share = (pixels: number) => Math.round((pixels / page.scrollHeight) * parts);
    // Browsers round the position, so the end may be a pixel away.
    saw(0, share(page.scrollTop + page.clientHeight + 2), parts);
    at(share(page.scrollTop));
  }

  return new Promise((resolve) => {
    frame.addEventListener('load', () => {
      const page = frame.contentDocument?.scrollingElement;
      if (page && location > 0) page.scrollTop = (location / parts) * page.scrollHeight;
      const watch = () => rest.start(restDelay);
      frame.contentWindow?.addEventListener('scroll', watch, { passive: true });
      frame.contentWindow?.addEventListener('resize', watch);
      document.addEventListener('visibilitychange', watch);
      watch();
      resolve({ loaded: loadedIn(frame, address), close: rest.cancel });
    });
    place.append(frame);
  });
}
