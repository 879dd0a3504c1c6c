import type { CommitRejection, SessionEnd } from './contract.ts';

/**
 * Shown to the learner. `partly`: results are saved without the bookmark. `kept`: only on this device. `unkept`: may be
 * lost.
 */
export type SaveState = 'saved' | 'partly' | 'saving' | 'kept' | 'unkept';
/** Why nothing more can be played. */
export type Stop = { ended: SessionEnd } | { refused: CommitRejection };
