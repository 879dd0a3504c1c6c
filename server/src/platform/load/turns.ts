import { Problem } from '../errors.ts';
import { siteOf } from './budgets.ts';

/**
 * Heavy work: few pieces at a time. The rest waits in queues, one for each tenant, which are served in turn.
 */
export type Turns = {
  readonly most: number;
  readonly mostOfOne: number;
  /** In one queue. */
  readonly mostWaiting: number;
  /** In milliseconds. Work that has waited this long is rejected. */
  readonly longestWait: number | null;
  /** These are served before all others, in this order, but never twice in a row while others wait. */
  readonly first: readonly string[];
  lastWasFirst: boolean;
  inUse: number;
  readonly lines: Map<string, Line>;
};

type Line = { inUse: number; waiting: (() => void)[] };

/** Work without a tenant has lines too: no TenantID is empty or has a control character. */
export const operatorLine = '';
export const strangersLine = '\nstrangers';
/** Strangers of one network, so that a flood of one does not delay the others. */
export const strangersLineOf = (address: string): string => `${strangersLine} ${siteOf(address)}`;
export const isStrangersLine = (line: string | undefined): boolean =>
  line?.startsWith(strangersLine) === true;
/** Looks up keys, sessions and tenants: short statements on which every caller depends. */
export const credentialsLine = '\ncredentials';
/** Background work in short statements: what is due, webhook dispatch, maintenance. */
export const serviceLine = '\nservice';
/** Scheduled jobs, whose statements may be many and long: an ordinary queue. */
export const jobsLine = '\njobs';
/** Reads what several tenants use and one of them pays for nobody else, such as the tree of a release. */
export const catalogueLine = '\ncatalogue';

export const isTenant = (line: string): boolean => line !== operatorLine && !line.startsWith('\n');

export function openTurns(
  limits: Pick<Turns, 'most' | 'mostOfOne' | 'mostWaiting'> & { longestWait?: number; first?: string[] },
): Turns {
  return { longestWait: null, first: [], ...limits, lastWasFirst: false, inUse: 0, lines: new Map() };
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
 * Does the work when it is its turn; null: the queue is full. A tenant with a long queue only delays itself:
 * the tenant served last goes to the end.
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
    return workAndPass(turns, line, work);
  }
  onWait();
  return waitIn(line, turns.longestWait).then(() => workAndPass(turns, line, work));
}

function waitIn({ waiting }: Line, longest: number | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      waiting.splice(waiting.indexOf(start), 1);
      reject(overloaded());
    };
    const timer = longest === null ? null : setTimeout(giveUp, longest);
    const start = () => {
      if (timer) clearTimeout(timer);
      resolve();
    };
    waiting.push(start);
  });
}

/** So that clients retry at different times. */
export function overloaded(): Problem {
  return new Problem('unavailable', 'The service is overloaded. Retry the request.', {
    retryAfter: 1 + Math.floor(Math.random() * 3),
  });
}

const isIdle = ({ inUse, waiting }: Line): boolean => inUse === 0 && waiting.length === 0;

function begin(turns: Turns, line: Line): void {
  turns.inUse++;
  line.inUse++;
}

async function workAndPass<Result>(turns: Turns, line: Line, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } finally {
    turns.inUse--;
    line.inUse--;
    passOn(turns);
  }
}

function passOn(turns: Turns): void {
  const { first } = turns;
  const others = [...turns.lines.keys()].filter((whose) => !first.includes(whose));
  for (const whose of turns.lastWasFirst ? [...others, ...first] : [...first, ...others])
    if (serve(turns, whose)) {
      turns.lastWasFirst = first.includes(whose);
      return;
    }
}

/** Starts the first work in the queue if it may run; the queue goes to the end. */
function serve(turns: Turns, whose: string): boolean {
  const line = turns.lines.get(whose);
  if (!line) return false;
  const next = line.inUse < turns.mostOfOne ? line.waiting.shift() : undefined;
  if (next || isIdle(line)) turns.lines.delete(whose);
  if (!next) return false;
  turns.lines.set(whose, line);
  begin(turns, line);
  next();
  return true;
}
