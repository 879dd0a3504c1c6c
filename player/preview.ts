import { elements } from './elements.ts';
import { type Journal, renumberedBy } from './journal.ts';
import { messages, selectPreviewMessages } from './messages.ts';

/** Turns the page into a preview, which records nothing and says so. Returns a journal that stores nothing. */
export function beginPreview(): Journal {
  selectPreviewMessages();
  document.documentElement.dataset.mode = 'preview';
  elements.announcement.textContent = messages.saveStates.saved;
  return {
    load: async () => {},
    write: () => true,
    forget: () => {},
    holds: () => true,
    restore: () => {},
    removed: () => {},
    renumber: renumberedBy,
    list: () => [],
  };
}
