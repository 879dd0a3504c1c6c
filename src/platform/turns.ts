/** Heavy work: few pieces at a time. The rest waits in lines, one for each tenant, which are served in turn. */
export type Turns = {
  readonly most: number;
  readonly mostOfOne: number;
  /** In one line. */
  readonly mostWaiting: number;
  inUse: number;
  readonly lines: Map<string, Line>;
};

type Line = { inUse: number; waiting: (() => void)[] };

/** Callers without a tenant have lines too: no TenantID is empty or has a control character. */
export const operatorLine = '';
export const strangersLine = '\n';

export function openTurns(limits: Pick<Turns, 'most' | 'mostOfOne' | 'mostWaiting'>): Turns {
  return { ...limits, inUse: 0, lines: new Map() };
}

export function waitingIn({ lines }: Turns): number {
  let waiting = 0;
  for (const line of lines.values()) waiting += line.waiting.length;
  return waiting;
}

export function isLineFull({ lines, mostWaiting }: Turns, whose: string): boolean {
  return (lines.get(whose)?.waiting.length ?? 0) >= mostWaiting;
}

/**
 * Does the work when it is its turn; null: the line is full. A tenant with a long line waits for itself: the one that
 * was served last goes behind all others.
 */
export function inTurn<Result>(
  turns: Turns,
  whose: string,
  work: () => Promise<Result>,
  onWait: () => void = () => {},
): Promise<Result> | null {
  const line = turns.lines.get(whose) ?? { inUse: 0, waiting: [] };
  const isFree = turns.inUse < turns.most && line.inUse < turns.mostOfOne;
  if (!isFree && isLineFull(turns, whose)) return null;
  turns.lines.set(whose, line);
  if (isFree) {
    begin(turns, line);
    return workAndPass(turns, { whose, line }, work);
  }
  onWait();
  return new Promise<void>((resolve) => line.waiting.push(resolve)).then(() =>
    workAndPass(turns, { whose, line }, work),
  );
}

function begin(turns: Turns, line: Line): void {
  turns.inUse++;
  line.inUse++;
}

async function workAndPass<Result>(
  turns: Turns,
  { whose, line }: { whose: string; line: Line },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } finally {
    turns.inUse--;
    line.inUse--;
    if (line.inUse === 0 && line.waiting.length === 0) turns.lines.delete(whose);
    passOn(turns);
  }
}

function passOn(turns: Turns): void {
  for (const [whose, line] of turns.lines) {
    const next = line.inUse < turns.mostOfOne ? line.waiting.shift() : undefined;
    if (!next) continue;
    turns.lines.delete(whose);
    turns.lines.set(whose, line);
    begin(turns, line);
    next();
    return;
  }
}
