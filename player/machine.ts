type Performers<Effect extends { kind: string }> = {
  [Kind in Effect['kind']]: (effect: Extract<Effect, { kind: Kind }>) => void;
};

export type Machine<State, Event> = { readonly state: State; dispatch(event: Event): void };

/** Holds the state that a pure reducer decides on, and performs the effects that it asks for, in their order. */
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

/** The performer under an effect's own kind takes that effect. */
function performerOf<Effect extends { kind: string }>(
  performers: Performers<Effect>,
  effect: Effect,
): (effect: Effect) => void {
  return performers[effect.kind as Effect['kind']] as (effect: Effect) => void;
}
