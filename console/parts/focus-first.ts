const usable = ':not([disabled]):not([type=hidden])';

/** Makes a dialog focus its first field or, if there is none, its first button. */
export function focusFirst(content: HTMLElement | null): void {
  const first =
    content?.querySelector(`:is(input, select, textarea)${usable}`) ??
    content?.querySelector(`:is(button, a)${usable}`);
  // Mantine's dialogs focus the element with this attribute after they have been rendered.
  first?.setAttribute('data-autofocus', 'true');
}

/**
 * Makes every dialog that chooses no other element focus its first field or, if there is none, its title, so that screen
 * readers begin at the top. By default, it would focus Close.
 */
export function focusFieldOrTitle(body: HTMLElement | null): void {
  const dialog = body?.closest('[role=dialog]');
  if (!dialog || dialog.querySelector('[data-autofocus]')) return;
  const title = dialog.querySelector('h2');
  title?.setAttribute('tabindex', '-1');
  const first = body?.querySelector(`:is(input, select, textarea)${usable}`) ?? title;
  first?.setAttribute('data-autofocus', 'true');
}
