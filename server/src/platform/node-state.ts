/** What this node keeps in memory between requests. Each part has the name that it was declared with. */
export type NodeState = Map<symbol, unknown>;

export const openState = (): NodeState => new Map();

/** Declares a part of the state. Only this declaration knows its symbol, so what is found there is a `V`. */
export function partOfState<V>(name: string, create: () => V): (ctx: { state: NodeState }) => V {
  const part = Symbol(name);
  return ({ state }) => {
    if (!state.has(part)) state.set(part, create());
    return state.get(part) as V;
  };
}
