import { elements } from './elements.ts';
import { type Journal, movedBy } from './journal.ts';
import { messages, speakOfPreview } from './messages.ts';

/** Makes the page one on which nothing is recorded, and says so. Answers the journal to play with: one that forgets. */
export function beginPreview(): Journal {
  speakOfPreview();
  document.documentElement.dataset.sitting = 'preview';
  elements.announcement.textContent = messages.saveStates.saved;
  return {
    load: async () => {},
    write: () => true,
    forget: () => {},
    holds: () => true,
    restore: () => {},
    removed: () => {},
    renumber: movedBy,
    list: () => [],
  };
}
