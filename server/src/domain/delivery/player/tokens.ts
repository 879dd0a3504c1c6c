import type { Player } from '../../../infra/calls/limits.ts';
import type { Context } from '../../../infra/context/context.ts';
import { signToken, verifyToken } from '../../../infra/keys/key-ring.ts';

/** An allowed click on a LaunchURL. The ticket stays valid for as long as its page may be reloaded. */
export type Ticket = {
  tenantId: string;
  enrollId: string;
  returnUrl: string | null;
  at: number;
  courseId: string;
};

/** Identifies one launch. Its token is the path segment in all requests from the launch's page. */
export type SessionHandle = {
  tenantId: string;
  enrollId: string;
  launch: number;
  launchId: string;
  courseId: string;
};

const ticketHours = 24;

/**
 * All launches of an enrolment share their budgets. Otherwise, anyone with the link could start
 * more launches to get larger budgets.
 */
export function playerOf({ tenantId, enrollId }: Pick<Ticket, 'tenantId' | 'enrollId'>): Player {
  return { tenantId, enrollId, budget: `${tenantId} ${enrollId}` };
}

/** If `at` is omitted, the time of the click is the current time. */
export type NewTicket = Omit<Ticket, 'at'> & Partial<Pick<Ticket, 'at'>>;

export function writeTicket(ctx: Context, ticket: NewTicket): string {
  const { tenantId, enrollId, returnUrl, courseId, at = ctx.now().getTime() } = ticket;
  return signToken(ctx.keys, 'ticket', [tenantId, enrollId, returnUrl, at, courseId]);
}

/** Returns null if the ticket is forged or has expired. The cast is safe, because only we can sign a ticket. */
export function readTicket(ctx: Context, token: string): Ticket | null {
  const value = verifyToken(ctx.keys, 'ticket', token) as
    | [string, string, string | null, number, string]
    | null;
  if (!value) return null;
  const [tenantId, enrollId, returnUrl, at, courseId] = value;
  const old = ctx.now().getTime() - at > ticketHours * 3_600_000;
  return old ? null : { tenantId, enrollId, returnUrl, at, courseId };
}

export function writeSession(ctx: Context, session: SessionHandle): string {
  const { tenantId, enrollId, launch, launchId, courseId } = session;
  return signToken(ctx.keys, 'session', [tenantId, enrollId, launch, courseId, launchId]);
}

export function readSession(ctx: Context, token: string): SessionHandle | null {
  const value = verifyToken(ctx.keys, 'session', token) as [string, string, number, string, string] | null;
  if (!value) return null;
  const [tenantId, enrollId, launch, courseId, launchId] = value;
  return { tenantId, enrollId, launch, launchId, courseId };
}

/** The files that an enrolment's launches read. */
export type FilesHandle = { tenantId: string; enrollId: string; courseId: string; releaseId: string };

/** The token is the same for all launches that play the release, so browsers keep its files. */
export function writeFilesToken(ctx: Context, files: FilesHandle): string {
  const { tenantId, enrollId, courseId, releaseId } = files;
  return signToken(ctx.keys, 'files', [tenantId, enrollId, courseId, releaseId]);
}

export function readFilesToken(ctx: Context, token: string): FilesHandle | null {
  const value = verifyToken(ctx.keys, 'files', token) as [string, string, string, string] | null;
  if (!value) return null;
  const [tenantId, enrollId, courseId, releaseId] = value;
  return { tenantId, enrollId, courseId, releaseId };
}
