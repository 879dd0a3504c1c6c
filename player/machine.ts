type Performers<Effect extends { kind: string }> = {
  [Kind in Effect['kind']]: (effect: Extract<Effect, { kind: Kind }>) => void;
};

export type Machine<State, Event> = { readonly state: State; dispatch(event: Event): void };

/** Holds the state of a pure reducer and performs the effects it returns, in order. */
export function createMachine<State, Event, Effect extends { kind: string }>(
  initial: State,
  reduce: (state: State, event: Event) => { state: State; effects: readonly Effect[] },
  performers: Performers<Effect>,
): Machine<State, Event> {
  let state = initial;
  return {
    get state() {
      return state;
    },
    dispatch(event) {
      const step = reduce(state, event);
      state = step.state;
      for (const effect of step.effects) performerOf(performers, effect)(effect);
    },
  };
}

/** The function whose name is the effect's kind. The cast is safe, because the performers have one for each kind. */
function performerOf<Effect extends { kind: string }>(
  performers: Performers<Effect>,
  effect: Effect,
): (effect: Effect) => void {
  return performers[effect.kind as Effect['kind']] as (effect: Effect) => void;
}
