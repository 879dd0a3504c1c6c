import type { FastifyRequest } from 'fastify';
import type { Player } from '../../../infra/calls/limits.ts';
import type { readResults } from '../../enrolments/run-time/read-results.ts';
import type { LaunchState } from '../../enrolments/run-time/start.ts';
import type { OpenAu, OpenedAu } from '../protocols/cmi5/open-au.ts';
import type { Commit, Receipt, Session } from './schemas.ts';

export type AuOpening = { UnitID: string; LaunchMode?: NonNullable<OpenAu['launchMode']> };

/** A string if a large session has already been serialized. */
export type Opened = Session | string;

/** The session that a ticket can open. */
export type Opening = {
  player: Player;
  /** The sources for the page's CSP `frame-ancestors`. */
  framing: () => Promise<string>;
  open: (request: FastifyRequest) => Promise<Opened>;
};

/** The session behind an open player page: a learner's launch, or a preview, which stores nothing. */
export type OpenSession = {
  /** `tenantId` is null in the operator's preview. */
  player: Player;
  commit: (body: Commit) => Promise<Receipt>;
  /** The release that the session plays, and whether it may still request files. */
  state: () => Promise<LaunchState>;
  /** Records that the page is still open. */
  keepAlive: () => Promise<LaunchState>;
  /** Opens a unit that reports directly to the service. */
  openAu: (body: AuOpening) => Promise<OpenedAu>;
  /** Returns the results so far. The page needs them for units that report directly to the service. */
  results: () => ReturnType<typeof readResults>;
};
