import type { FastifyRequest } from 'fastify';
import type { Player } from '../../platform/load/admission.ts';
import type { LaunchState } from '../enrolments/launches.ts';
import type { Commit, Receipt, Session } from './schemas.ts';

/** A large session is already serialized. */
export type Opened = Session | string;

/** What a ticket opens. */
export type Opening = {
  player: Player;
  /** The sources of CSP `frame-ancestors` for the page. */
  framing: () => Promise<string>;
  open: (request: FastifyRequest) => Promise<Opened>;
};

/** The session behind an open player page: a learner's launch, or a preview, which stores nothing. */
export type OpenSession = {
  /** With `tenantId` null it is the operator's preview. */
  player: Player;
  commit: (body: Commit) => Promise<Receipt>;
  /** The release that it plays, and whether it may still request files. */
  state: () => Promise<LaunchState>;
  /** Records that the page is still open. */
  keepAlive: () => Promise<LaunchState>;
};
