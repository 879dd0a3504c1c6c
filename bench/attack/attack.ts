import type { Target } from './target.ts';

/** The result of an attack: whether the service withstood it, and the evidence. */
export type Outcome = { withstood: boolean; detail: string };

export type Attack = {
  name: string;
  run: (target: Target) => Promise<Outcome>;
};
