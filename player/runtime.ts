import type { RunTimeData } from '../standards/types.ts';

/** The run-time API of one unit at a time. */
export type RunTime = {
  /** Starts a sitting of a unit with its data; the content may call from now on. */
  open(data: RunTimeData): void;
  snapshot(): RunTimeData;
  /** Whether the content has spoken to the API in this sitting. */
  used(): boolean;
};

export type RunTimeEvents = {
  /** The content set a value and has not committed yet. */
  changed(): void;
  /** The content commits and waits; true only when nothing can be lost. */
  commit(): boolean;
  begun(): void;
  /** The content has finished its sitting, with the way it exits and where it wants to go. */
  finished(exit: string, request: string | null): void;
};
