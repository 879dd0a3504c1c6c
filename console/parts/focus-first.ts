/** Makes a dialog focus its first field or, if there is none, its first button. By default, it would focus Close. */
export function focusFirst(content: HTMLElement | null): void {
  const usable = ':not([disabled]):not([type=hidden])';
  const first =
    content?.querySelector(`:is(input, select, textarea)${usable}`) ??
    content?.querySelector(`:is(button, a)${usable}`);
  // Mantine's dialogs focus the element with this attribute after they have been rendered.
  first?.setAttribute('data-autofocus', 'true');
}
