import type { CommitRejection, SessionEnd } from './contract.ts';

/**
 * Shown to the learner. `partly` means that results are saved without the bookmark, `kept` that they are only on this
 * device, and `unkept` that they may be lost.
 */
export type SaveState = 'saved' | 'partly' | 'saving' | 'kept' | 'unkept';
/** Why the course can no longer be played. */
export type Stop = { ended: SessionEnd } | { refused: CommitRejection };
