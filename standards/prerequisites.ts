import { isDone, type UnitStatus } from './unit-status.ts';

/** The units in a script that consists only of unit IDs and this operator. */
export const unitsNamedIn = (script: string, operator: string | RegExp): string[] =>
  script.split(operator).map((part) => part.replaceAll('"', '').trim());

/**
 * Whether an AICC script (`adlcp:prerequisites`) is satisfied: unit IDs, `&`, `|`, `~`, parentheses,
 * `A=passed` and `2*{A,B,C}`. A script that cannot be parsed or refers to a missing unit is ignored.
 */
export function isOpen(script: string, statusOf: (unitID: string) => UnitStatus | null): boolean {
  const tokens = script.match(/"[^"]*"|[&|~()=<>{},*]+?|[^\s&|~()=<>{},*"]+/g) ?? [];
  let at = 0;
  const take = (token: string) => tokens[at] === token && ++at > 0;
  const word = () => (tokens[at++] ?? '').replaceAll('"', '');

  function either(): boolean {
    let holds = both();
    while (take('|')) holds = both() || holds;
    return holds;
  }

  function both(): boolean {
    let holds = one();
    while (take('&')) holds = one() && holds;
    return holds;
  }

  function one(): boolean {
    if (take('~')) return !one();
    if (take('(')) {
      const holds = either();
      if (!take(')')) throw new SyntaxError(script);
      return holds;
    }
    if (tokens[at + 1] === '*') return enough(Number(word()));
    const status = statusOf(word());
    if (status === null) throw new ReferenceError(script);
    if (take('=')) return matches(status, word());
    if (take('<')) {
      if (!take('>')) throw new SyntaxError(script);
      return !matches(status, word());
    }
    return isDone(status);
  }

  function enough(count: number): boolean {
    if (!take('*') || !take('{')) throw new SyntaxError(script);
    let done = 0;
    do {
      if (one()) done++;
    } while (take(','));
    if (!take('}')) throw new SyntaxError(script);
    return done >= count;
  }

  try {
    const holds = either();
    return at === tokens.length ? holds : true;
  } catch {
    return true;
  }
}

/** The identifiers that a script refers to. */
export function namedIn(script: string): string[] {
  const named: string[] = [];
  isOpen(script, (unitID) => {
    named.push(unitID);
    return 'none';
  });
  return named;
}

/** The status may be abbreviated to its first letter. */
function matches(status: UnitStatus, wanted: string): boolean {
  const said = status === 'none' ? 'not attempted' : status;
  const asked = wanted.toLowerCase();
  return said === asked || (asked.length === 1 && said.startsWith(asked));
}
