import type { RunTimeData } from '../standards/types.ts';

/** The run-time API for one unit at a time. */
export type RunTime = {
  /** Starts a unit's session with its data. From now on, the content may call the API. */
  open(data: RunTimeData): void;
  snapshot(): RunTimeData;
  /** Whether the content has called the API in this session. */
  used(): boolean;
};

export type RunTimeEvents = {
  /** The content set a value that is not committed yet. */
  changed(): void;
  /** The content commits and waits; true only if nothing can be lost. */
  commit(): boolean;
  begun(): void;
  /** The content has finished, with its exit value and navigation request. */
  finished(exit: string, request: string | null): void;
};
