import { elements } from './elements.ts';
import { type Journal, renumberedBy } from './journal.ts';
import { messages, type NonRecordingMode, useMessagesFor } from './messages.ts';

/** Turns the page into a preview or a review and shows that nothing is recorded. The returned journal stores nothing. */
export function beginWithoutRecording(mode: NonRecordingMode): Journal {
  useMessagesFor(mode);
  document.documentElement.dataset.mode = mode;
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
