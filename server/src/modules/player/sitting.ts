import type { Player } from '../../platform/admission.ts';
import type { LaunchStanding } from '../enrolments/launches.ts';
import type { Commit, Receipt, Session } from './schemas.ts';

/** What a ticket opens. */
export type Opening = {
  player: Player;
  /** The sources of CSP `frame-ancestors` for the page. */
  framing: () => Promise<string>;
  open: (userAgent: string | null) => Promise<Session>;
};

/** What stands behind an open page of the player: a learner's launch, or a preview, of which nothing is kept. */
export type Sitting = {
  /** With `tenantId` null the operator previews. */
  player: Player;
  commit: (body: Commit) => Promise<Receipt>;
  /** The release that it plays, and whether it may still ask for its files. */
  standing: () => Promise<LaunchStanding>;
  /** Notes that the page is still open. */
  keepAlive: () => Promise<LaunchStanding>;
};
