/** Data that this node keeps in memory between requests. Each part is stored under the symbol that declared it. */
export type NodeState = Map<symbol, unknown>;

export const openState = (): NodeState => new Map();

/** Declares a part of the state. Only this function has the symbol, so the value is always a `V`. */
export function partOfState<V>(name: string, create: () => V): (ctx: { state: NodeState }) => V {
  const part = Symbol(name);
  return ({ state }) => {
    if (!state.has(part)) state.set(part, create());
    return state.get(part) as V;
  };
}
