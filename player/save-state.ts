import type { CommitVerdict, SessionEnd } from '../server/src/modules/enrolments/session-end.ts';

/** What the learner is told: `kept` is on this device only, `unkept` is in danger. */
export type SaveState = 'saved' | 'saving' | 'kept' | 'unkept';
/** Why there is nothing to play any more. */
export type Stop = { ended: SessionEnd } | { refused: CommitVerdict };
