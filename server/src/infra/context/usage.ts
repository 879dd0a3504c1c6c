import { type Context, partOfState } from './context.ts';

const kinds = ['calls', 'commits', 'bytes'] as const;
type Kind = (typeof kinds)[number];
export type Use = Record<Kind, number>;

/** What tenants have used on this node and what is not stored yet, by tenant and day (UTC). */
export type Usage = Map<string, Map<string, Use>>;

const state = partOfState('usage', (): { open: Usage } => ({ open: new Map() }));

/** Counts an API call, a commit, or bytes of course files. The counts of the last minute are lost if the process dies. */
export function countUse(ctx: Context, tenantId: string | null, kind: Kind, amount = 1): void {
  if (tenantId === null) return;
  add(state(ctx).open, { tenantId, day: ctx.now().toISOString().slice(0, 10), kind }, amount);
}

type Place = { tenantId: string; day: string; kind: Kind };

function add(open: Usage, { tenantId, day, kind }: Place, amount: number): void {
  const days = open.get(tenantId) ?? new Map<string, Use>();
  const use = days.get(day) ?? { calls: 0, commits: 0, bytes: 0 };
  use[kind] += amount;
  open.set(tenantId, days.set(day, use));
}

/** Takes the counts, to store them. */
export function takeUsage(ctx: Context): Usage {
  const { open } = state(ctx);
  state(ctx).open = new Map();
  return open;
}

/** Puts counts back that could not be stored. */
export function keepUsage(ctx: Context, tenantId: string, days: ReadonlyMap<string, Use>): void {
  for (const [day, use] of days)
    for (const kind of kinds) add(state(ctx).open, { tenantId, day, kind }, use[kind]);
}
