import { elements } from './elements.ts';

/** Lets the learner show the page on the whole screen. Some browsers and frames do not allow it. */
export function offerFullScreen(): void {
  const { screen } = elements;
  screen.hidden = !document.fullscreenEnabled;
  screen.addEventListener('click', async () => {
    if (document.fullscreenElement) await document.exitFullscreen();
    // The browser may still refuse, for example if another page has just used the same click.
    else await document.documentElement.requestFullscreen().catch(() => {});
  });
  document.addEventListener('fullscreenchange', () => {
    screen.setAttribute('aria-pressed', String(document.fullscreenElement !== null));
  });
}
