import type { CommitRejection, SessionEnd } from './contract.ts';

/**
 * Shown to the learner. `partly` means that results are saved without the bookmark, `onDevice` that they are only on this
 * device, `unsaved` that they may be lost, and `refused` that the service did not accept some of them.
 */
export type SaveState = 'saved' | 'partly' | 'saving' | 'onDevice' | 'unsaved' | 'refused';
/** Why the course can no longer be played. */
export type Stop = { ended: SessionEnd } | { refused: CommitRejection };
