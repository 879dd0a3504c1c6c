import type { FastifyRequest } from 'fastify';
import type { Player } from '../../platform/load/admission.ts';
import type { LaunchStanding } from '../enrolments/launches.ts';
import type { Commit, Receipt, Session } from './schemas.ts';

/** A large session is sent as it was written in its turn. */
export type Opened = Session | string;

/** What a ticket opens. */
export type Opening = {
  player: Player;
  /** The sources of CSP `frame-ancestors` for the page. */
  framing: () => Promise<string>;
  open: (request: FastifyRequest) => Promise<Opened>;
};

/** The session behind an open player page: a learner's launch, or a preview, which stores nothing. */
export type Sitting = {
  /** With `tenantId` null it is the operator's preview. */
  player: Player;
  commit: (body: Commit) => Promise<Receipt>;
  /** The release that it plays, and whether it may still request files. */
  standing: () => Promise<LaunchStanding>;
  /** Records that the page is still open. */
  keepAlive: () => Promise<LaunchStanding>;
};
