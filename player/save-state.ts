import type { CommitRejection, SessionEnd } from './contract.ts';

/**
 * Shown to the learner. `partly` means that results are saved without the bookmark, `onDevice` that they are only on this
 * device, and `unsaved` that they may be lost.
 */
export type SaveState = 'saved' | 'partly' | 'saving' | 'onDevice' | 'unsaved';
/** Why the course can no longer be played. */
export type Stop = { ended: SessionEnd } | { refused: CommitRejection };
