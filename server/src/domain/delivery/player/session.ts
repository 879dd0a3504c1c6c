import type { Played } from '../../../../../standards/results.ts';
import { forReview, resume } from '../../../../../standards/resume.ts';
import type { Evidence, RunTimeData, Unit } from '../../../../../standards/types.ts';
import type { Context } from '../../../infra/context/context.ts';
import { Problem } from '../../../lib/errors.ts';
import { noBranding, pageBranding } from '../../tenants/branding.ts';
import type { Receipt, Session } from './schemas.ts';

export type SessionStart = {
  token: string;
  mode: Session['Mode'];
  enrollId: string;
  launch: number;
  title: string;
  language: string | null;
  learner: Session['Learner'];
  played: Played;
  /** Gives access to the course's files; null if it has none. */
  filesToken: string | null;
  units: Record<string, { data: RunTimeData; evidence: Evidence }>;
  treeState: string | null;
  shared: Session['Shared'];
  lastUnitId: string | null;
  returnUrl: string | null;
  receipt: Receipt;
  /** Null in the operator's preview. */
  tenantId: string | null;
};

export function withReturnUrl<T>(returnUrl: string | null, opening: Promise<T>): Promise<T> {
  return opening.catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error;
    throw new Problem(error.code, error.message, { ...error.extras, ReturnURL: returnUrl });
  });
}

function unitsOf(units: Unit[]): Unit[] {
  return units.flatMap((unit) => [unit, ...unitsOf(unit.Children)]);
}

/** The page may load images only from its own origin, so the logo has another URL than on other pages. */
async function playerBranding(
  ctx: Context,
  { tenantId, token }: Pick<SessionStart, 'tenantId' | 'token'>,
): Promise<Session['Branding']> {
  const { LogoURL, ...rest } = tenantId === null ? noBranding : await pageBranding(ctx, tenantId);
  return { ...rest, LogoPath: LogoURL === null ? null : `/play/${token}/logo` };
}

export const filesPath = (token: string): string => `/play/${token}/content/`;

/** Everything that the page needs to play. */
export async function toSession(ctx: Context, start: SessionStart): Promise<Session> {
  const { token, mode, learner, played, units } = start;
  // Use a Map, because a package may name a unit `__proto__`.
  const earlier = new Map(Object.entries(units));
  const playable = unitsOf(played.tree.Units).filter(({ Kind }) => Kind !== null);
  const data = playable.map((unit) => {
    const before = earlier.get(unit.UnitID)?.data ?? {};
    const resumed = resume(played.standard, unit, before, learner);
    return [unit.UnitID, mode === 'review' ? forReview(played.standard, unit, resumed) : resumed] as const;
  });
  return {
    Session: token,
    Mode: start.mode,
    Launch: start.launch,
    NextCommit: start.receipt.Number + 1,
    EnrollID: start.enrollId,
    CourseTitle: start.title,
    Language: start.language,
    Branding: await playerBranding(ctx, start),
    Learner: learner,
    Standard: played.standard,
    Tree: played.tree,
    ContentPath: start.filesToken === null ? null : filesPath(start.filesToken),
    Data: Object.fromEntries(data),
    Evidence: Object.fromEntries(Object.entries(units).map(([unitId, unit]) => [unitId, unit.evidence])),
    TreeState: start.treeState,
    Shared: start.shared,
    LastUnitID: start.lastUnitId,
    ReturnURL: start.returnUrl,
    Receipt: start.receipt,
  };
}
