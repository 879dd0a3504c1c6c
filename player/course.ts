import type { RunTimeData } from '../standards/types.ts';
import type { UnitStatus } from '../standards/unit-status.ts';
import type { Commits, Snapshot } from './commits.ts';
import type { Receipt } from './contract.ts';
import type { Loaded } from './stage.ts';
import type { PlayableUnit } from './units.ts';

/** Whether an action is possible now and, if not, the reason in the learner's language. */
export type Offer = { may: boolean; why: string | null };

export const offered: Offer = { may: true, why: null };

/** The learner's position and the possible next steps. */
export type Position = {
  unit: PlayableUnit | null;
  /** Whether the content has finished and is waiting for the learner's choice. */
  finished: boolean;
  /** Null if the button is not shown. */
  previous: Offer | null;
  next: Offer | null;
  /** Whether the contents list may open this node. */
  choice(unitID: string): Offer;
  /** Whether the contents list shows this node. */
  shows(unitID: string): boolean;
  statusOf(unitID: string): UnitStatus;
  /** Whether Exit ends the attempt, so that the course starts again next time. */
  exitEnds: boolean;
  /** Whether the learner may end the attempt instead of suspending it. */
  mayEnd: boolean;
};

/** How the learner or the service leaves the course. */
export type ExitKind = 'exit' | 'end' | 'stop';

/** Navigation through the units, either in order or by SCORM 2004 sequencing. */
export type Course = {
  start(): Promise<void>;
  position(): Position;
  next(): Promise<void>;
  previous(): Promise<void>;
  choose(unitID: string): Promise<void>;
  /** Ends the session and returns its last snapshot. */
  leave(how: ExitKind): Promise<Snapshot | null>;
  /** A snapshot of the current data. Null if there is nothing to save. */
  snapshot(): Snapshot | null;
  /** The root of the activity tree, if the learner may choose it like a unit. */
  rootID?: string;
  /** Whether the service has refused a report, so that not everything is saved. */
  refused?(): boolean;
  /** Only in web courses, in which the learner marks the course as completed. */
  complete?(): void;
};

export type CourseEvents = {
  /** A unit is shown with its data. */
  shown?(unit: PlayableUnit, data: RunTimeData): void;
  /** The position has changed. */
  moved(): void;
  /** The content asks to leave the course, or there is nothing left to show. */
  ended(): void;
  /** The unit's page could not be shown. */
  missing(unit: PlayableUnit, why: Loaded): void;
  /** The service has reported the current result. */
  reported?(receipt: Receipt): void;
};

/** Content sets values in bursts. One snapshot after each burst is enough to survive a crash. */
export const autosaveDelay = 250;
/** How long a snapshot stays on this device before it is sent, unless the content waits for the response. */
export const saveDelay = 2_750;
/** Opening a page completes it only after this time, because a page declared as an asset may turn out to be a SCO. */
export const firstCallDelay = 2_000;

/** Commits the data of the content, if there is any. Returns whether the commit was kept. */
export function commitNow(
  commits: Pick<Commits, 'commit'>,
  events: CourseEvents,
  now: Snapshot | null,
): boolean {
  const kept = now === null || commits.commit(now);
  events.moved();
  return kept;
}
