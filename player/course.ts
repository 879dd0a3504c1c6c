import type { Snapshot } from './commits.ts';
import type { PlayableUnit, UnitStatus } from './units.ts';

/** The learner's position and the possible next steps. */
export type Position = {
  unit: PlayableUnit | null;
  /** Whether the content has finished and is waiting for the learner's choice. */
  finished: boolean;
  /** Null if the button is not shown. */
  previous: boolean | null;
  next: boolean | null;
  /** Whether the contents list may open this node. */
  mayChoose(unitID: string): boolean;
  statusOf(unitID: string): UnitStatus;
};

/** Navigation through the units, either in order or by SCORM 2004 sequencing. */
export type Course = {
  start(): Promise<void>;
  position(): Position;
  next(): Promise<void>;
  previous(): Promise<void>;
  choose(unitID: string): Promise<void>;
  /** Ends the session; returns its last snapshot. */
  leave(): Promise<Snapshot | null>;
  /** The snapshot to save if it is saved now. */
  snapshot(): Snapshot | null;
  /** Web courses: the learner marks the course as completed. */
  complete?(): void;
};

export type CourseEvents = {
  /** The position has changed. */
  moved(): void;
  /** The content asks to leave the course, or there is nothing left to show. */
  ended(): void;
  missing(unit: PlayableUnit): void;
};

/** Content sets values in bursts; one snapshot after each is enough to survive a crash. */
export const autosaveDelay = 250;
/** How long a snapshot that the content does not wait for stays on this device before it is sent. */
export const saveDelay = 2_750;
