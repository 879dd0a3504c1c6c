import type { Snapshot } from './commits.ts';
import type { PlayableUnit, UnitStatus } from './units.ts';

/** Where the learner is and where they may go. */
export type Position = {
  unit: PlayableUnit | null;
  /** Whether the content has finished its sitting and waits for the learner's choice. */
  finished: boolean;
  /** Null: the button is not offered at all. */
  previous: boolean | null;
  next: boolean | null;
  /** Whether the contents may be used to go to this node. */
  mayChoose(unitID: string): boolean;
  statusOf(unitID: string): UnitStatus;
};

/** A way through the units: in a row, or by SCORM 2004 sequencing. */
export type Course = {
  start(): Promise<void>;
  position(): Position;
  next(): Promise<void>;
  previous(): Promise<void>;
  choose(unitID: string): Promise<void>;
  /** Ends the sitting; answers its last snapshot. */
  leave(): Promise<Snapshot | null>;
  /** What there is to save now, at the moment of asking. */
  snapshot(): Snapshot | null;
  /** Web courses: the learner declares the course done. */
  complete?(): void;
};

export type CourseEvents = {
  /** Something about the position has changed. */
  moved(): void;
  /** The content asks to leave the course, or there is nothing more to show. */
  ended(): void;
  missing(unit: PlayableUnit): void;
};

/** Content sets values in bursts; one snapshot after each is enough, and soon enough to survive a crash. */
export const autosaveDelay = 250;
/** How long a snapshot that nobody waits for stays on this device before it is sent. */
export const saveDelay = 2_750;
