import type { CommitRejection, SessionEnd } from './contract.ts';

/** Shown to the learner. `partly`: results saved without the bookmark; `kept`: on this device only; `unkept`: may be lost. */
export type SaveState = 'saved' | 'partly' | 'saving' | 'kept' | 'unkept';
/** Why there is nothing left to play. */
export type Stop = { ended: SessionEnd } | { refused: CommitRejection };
