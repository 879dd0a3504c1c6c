import type { Loaded } from './stage.ts';

/** A file to show, and whom to tell what the learner has seen of it. */
export type MediaFile = {
  /** Where to show it. */
  place: HTMLElement;
  title: string;
  address: string;
  captions: readonly { address: string; language: string | null }[];
  /** Where the learner left: a page, a second, or a part of a page. */
  location: number;
  /** The learner has seen the file from here to there; `length` is its end. */
  saw(from: number, to: number, length: number): void;
  at(location: number): void;
};

/** Shows a file. `close` stops it. */
export type ShownFile = { loaded: Loaded; close: () => void };
